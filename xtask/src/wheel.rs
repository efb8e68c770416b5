//! Builds the wheel that lets `pip` and `uv` install the executables. The wheel contains no Python code.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::archive::Entry;
use crate::contents::Contents;
use crate::project::{HOST, Project};

/// The name of the Python distribution, and of a second executable that starts the host, for `uvx`. Package indexes reject `bot-cli`
/// because it resembles an existing name.
const NAME: &str = "voicebot-cli";

/// The metadata for `pip` and package indexes, followed by the README.
const METADATA: &str = include_str!("../assets/METADATA");

/// The script that starts the host under the distribution's name. The script looks for the host in its own folder, and then, if it was
/// started through a symbolic link, in the folder of the link's target.
const SAME_NAME: &str = "\
#!/bin/sh
# bot-cli, under the name of its package.
host=${0%/*}/bot-cli
[ -x \"$host\" ] || host=$(dirname -- \"$(readlink -f -- \"$0\")\")/bot-cli
exec \"$host\" \"$@\"
";

/// Returns the wheel platform tags for a target. A static executable runs with any C library, so it has both `manylinux` and `musllinux`
/// tags.
fn tag(target: &str) -> anyhow::Result<String> {
    let (machine, system) = target.split_once('-').unwrap_or_default();
    Ok(match (system, machine) {
        ("unknown-linux-musl", _) => {
            format!("manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_2_{machine}")
        }
        // Package indexes refuse this tag because it doesn't name a C library version, so the wheel is for local use only.
        ("unknown-linux-gnu", _) => format!("linux_{machine}"),
        // The oldest systems that the toolchain supports.
        ("apple-darwin", "aarch64") => "macosx_11_0_arm64".to_owned(),
        ("apple-darwin", _) => format!("macosx_10_12_{machine}"),
        ("pc-windows-msvc" | "pc-windows-gnu", "x86_64") => "win_amd64".to_owned(),
        _ => bail!("no platform tag is known for {target}"),
    })
}

/// Builds the wheel. The file name is derived from the metadata.
pub(crate) fn packed(project: &Project, contents: &Contents) -> anyhow::Result<Entry> {
    let tag = tag(&contents.target)?;
    let version = version(project.fact(HOST, "version")?)?;
    let stem = format!("{}-{version}", NAME.replace('-', "_"));
    let below = |entries: &[Entry], folder: &str| -> Vec<Entry> {
        let folder = format!("{stem}.{folder}");
        entries.iter().map(|entry| entry.below(&folder)).collect()
    };
    let mut entries = below(&scripts(contents)?, "data/scripts");
    entries.extend(below(&contents.share, "data/data"));
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    // In a wheel, the metadata and the list of files come last.
    let homepage = match project.homepage() {
        "" => String::new(),
        address => format!("Project-URL: Homepage, {address}\n"),
    };
    let metadata = METADATA
        .replace("@VERSION@", &version)
        .replace("@HOMEPAGE@", &homepage);
    let metadata = [metadata.into_bytes(), project.file("README.md")?].concat();
    let mut wheel = "Wheel-Version: 1.0\nGenerator: bot-cli\nRoot-Is-Purelib: false\n".to_owned();
    for tag in tag.split('.') {
        let _ = writeln!(wheel, "Tag: py3-none-{tag}");
    }
    let info = [
        Entry::data("METADATA", metadata),
        Entry::data("WHEEL", wheel),
    ];
    entries.extend(below(&info, "dist-info"));
    entries.extend(below(&contents.licences, "dist-info/licenses"));
    let mut record = String::new();
    for entry in &entries {
        let sum = URL_SAFE_NO_PAD.encode(Sha256::digest(&entry.bytes));
        let _ = writeln!(record, "{},sha256={sum},{}", entry.path, entry.bytes.len());
    }
    let path = format!("{stem}.dist-info/RECORD");
    let _ = writeln!(record, "{path},,");
    entries.push(Entry::data(path, record));
    let name = format!("{stem}-py3-none-{tag}.whl");
    Ok(Entry::data(name, zipped(&entries)?))
}

/// Returns the executables, and an additional one that is named after the distribution.
fn scripts(contents: &Contents) -> anyhow::Result<Vec<Entry>> {
    let mut scripts = contents.executables.clone();
    let host = scripts.first().context("there is no host")?;
    scripts.push(if host.path == HOST {
        Entry::executable(NAME, SAME_NAME)
    } else {
        Entry::executable(format!("{NAME}.exe"), host.bytes.clone())
    });
    Ok(scripts)
}

/// Converts a version to Python's format: `1.0.0-rc.1` becomes `1.0.0rc1`.
fn version(version: &str) -> anyhow::Result<String> {
    let python = version
        .replace("-alpha.", "a")
        .replace("-beta.", "b")
        .replace("-rc.", "rc");
    if python.contains('-') {
        bail!("`{version}` can't be written as a version of a Python package");
    }
    Ok(python)
}

fn zipped(entries: &[Entry]) -> anyhow::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(9))
            // Use the format's earliest time instead of the commit's: installers don't preserve it.
            .last_modified_time(DateTime::default())
            .unix_permissions(entry.mode);
        zip.start_file(entry.path.as_str(), options)?;
        zip.write_all(&entry.bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::{tag, version};

    #[test]
    fn versions_are_written_as_python_does() {
        for (ours, theirs) in [("0.1.0", "0.1.0"), ("1.0.0-rc.10", "1.0.0rc10")] {
            assert_eq!(version(ours).unwrap(), theirs);
        }
        assert!(version("1.0.0-nightly").is_err());
    }

    #[test]
    fn static_executables_are_for_both_kinds_of_linux() {
        let tags = "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_2_x86_64";
        assert_eq!(tag("x86_64-unknown-linux-musl").unwrap(), tags);
        assert!(tag("wasm32-wasip1").is_err());
    }
}

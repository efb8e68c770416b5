//! A wheel: executables for `pip` and `uv`, without any Python.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::contents::Contents;
use crate::entry::Entry;
use crate::project::{Project, TOGETHER};

/// Starts the host under the name of the package, for `uvx`. Installers link the executables into one folder, or leave them in one.
const SAME_NAME: &str = "\
#!/bin/sh
# bot-cli, under the name of its package.
host=${0%/*}/bot-cli
[ -x \"$host\" ] || host=$(dirname -- \"$(readlink -f -- \"$0\")\")/bot-cli
exec \"$host\" \"$@\"
";

/// The platform tags of a target. A static executable runs beside any C library; the tags of both let installers take it.
pub(crate) fn tag(target: &str) -> anyhow::Result<String> {
    let (machine, system) = target
        .split_once('-')
        .context("a target has a machine and a system")?;
    Ok(match system {
        "unknown-linux-musl" => {
            format!("manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_2_{machine}")
        }
        // For this machine alone: an index takes none that doesn't say which C library it needs.
        "unknown-linux-gnu" => format!("linux_{machine}"),
        // The oldest systems that the toolchain supports.
        "apple-darwin" if machine == "aarch64" => "macosx_11_0_arm64".to_owned(),
        "apple-darwin" => format!("macosx_10_12_{machine}"),
        "pc-windows-msvc" | "pc-windows-gnu" if machine == "x86_64" => "win_amd64".to_owned(),
        "pc-windows-msvc" | "pc-windows-gnu" if machine == "aarch64" => "win_arm64".to_owned(),
        _ => bail!("no platform tag is known for {target}"),
    })
}

/// The wheel, named as its metadata says.
pub(crate) fn packed(project: &Project, contents: &Contents, tag: &str) -> anyhow::Result<Entry> {
    let version = version(project.version()?)?;
    let stem = format!("{}-{version}", project.distribution()?.replace('-', "_"));
    let data = format!("{stem}.data");
    let info = format!("{stem}.dist-info");
    let mut entries: Vec<Entry> = scripts(project, contents)?
        .iter()
        .map(|entry| entry.below(&format!("{data}/scripts")))
        .collect();
    entries.extend(
        contents
            .share
            .iter()
            .map(|entry| entry.below(&format!("{data}/data"))),
    );
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    // Its metadata are the last in a wheel, and among them the list of its files.
    let metadata = metadata(project, &version, &contents.licences)?;
    entries.push(Entry::data(format!("{info}/METADATA"), metadata));
    let tags: Vec<String> = tag
        .split('.')
        .map(|tag| format!("Tag: py3-none-{tag}"))
        .collect();
    let tags = tags.join("\n");
    let wheel = format!("Wheel-Version: 1.0\nGenerator: bot-cli\nRoot-Is-Purelib: false\n{tags}\n");
    entries.push(Entry::data(format!("{info}/WHEEL"), wheel));
    entries.extend(
        contents
            .licences
            .iter()
            .map(|entry| entry.below(&format!("{info}/licenses"))),
    );
    let record = format!("{info}/RECORD");
    let mut rows = String::new();
    for entry in &entries {
        let sum = URL_SAFE_NO_PAD.encode(Sha256::digest(&entry.bytes));
        let _ = writeln!(rows, "{},sha256={sum},{}", entry.path, entry.bytes.len());
    }
    let _ = writeln!(rows, "{record},,");
    entries.push(Entry::data(record, rows));
    Ok(Entry::data(
        format!("{stem}-py3-none-{tag}.whl"),
        zipped(&entries)?,
    ))
}

/// The executables, and one with the name of the distribution.
fn scripts(project: &Project, contents: &Contents) -> anyhow::Result<Vec<Entry>> {
    let mut scripts = contents.executables.clone();
    let name = project.distribution()?;
    let windows = contents.target.contains("-windows-");
    scripts.push(if windows {
        let host = scripts
            .iter()
            .find(|entry| entry.path == format!("{}.exe", TOGETHER[0]));
        let host = host.context("there is no host")?;
        Entry::executable(format!("{name}.exe"), host.bytes.clone())
    } else {
        Entry::executable(name, SAME_NAME)
    });
    Ok(scripts)
}

/// What `pip` and an index show, with the README as the description.
fn metadata(project: &Project, version: &str, licences: &[Entry]) -> anyhow::Result<Vec<u8>> {
    let name = project.distribution()?;
    let keywords: Vec<&str> = project.settings("keywords").collect();
    let mut lines = vec![
        "Metadata-Version: 2.4".to_owned(),
        format!("Name: {name}"),
        format!("Version: {version}"),
        format!("Summary: {}", project.setting("description")?),
        format!("Keywords: {}", keywords.join(",")),
        "License-Expression: MIT".to_owned(),
    ];
    lines.extend(
        licences
            .iter()
            .map(|entry| format!("License-File: {}", entry.name())),
    );
    lines.extend(
        project
            .settings("classifiers")
            .map(|one| format!("Classifier: {one}")),
    );
    lines.push(format!(
        "Requires-Python: {}",
        project.setting("requires-python")?
    ));
    if !project.homepage()?.is_empty() {
        lines.push(format!("Project-URL: Homepage, {}", project.homepage()?));
    }
    lines.push("Description-Content-Type: text/markdown".to_owned());
    let mut metadata = format!("{}\n\n", lines.join("\n")).into_bytes();
    metadata.extend(project.file("README.md")?);
    Ok(metadata)
}

/// A version as Python writes it: `1.0.0-rc.1` is `1.0.0rc1`.
fn version(version: &str) -> anyhow::Result<String> {
    let Some((release, stage)) = version.split_once('-') else {
        return Ok(version.to_owned());
    };
    let names = [("alpha.", "a"), ("beta.", "b"), ("rc.", "rc")];
    let stages = names
        .iter()
        .find_map(|(ours, theirs)| Some((stage.strip_prefix(ours)?, theirs)));
    match stages {
        Some((number, stage)) if number.parse::<u32>().is_ok() => {
            Ok(format!("{release}{stage}{number}"))
        }
        _ => bail!("`{version}` can't be written as a version of a Python package"),
    }
}

fn zipped(entries: &[Entry]) -> anyhow::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(9))
            // The format's earliest time, whatever the commit's is: no installer keeps it.
            .last_modified_time(DateTime::default())
            .unix_permissions(entry.mode.bits());
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
        for (ours, theirs) in [
            ("0.1.0", "0.1.0"),
            ("1.0.0-alpha.2", "1.0.0a2"),
            ("1.0.0-beta.1", "1.0.0b1"),
            ("1.0.0-rc.10", "1.0.0rc10"),
        ] {
            assert_eq!(version(ours).unwrap(), theirs);
        }
        assert!(version("1.0.0-nightly").is_err());
    }

    #[test]
    fn static_executables_are_for_both_kinds_of_linux() {
        let tags = "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_2_x86_64";
        assert_eq!(tag("x86_64-unknown-linux-musl").unwrap(), tags);
        assert_eq!(tag("x86_64-unknown-linux-gnu").unwrap(), "linux_x86_64");
        assert!(tag("wasm32-wasip1").is_err());
    }
}

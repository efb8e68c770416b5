//! The source distribution: everything that the executables are built of, for `pip` and cargo.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use toml_edit::{Array, DocumentMut};

use crate::archive;
use crate::entry::{Entry, Mode};
use crate::project::{Project, TIME, cargo};
use crate::{tools, wheel};

/// The files beside the members.
const FILES: [&str; 7] = [
    ".cargo/config.toml",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "pyproject.toml",
];

/// The member that stays in the repository: it is larger than the rest, and nothing that is built needs it.
const LEFT_OUT: &str = "tests";

/// Writes the source distribution. Returns the file.
pub(crate) fn write(project: &Project, folder: &Path) -> anyhow::Result<PathBuf> {
    let entry = packed(project)?;
    fs::create_dir_all(folder)
        .with_context(|| format!("could not create `{}`", folder.display()))?;
    archive::write(folder, &entry)?;
    Ok(folder.join(&entry.path))
}

/// The source distribution, named as its metadata says.
pub(crate) fn packed(project: &Project) -> anyhow::Result<Entry> {
    let version = wheel::version(project.version()?)?;
    let stem = format!("{}-{version}", project.distribution()?.replace('-', "_"));
    let mut entries = tracked(project)?;
    for entry in &mut entries {
        if entry.path == "Cargo.toml" {
            entry.bytes = without_tests(&entry.bytes)?;
        }
    }
    let lock = lock(&entries)?;
    for entry in &mut entries {
        if entry.path == "Cargo.lock" {
            entry.bytes.clone_from(&lock);
        }
    }
    let licence = Entry::data("LICENSE", Vec::new());
    let metadata = wheel::metadata(project, &version, &[licence])?;
    entries.push(Entry::data("PKG-INFO", metadata));
    entries.push(Entry::data(TIME, format!("{}\n", project.time)));
    let bytes = archive::packed(&stem, &entries, project.time)?;
    Ok(Entry::data(format!("{stem}.tar.gz"), bytes))
}

/// The files of the members that the repository has, as they are in the work tree.
fn tracked(project: &Project) -> anyhow::Result<Vec<Entry>> {
    let members = project.members().filter(|member| *member != LEFT_OUT);
    let output = Command::new("git")
        .args(["ls-files", "-z", "--"])
        .args(FILES)
        .args(members)
        .current_dir(&project.root)
        .output()
        .context("could not run git, which knows the files of the source")?;
    if !output.status.success() {
        bail!("a source distribution is made in a clone of the repository");
    }
    let paths = String::from_utf8(output.stdout)?;
    let paths = paths.split_terminator('\0');
    paths
        .map(|path| {
            let entry = Entry::data(path, project.file(path)?);
            let is_script = entry.bytes.starts_with(b"#!");
            Ok(if is_script {
                Entry {
                    mode: Mode::Executable,
                    ..entry
                }
            } else {
                entry
            })
        })
        .collect()
}

fn without_tests(manifest: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut manifest: DocumentMut = std::str::from_utf8(manifest)?.parse()?;
    let members = manifest["workspace"]["members"].as_array();
    let members = members.context("`Cargo.toml` has no members")?.iter();
    let rest: Array = members
        .filter(|member| member.as_str() != Some(LEFT_OUT))
        .cloned()
        .collect();
    manifest["workspace"]["members"] = toml_edit::value(rest);
    Ok(manifest.to_string().into_bytes())
}

/// The lock file without what only the tests use, so that `--locked` accepts it. Nothing else in it changes.
fn lock(entries: &[Entry]) -> anyhow::Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    for entry in entries {
        let path = folder.path().join(&entry.path);
        fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
        fs::write(path, &entry.bytes)?;
    }
    // What other systems need has not been downloaded everywhere.
    let output = cargo(folder.path())
        .args(["metadata", "--format-version=1", "--filter-platform"])
        .arg(tools::this_machine()?)
        .output()
        .context("could not run cargo")?;
    if !output.status.success() {
        bail!(
            "the source without its tests: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(fs::read(folder.path().join("Cargo.lock"))?)
}

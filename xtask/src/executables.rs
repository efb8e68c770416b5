//! The executables, built as they are shipped.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::entry::Entry;
use crate::progress::say;
use crate::project::{ALONE, Project, TOGETHER, clean};
use crate::tools;

/// The files of one target.
#[derive(Debug)]
pub(crate) struct Executables {
    /// The target, such as `x86_64-unknown-linux-musl`.
    pub(crate) target: String,
    /// Those that are installed together, the host first.
    pub(crate) together: Vec<Entry>,
    /// Those that are packed alone; none where they were not asked for.
    pub(crate) alone: Vec<Entry>,
    /// The folder of those that can be run here.
    pub(crate) folder: PathBuf,
}

impl Executables {
    /// Builds all of a target, with the crates that they are made of written into them.
    pub(crate) fn build(project: &Project, target: &str) -> anyhow::Result<Self> {
        let folder = project.target_folder.join(target).join("release");
        // Apart from one another: those that are packed alone would bring features into the crates of the others.
        for packages in [&TOGETHER[..], &ALONE] {
            let mut command = tools::cargo_auditable(project)?;
            command.args(["--target", target]);
            run(command, project, target, packages)?;
        }
        Self::read(project, &folder, target)
    }

    /// Takes the executables of a folder.
    pub(crate) fn read(project: &Project, folder: &Path, target: &str) -> anyhow::Result<Self> {
        let suffix = suffix(target);
        let read = |name: &str| {
            let file = format!("{name}{suffix}");
            let path = folder.join(&file);
            fs::read(&path)
                .map(|bytes| Entry::executable(file, bytes))
                .with_context(|| format!("could not read `{}`", path.display()))
        };
        let together = TOGETHER.iter().map(|name| read(name));
        let alone = ALONE
            .iter()
            .filter(|name| folder.join(format!("{name}{suffix}")).exists());
        Ok(Self {
            target: target.to_owned(),
            together: together.collect::<Result<_, _>>()?,
            alone: alone.map(|name| read(name)).collect::<Result<_, _>>()?,
            folder: project.root.join(folder),
        })
    }
}

/// The ending of executables.
pub(crate) fn suffix(target: &str) -> &'static str {
    if target.contains("-windows-") {
        ".exe"
    } else {
        ""
    }
}

/// The target in the names of variables.
pub(crate) fn cargo_name(target: &str) -> String {
    target.replace('-', "_")
}

fn run(
    mut command: Command,
    project: &Project,
    target: &str,
    packages: &[&str],
) -> anyhow::Result<()> {
    say(&format!("building {} for {target}", packages.join(", ")));
    clean(&mut command);
    command
        .args(["--release", "--locked"])
        .current_dir(&project.root)
        .env("CARGO_TARGET_DIR", &project.target_folder)
        // cargo hands these to the compiler one by one, whatever characters they have.
        .env("CARGO_ENCODED_RUSTFLAGS", flags(project))
        .env(format!("CFLAGS_{}", cargo_name(target)), c_flags(project))
        .env("SOURCE_DATE_EPOCH", project.time.to_string())
        .env_remove("RUSTFLAGS");
    if target.ends_with("-linux-musl") {
        command.env(format!("CC_{}", cargo_name(target)), tools::MUSL_COMPILER);
    }
    for package in packages {
        command.args(["--package", package]);
    }
    let status = command.status().context("could not run cargo")?;
    if !status.success() {
        bail!("the executables could not be built");
    }
    Ok(())
}

/// Stands for the folder of the toolchain, in which there is no C.
const TOOLCHAIN: &str = "/rustup";

/// Folders of this machine, and what stands for them in messages of panics and assertions.
pub(crate) fn folders(project: &Project) -> Vec<(PathBuf, &'static str)> {
    let mut folders = vec![
        (tools::home("CARGO_HOME", ".cargo"), "/cargo"),
        (tools::home("RUSTUP_HOME", ".rustup"), TOOLCHAIN),
    ];
    // The last one that fits counts.
    folders.push((project.root.clone(), "/bot-cli"));
    if !project.target_folder.starts_with(&project.root) {
        folders.push((project.target_folder.clone(), "/bot-cli/target"));
    }
    folders
}

fn flags(project: &Project) -> OsString {
    let mut flags = OsString::new();
    for (index, (folder, name)) in folders(project).iter().enumerate() {
        flags.push(if index == 0 { "" } else { "\u{1f}" });
        flags.push("--remap-path-prefix=");
        flags.push(folder);
        flags.push(format!("={name}"));
    }
    flags
}

/// The same for C, in assertions. Its compilers take flags apart at spaces: a folder with one stays as it is.
fn c_flags(project: &Project) -> String {
    if cfg!(windows) {
        return String::new();
    }
    let folders = folders(project);
    let names = folders.iter().filter(|(_, name)| *name != TOOLCHAIN);
    let names = names.filter_map(|(folder, name)| Some((folder.to_str()?, name)));
    let flags = names
        .filter(|(folder, _)| !folder.contains(char::is_whitespace))
        .map(|(folder, name)| format!("-ffile-prefix-map={folder}={name}"));
    flags.collect::<Vec<_>>().join(" ")
}

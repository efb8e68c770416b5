//! `cargo xtask dist`: builds all artefacts for one target.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, bail};
use clap::Args;

use crate::archive::{self, Entry};
use crate::contents::Contents;
use crate::project::{ALONE, HOST, Project, TOGETHER, cargo, output, run, say};
use crate::{contents, wheel};

#[derive(Debug, Args)]
pub(crate) struct DistArguments {
    /// Target of the executables [default: static executables for Linux on x86-64]
    #[arg(
        long,
        value_name = "TRIPLE",
        default_value = "x86_64-unknown-linux-musl",
        hide_default_value = true
    )]
    pub(crate) target: String,
    /// Folder for the artefacts
    #[arg(long, value_name = "FOLDER", default_value = "dist")]
    pub(crate) out: PathBuf,
    /// Pack the executables of this folder instead of building any
    #[arg(long, value_name = "FOLDER")]
    pub(crate) executables: Option<PathBuf>,
}

const INSTALLER: &str = include_str!("../assets/install.sh");

/// The C compiler in Debian's `musl-tools` package.
const MUSL_COMPILER: &str = "musl-gcc";

pub(crate) fn make(project: &Project, arguments: &DistArguments) -> anyhow::Result<()> {
    let target = &arguments.target;
    let folder = match &arguments.executables {
        Some(folder) => project.root.join(folder),
        None => build(project, target)?,
    };
    say("packing");
    let time = time(project)?;
    let contents = Contents::of(project, &folder, target)?;
    let archive = |package: &str, entries: &[Entry]| {
        let version = project.fact(package, "version")?;
        let stem = format!("{package}-{version}-{target}");
        let bytes = archive::packed(&stem, entries, time)?;
        anyhow::Ok(Entry::data(format!("{stem}.tar.gz"), bytes))
    };
    let mut artefacts = vec![
        archive(HOST, &contents.installed())?,
        wheel::packed(project, &contents)?,
    ];
    if folder.join(contents::executable(ALONE, target)).exists() {
        let mut entries = contents::licences(project, target, &[ALONE])?;
        entries.push(contents::read(&folder, ALONE, target)?);
        artefacts.push(archive(ALONE, &entries)?);
    }
    artefacts.sort_by(|one, other| one.path.cmp(&other.path));
    let mut sums = String::new();
    for entry in &artefacts {
        let _ = writeln!(sums, "{}  {}", entry.sum(), entry.path);
    }
    artefacts.push(Entry::data("SHA256SUMS", sums));
    // The installer verifies the checksums, so the list omits the installer itself. The archive is downloaded from the project's
    // homepage, if set.
    let installer = INSTALLER.replace("@SOURCE@", project.homepage());
    artefacts.push(Entry::data("install.sh", installer));
    let out = project.root.join(&arguments.out);
    fs::create_dir_all(&out).with_context(|| format!("could not create `{}`", out.display()))?;
    for artefact in &artefacts {
        let path = out.join(&artefact.path);
        fs::write(&path, &artefact.bytes)
            .with_context(|| format!("could not write `{}`", path.display()))?;
        say(&format!("{:>10}  {}", artefact.bytes.len(), path.display()));
    }
    Ok(())
}

fn build(project: &Project, target: &str) -> anyhow::Result<PathBuf> {
    let is_musl = target.ends_with("-linux-musl");
    let compiler = Command::new(MUSL_COMPILER).arg("--version").output();
    if is_musl && compiler.is_err() {
        bail!("`{MUSL_COMPILER}` is missing\nhint: apt-get install musl-tools");
    }
    // Panic messages must not contain local paths.
    let cargo_home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(env::home_dir()?.join(".cargo")))
        .unwrap_or_default();
    let renamed = [(cargo_home, "/cargo"), (project.root.clone(), "/bot-cli")];
    let flags = renamed
        .map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()))
        .join("\u{1f}");
    let mut head = Command::new("git");
    head.args(["rev-parse", "HEAD"]).current_dir(&project.root);
    let commit = output(&mut head).ok();
    // Build separately, so that the standalone package doesn't enable features in the crates of the others.
    for packages in [&TOGETHER[..], &[ALONE]] {
        let mut command = cargo(&project.root);
        command
            .args(["build", "--release", "--locked", "--target", target])
            .args(packages.iter().flat_map(|package| ["--package", package]))
            // Cargo passes these to the compiler separately, whatever characters they contain.
            .env("CARGO_ENCODED_RUSTFLAGS", &flags)
            .env_remove("RUSTFLAGS")
            .envs(
                commit
                    .iter()
                    .map(|commit| ("BOT_CLI_COMMIT", commit.trim())),
            );
        if is_musl {
            let variable = format!("CC_{}", target.replace('-', "_"));
            command.env(variable, MUSL_COMPILER);
        }
        run(&mut command)?;
    }
    Ok(project.target_folder.join(target).join("release"))
}

/// Returns the timestamp for files in archives, in seconds since 1970: `SOURCE_DATE_EPOCH`, or the time of the last commit.
fn time(project: &Project) -> anyhow::Result<u64> {
    let text = match env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => output(
            Command::new("git")
                .args(["log", "-1", "--format=%ct"])
                .current_dir(&project.root),
        )?,
    };
    let time = text.trim().parse();
    time.with_context(|| format!("`{}` is no time in seconds", text.trim()))
}

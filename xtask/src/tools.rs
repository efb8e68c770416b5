//! The tools that a build needs beside cargo, and how they are had.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

use crate::progress::say;
use crate::project::{Project, cargo};

/// What writes the crates of an executable into it, where tools that look for vulnerable ones find them.
const AUDITABLE: &str = "cargo-auditable";
const AUDITABLE_VERSION: &str = "0.7.7";

/// The C compiler of Debian's `musl-tools`.
pub(crate) const MUSL_COMPILER: &str = "musl-gcc";

/// Makes sure that a target can be built, as far as that can be known beforehand. Nothing is installed unless that is asked for.
pub(crate) fn prepare(project: &Project, target: &str, installs: bool) -> anyhow::Result<()> {
    let mut lacks = Vec::new();
    if !auditable(project).is_file() && !is_there(AUDITABLE) {
        let mut command = cargo(&project.root);
        command
            .args(["install", "--quiet", "--locked", AUDITABLE])
            .args(["--version", AUDITABLE_VERSION, "--root"])
            .arg(folder(project));
        lacks.push((AUDITABLE, command));
    }
    if !has_target(target)? {
        let command = rustup_target(project, target);
        lacks.push(("the standard library of the target", command));
    }
    if target.ends_with("-linux-musl") && !is_there(MUSL_COMPILER) {
        let mut command = Command::new("apt-get");
        command
            .args([
                "install",
                "-y",
                "-qq",
                "--no-install-recommends",
                "musl-tools",
            ])
            .env("DEBIAN_FRONTEND", "noninteractive");
        lacks.push(("a C compiler for musl", command));
    }
    if !installs && !lacks.is_empty() {
        let names: Vec<&str> = lacks.iter().map(|(name, _)| *name).collect();
        bail!(
            "missing: {}\nhint: `cargo xtask dist --install` installs what is missing",
            names.join(", ")
        );
    }
    for (name, mut command) in lacks {
        say(&format!("installing {name}"));
        run(&mut command)?;
    }
    Ok(())
}

/// Makes sure that the standard library of a target is there.
pub(crate) fn add_target(project: &Project, target: &str, installs: bool) -> anyhow::Result<()> {
    if has_target(target)? {
        return Ok(());
    }
    if !installs {
        bail!(
            "the standard library of {target} is missing\nhint: `cargo xtask check --install` installs what is missing"
        );
    }
    say(&format!("installing the standard library of {target}"));
    run(&mut rustup_target(project, target))
}

fn rustup_target(project: &Project, target: &str) -> Command {
    let mut command = Command::new("rustup");
    command
        .args(["target", "add", target])
        .current_dir(&project.root);
    command
}

/// Runs a command of which only the outcome counts. Standard output is for the name of an artefact.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command
        .stdin(Stdio::null())
        .stdout(std::io::stderr())
        .status();
    let line = shown(command);
    if !status
        .with_context(|| format!("could not run `{line}`"))?
        .success()
    {
        bail!("`{line}` failed");
    }
    Ok(())
}

/// `cargo auditable build`.
pub(crate) fn cargo_auditable(project: &Project) -> anyhow::Result<Command> {
    let ours = auditable(project);
    let program = if ours.is_file() {
        ours
    } else {
        AUDITABLE.into()
    };
    if !program.is_file() && !is_there(AUDITABLE) {
        bail!("cargo-auditable is missing\nhint: `cargo xtask dist --install` installs it");
    }
    let mut command = Command::new(program);
    command.args(["auditable", "build"]);
    Ok(command)
}

/// The target of the toolchain itself.
pub(crate) fn this_machine() -> anyhow::Result<String> {
    let said = rustc(&["--version", "--verbose"])?;
    let line = said.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned)
        .context("rustc does not name its target")
}

/// The folder of the toolchain.
pub(crate) fn sysroot() -> anyhow::Result<PathBuf> {
    Ok(rustc(&["--print", "sysroot"])?.trim().into())
}

/// A folder of cargo's or rustup's that a variable may name.
pub(crate) fn home(variable: &str, name: &str) -> PathBuf {
    env::var_os(variable).map_or_else(
        || env::home_dir().unwrap_or_default().join(name),
        PathBuf::from,
    )
}

fn folder(project: &Project) -> PathBuf {
    project.target_folder.join("tools")
}

fn auditable(project: &Project) -> PathBuf {
    let name = format!("{AUDITABLE}{}", env::consts::EXE_SUFFIX);
    folder(project).join("bin").join(name)
}

fn has_target(target: &str) -> anyhow::Result<bool> {
    let libraries = sysroot()?.join("lib/rustlib").join(target).join("lib");
    Ok(libraries.is_dir())
}

pub(crate) fn is_there(program: &str) -> bool {
    let status = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok()
}

fn rustc(words: &[&str]) -> anyhow::Result<String> {
    let program = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(program)
        .args(words)
        .output()
        .context("could not run rustc")?;
    if !output.status.success() {
        bail!("`rustc {}` failed", words.join(" "));
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn shown(command: &Command) -> String {
    let words = [command.get_program()]
        .into_iter()
        .chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

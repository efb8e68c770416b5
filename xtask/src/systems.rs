//! `cargo xtask check`: the product compiles without a warning for systems that this machine can't run.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::bail;
use clap::Args;

use crate::project::{
    ALONE, HOST, Project, TOGETHER, add_target, cargo, is_there, output, run, this_machine,
    variable,
};

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Targets to check [default: Windows and macOS]
    #[arg(
        value_name = "TRIPLE",
        default_values = ["x86_64-pc-windows-gnu", "aarch64-apple-darwin"],
        hide_default_value = true
    )]
    targets: Vec<String>,
    /// Check for this machine instead, with the oldest Rust that `Cargo.toml` promises
    #[arg(long, conflicts_with = "targets")]
    oldest_rust: bool,
    /// Install what is missing: targets and toolchain with rustup, and Zig, a C compiler for all systems, under target/ with pip
    #[arg(long)]
    install: bool,
}

/// Some crates bring C, which is compiled for a check, too.
const ZIG: &str = "ziglang==0.17.0";

/// Checks all product crates.
pub(crate) fn check(project: &Project, arguments: &CheckArguments) -> anyhow::Result<()> {
    if arguments.oldest_rust {
        return with_oldest_rust(project, arguments.install);
    }
    for target in &arguments.targets {
        add_target(project, target, arguments.install)?;
        let mut command = cargo(&project.root);
        command
            .args(["clippy", "--locked", "--target", target])
            .args(product());
        let compiler = variable("CC", target);
        if env::var_os(&compiler).is_none() && !has_compiler(target)? {
            command.env(compiler, zig(project, target, arguments.install)?);
            // Only Apple's own tools could tell where the headers of the system are. Zig has its own.
            command.env("SDKROOT", "/");
        }
        run(command.args(["--", "-D", "warnings"]))?;
    }
    Ok(())
}

/// Only the compiler is that old: newer lints would ask for what it does not know.
fn with_oldest_rust(project: &Project, installs: bool) -> anyhow::Result<()> {
    let version = project.fact(HOST, "rust_version")?;
    if installs {
        let install = ["toolchain", "install", version, "--profile", "minimal"];
        run(Command::new("rustup").args(install).arg("--no-self-update"))?;
    }
    let mut command = Command::new("rustup");
    command
        .args(["run", version, "cargo", "check", "--locked"])
        .args(product())
        .current_dir(&project.root)
        // rustup has set it for the toolchain of this process.
        .env_remove("RUSTUP_TOOLCHAIN");
    run(&mut command)
}

fn product() -> impl Iterator<Item = String> {
    let packages = TOGETHER.into_iter().chain([ALONE]);
    packages.map(|package| format!("--package={package}"))
}

/// Whether the compiler that the build scripts look for is there.
fn has_compiler(target: &str) -> anyhow::Result<bool> {
    let mingw = Path::new("x86_64-w64-mingw32-gcc");
    Ok(target == this_machine()? || target == "x86_64-pc-windows-gnu" && is_there(mingw))
}

/// A C compiler for the target: a script that starts Zig with the name that it has for it.
fn zig(project: &Project, target: &str, installs: bool) -> anyhow::Result<PathBuf> {
    let compiler = variable("CC", target);
    let folder = project.target_folder.join("tools/zig");
    let python = folder.join("bin/python3");
    if output(Command::new(&python).args(["-m", "ziglang", "version"])).is_err() {
        if !installs {
            bail!(
                "there is no C compiler for {target}\n\
                 hint: `cargo xtask check --install` installs one, or name one in `{compiler}`"
            );
        }
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", ZIG]))?;
    }
    let system = match target {
        "aarch64-apple-darwin" => "aarch64-macos",
        "x86_64-apple-darwin" => "x86_64-macos",
        "x86_64-pc-windows-gnu" => "x86_64-windows-gnu",
        _ => bail!("no name of Zig is known for {target}: name a C compiler in `{compiler}`"),
    };
    let script = folder.join(format!("cc-{target}"));
    let text = WRAPPER
        .replace("@PYTHON@", &python.to_string_lossy())
        .replace("@TARGET@", system);
    fs::write(&script, text)?;
    run(Command::new("chmod").arg("+x").arg(&script))?;
    Ok(script)
}

/// Build scripts name the target as clang does, which Zig does not know.
const WRAPPER: &str = "\
#!/bin/sh
for word do
    shift
    case $word in
    --target=* | -mmacosx-version-min=*) ;;
    *) set -- \"$@\" \"$word\" ;;
    esac
done
exec '@PYTHON@' -m ziglang cc -target @TARGET@ \"$@\"
";

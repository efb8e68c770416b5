//! `cargo xtask check`: the product compiles without a warning for systems that this machine can't run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use clap::Args;

use crate::executables::cargo_name;
use crate::progress::say;
use crate::project::{ALONE, Project, TOGETHER, cargo, clean};
use crate::tools::{self, run};

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
        tools::add_target(project, target, arguments.install)?;
        let mut command = cargo(&project.root);
        command.args(["clippy", "--locked", "--target", target]);
        command.args(product());
        let variable = format!("CC_{}", cargo_name(target));
        if std::env::var_os(&variable).is_none() && !has_compiler(target)? {
            command.env(variable, zig(project, target, arguments.install)?);
            // Only Apple's own tools could tell where the headers of the system are. Zig has its own.
            command.env("SDKROOT", "/");
        }
        say(&format!("checking for {target}"));
        let status = command
            .args(["--", "-D", "warnings"])
            .status()
            .context("could not run cargo")?;
        if !status.success() {
            bail!("the product does not compile for {target}");
        }
    }
    Ok(())
}

/// Only the compiler is that old: newer lints would ask for what it does not know.
fn with_oldest_rust(project: &Project, installs: bool) -> anyhow::Result<()> {
    let version = project.oldest_rust()?;
    if installs {
        let install = ["toolchain", "install", version, "--profile", "minimal"];
        run(Command::new("rustup").args(install).arg("--no-self-update"))?;
    }
    say(&format!("checking with Rust {version}"));
    let mut command = Command::new("rustup");
    clean(&mut command);
    command
        .args(["run", version, "cargo", "check", "--locked"])
        .args(product())
        .current_dir(&project.root)
        // rustup has set it for the toolchain of this process.
        .env_remove("RUSTUP_TOOLCHAIN");
    let status = command.status().context("could not run rustup")?;
    if !status.success() {
        bail!(
            "the product does not compile with Rust {version}, or that is missing\n\
             hint: `cargo xtask check --oldest-rust --install` installs it"
        );
    }
    Ok(())
}

fn product() -> impl Iterator<Item = String> {
    let packages = TOGETHER.iter().chain(&ALONE);
    packages.map(|package| format!("--package={package}"))
}

/// Whether the compiler that the build scripts look for is there.
fn has_compiler(target: &str) -> anyhow::Result<bool> {
    Ok(target == tools::this_machine()?
        || target == "x86_64-pc-windows-gnu" && tools::is_there("x86_64-w64-mingw32-gcc"))
}

/// A C compiler for the target: a script that starts Zig with the name that it has for it.
fn zig(project: &Project, target: &str, installs: bool) -> anyhow::Result<PathBuf> {
    let folder = project.target_folder.join("tools/zig");
    let python = folder.join("bin/python3");
    if !runs_zig(&python) {
        if !installs {
            bail!(
                "there is no C compiler for {target}\n\
                 hint: `cargo xtask check --install` installs one, or name one in `CC_{}`",
                cargo_name(target)
            );
        }
        say(&format!("installing {ZIG}"));
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", ZIG]))?;
    }
    let machine = target.split('-').next().unwrap_or_default();
    let system = match target {
        _ if target.ends_with("-apple-darwin") => "macos",
        _ if target.ends_with("-windows-gnu") => "windows-gnu",
        _ => bail!(
            "no name of Zig is known for {target}: name a C compiler in `CC_{}`",
            cargo_name(target)
        ),
    };
    let script = folder.join(format!("cc-{target}"));
    let text = WRAPPER
        .replace("@PYTHON@", &python.to_string_lossy())
        .replace("@TARGET@", &format!("{machine}-{system}"));
    write_script(&script, &text)?;
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

fn write_script(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("could not write `{}`", path.display()))?;
    run(Command::new("chmod").arg("+x").arg(path))
}

fn runs_zig(python: &Path) -> bool {
    let mut command = Command::new(python);
    command
        .args(["-m", "ziglang", "version"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

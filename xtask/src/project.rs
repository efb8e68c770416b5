//! The project as cargo describes it, and the programs that a build needs.

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use serde_json::Value;

/// The packages whose executables belong together, the host first.
pub(crate) const TOGETHER: [&str; 5] = [
    HOST,
    "bot-cli-plugin",
    "bot-cli-init",
    "bot-cli-dev",
    "bot-cli-cloud",
];

/// The host's package, whose version is that of what users install.
pub(crate) const HOST: &str = "bot-cli";

/// Packed alone. Few people have a cluster, and this one has a version of its own: beside the host it would be twice the download,
/// and could not be updated alone.
pub(crate) const ALONE: &str = "bot-cli-secrets-kubernetes";

/// The project in this folder, as `cargo metadata` describes it.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) root: PathBuf,
    /// Cargo's folder for what it builds.
    pub(crate) target_folder: PathBuf,
    packages: Vec<Value>,
}

impl Project {
    pub(crate) fn read() -> anyhow::Result<Self> {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let metadata =
            output(cargo(root).args(["metadata", "--format-version=1", "--no-deps", "--locked"]))?;
        let metadata: Value = serde_json::from_str(&metadata)?;
        let folder = |key: &str| metadata[key].as_str().map(PathBuf::from);
        Ok(Self {
            root: folder("workspace_root").context("cargo names no root of the workspace")?,
            target_folder: folder("target_directory").context("cargo names no target folder")?,
            packages: metadata["packages"].as_array().cloned().unwrap_or_default(),
        })
    }

    /// A member of a package's description, such as `version`.
    pub(crate) fn fact(&self, package: &str, key: &str) -> anyhow::Result<&str> {
        let mut packages = self.packages.iter();
        let package = packages.find(|one| one["name"] == package);
        let fact = package.and_then(|package| package[key].as_str());
        fact.with_context(|| format!("a package has no `{key}`"))
    }

    /// The address below which the files of the newest release lie; empty while nothing is published.
    pub(crate) fn homepage(&self) -> &str {
        self.fact(HOST, "homepage").unwrap_or_default()
    }

    /// The contents of a file.
    pub(crate) fn file(&self, path: &str) -> anyhow::Result<Vec<u8>> {
        fs::read(self.root.join(path)).with_context(|| format!("could not read `{path}`"))
    }
}

/// Cargo in `folder`.
pub(crate) fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder);
    command
}

/// Runs a command whose standard output is the result.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .output()
        .with_context(|| format!("could not run `{}`", shown(command)))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` failed: {}", shown(command), said.trim());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Runs a command of which only the outcome counts.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    say(&shown(command));
    let status = command
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .status()
        .with_context(|| format!("could not run `{}`", shown(command)))?;
    if !status.success() {
        bail!("`{}` failed", shown(command));
    }
    Ok(())
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

/// Progress of what takes minutes.
pub(crate) fn say(line: &str) {
    // A closed standard error is no reason to stop.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Makes sure that the standard library of a target is there.
pub(crate) fn add_target(project: &Project, target: &str, installs: bool) -> anyhow::Result<()> {
    let libraries = sysroot()?.join("lib/rustlib").join(target).join("lib");
    if libraries.is_dir() {
        return Ok(());
    }
    if !installs {
        bail!("the standard library of {target} is missing\nhint: --install installs it");
    }
    let mut rustup = Command::new("rustup");
    run(rustup
        .args(["target", "add", target])
        .current_dir(&project.root))
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

fn rustc(words: &[&str]) -> anyhow::Result<String> {
    let program = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    output(Command::new(program).args(words))
}

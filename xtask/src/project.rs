//! The workspace's `cargo metadata`, and the programs that a build runs.

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use serde_json::Value;

/// The packages whose executables are shipped together, with the host first.
pub const TOGETHER: [&str; 5] = [
    HOST,
    "bot-cli-plugin",
    "bot-cli-init",
    "bot-cli-dev",
    "bot-cli-cloud",
];

/// The host's package, which determines the version of the artefacts.
pub(crate) const HOST: &str = "bot-cli";

/// The package that is shipped separately. Few users have a cluster, and the package has its own version. Shipping it with the host would
/// double the download and prevent separate updates.
pub(crate) const ALONE: &str = "bot-cli-secrets-kubernetes";

#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) root: PathBuf,
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

    /// Returns a field of a package's metadata, such as `version`.
    pub(crate) fn fact(&self, package: &str, key: &str) -> anyhow::Result<&str> {
        let mut packages = self.packages.iter();
        let package = packages.find(|one| one["name"] == package);
        let fact = package.and_then(|package| package[key].as_str());
        fact.with_context(|| format!("a package has no `{key}`"))
    }

    /// Returns the base URL of the latest release's files, or an empty string if nothing is published.
    pub(crate) fn homepage(&self) -> &str {
        self.fact(HOST, "homepage").unwrap_or_default()
    }

    /// Reads a file relative to the workspace root.
    pub(crate) fn file(&self, path: &str) -> anyhow::Result<Vec<u8>> {
        fs::read(self.root.join(path)).with_context(|| format!("could not read `{path}`"))
    }
}

pub(crate) fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder);
    command
}

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

/// Runs a command with its output on standard error. Fails if the command fails.
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

pub(crate) fn say(line: &str) {
    // A closed standard error must not stop the build.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Returns the host target of the toolchain.
pub(crate) fn this_machine() -> anyhow::Result<String> {
    let said = rustc(&["--version", "--verbose"])?;
    let line = said.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned)
        .context("rustc does not name its target")
}

pub(crate) fn sysroot() -> anyhow::Result<PathBuf> {
    Ok(rustc(&["--print", "sysroot"])?.trim().into())
}

fn rustc(words: &[&str]) -> anyhow::Result<String> {
    let program = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    output(Command::new(program).args(words))
}

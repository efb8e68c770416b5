//! The facts about the project that artefacts repeat.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use serde_json::Value;

/// The host's package, whose version is that of what users install.
const HOST: &str = "bot-cli";

/// The packages whose executables belong together, the host first.
pub(crate) const TOGETHER: [&str; 5] = [
    HOST,
    "bot-cli-plugin",
    "bot-cli-init",
    "bot-cli-dev",
    "bot-cli-cloud",
];

/// Those that are packed alone. Few people have a cluster, and this one has a version of its own: beside the host it would be
/// twice the download, and could not be updated alone.
pub(crate) const ALONE: [&str; 1] = ["bot-cli-secrets-kubernetes"];

/// The project in this folder, as `cargo metadata` describes it.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) root: PathBuf,
    /// Cargo's folder for what it builds.
    pub(crate) target_folder: PathBuf,
    /// The time of the commit, in seconds since 1970: that of every file in an artefact.
    pub(crate) time: u64,
    /// What the workspace says about the wheel.
    wheel: Value,
    packages: Vec<Value>,
}

impl Project {
    pub(crate) fn read() -> anyhow::Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("the project has no folder")?;
        let output = cargo(root)
            .args(["metadata", "--format-version=1", "--no-deps", "--locked"])
            .output()
            .with_context(|| format!("could not run cargo in `{}`", root.display()))?;
        if !output.status.success() {
            bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        // As cargo names it, so that the folders of the members begin with it.
        let root = metadata["workspace_root"].as_str();
        let root = PathBuf::from(root.context("cargo names no root of the workspace")?);
        let target = metadata["target_directory"].as_str();
        Ok(Self {
            target_folder: target.context("cargo names no target folder")?.into(),
            time: time(&root)?,
            wheel: metadata["metadata"]["wheel"].clone(),
            packages: metadata["packages"].as_array().cloned().unwrap_or_default(),
            root,
        })
    }

    /// The version of a member.
    pub(crate) fn version_of(&self, package: &str) -> anyhow::Result<&str> {
        let version = self.package(package)?["version"].as_str();
        version.with_context(|| format!("`{package}` has no version"))
    }

    fn package(&self, name: &str) -> anyhow::Result<&Value> {
        let mut packages = self.packages.iter();
        packages
            .find(|one| one["name"] == name)
            .with_context(|| format!("there is no package `{name}`"))
    }

    /// The oldest Rust that the product promises to compile with.
    pub(crate) fn oldest_rust(&self) -> anyhow::Result<&str> {
        let version = self.package(HOST)?["rust_version"].as_str();
        version.with_context(|| format!("`{HOST}` names no version of Rust"))
    }

    /// The version of what is installed together.
    pub(crate) fn version(&self) -> anyhow::Result<&str> {
        self.version_of(HOST)
    }

    /// The address below which the files of the newest release lie; empty while nothing is published.
    pub(crate) fn homepage(&self) -> anyhow::Result<&str> {
        Ok(self.package(HOST)?["homepage"].as_str().unwrap_or_default())
    }

    /// The name of the Python distribution, and of the executable that starts the host there.
    pub(crate) fn distribution(&self) -> anyhow::Result<&str> {
        self.setting("name")
    }

    /// A text about the wheel.
    pub(crate) fn setting(&self, key: &str) -> anyhow::Result<&str> {
        let value = self.wheel[key].as_str();
        value.with_context(|| format!("`workspace.metadata.wheel` has no text `{key}`"))
    }

    /// A list of texts about the wheel.
    pub(crate) fn settings(&self, key: &str) -> impl Iterator<Item = &str> {
        let list = self.wheel[key].as_array();
        list.into_iter().flatten().filter_map(Value::as_str)
    }

    /// The contents of a file.
    pub(crate) fn file(&self, path: &str) -> anyhow::Result<Vec<u8>> {
        fs::read(self.root.join(path)).with_context(|| format!("could not read `{path}`"))
    }
}

/// Cargo in `folder`, without the variables that it set for this process.
pub(crate) fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    clean(&mut command);
    command.current_dir(folder);
    command
}

/// What `cargo run` tells an executable is not for the cargo that this one starts.
pub(crate) fn clean(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let told = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        });
        if told {
            command.env_remove(name);
        }
    }
}

/// `SOURCE_DATE_EPOCH`, or the time of the last commit.
fn time(root: &Path) -> anyhow::Result<u64> {
    let text = if let Ok(text) = env::var("SOURCE_DATE_EPOCH") {
        text
    } else {
        let output = Command::new("git")
            .args(["log", "-1", "--format=%ct"])
            .current_dir(root)
            .output()
            .context("could not run git, which knows the time of the commit")?;
        if !output.status.success() {
            bail!(
                "this is no clone of the repository: set SOURCE_DATE_EPOCH to the time of the source"
            );
        }
        String::from_utf8(output.stdout)?
    };
    text.trim()
        .parse()
        .with_context(|| format!("`{}` is no time in seconds", text.trim()))
}

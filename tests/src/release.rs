//! The executables as users have them, for those who measure: optimized, each under its own name.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::nested_cargo::nested_cargo;

/// Executables by their names.
pub struct Executables(BTreeMap<String, PathBuf>);

impl Executables {
    /// Builds the executables of these packages. `options` are more words for `cargo build`, such as `--target`.
    pub fn build(packages: &[&str], options: impl IntoIterator<Item = OsString>) -> Result<Self> {
        let mut command = nested_cargo();
        command
            .args([
                "build",
                "--release",
                "--message-format=json-render-diagnostics",
            ])
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        for package in packages {
            command.args(["--package", package]);
        }
        let built = command
            .args(options)
            .stderr(Stdio::inherit())
            .output()
            .context("could not run cargo")?;
        ensure!(built.status.success(), "cargo build: {}", built.status);
        let mut executables = BTreeMap::new();
        for line in String::from_utf8(built.stdout)?.lines() {
            let message: Value = serde_json::from_str(line)?;
            if let (Some(name), Some(file)) = (
                message["target"]["name"].as_str(),
                message["executable"].as_str(),
            ) {
                executables.insert(name.to_owned(), PathBuf::from(file));
            }
        }
        Ok(Self(executables))
    }

    /// The executable `name`.
    pub fn path(&self, name: &str) -> Result<&str> {
        let path = self.0.get(name).and_then(|path| path.to_str());
        path.with_context(|| format!("cargo has built no `{name}`"))
    }
}

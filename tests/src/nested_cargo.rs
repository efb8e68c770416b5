//! Runs cargo from a process that cargo itself started.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Returns a command for the same cargo, without the package variables that cargo sets for its tests. Those variables would cause the
/// packages to be rebuilt.
pub fn nested_cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        let told = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        });
        if told {
            cargo.env_remove(name);
        }
    }
    cargo
}

/// Runs a cargo build command and returns the executables by name.
pub fn built(cargo: &mut Command) -> Result<BTreeMap<String, PathBuf>, String> {
    let output = cargo
        .arg("--message-format=json-render-diagnostics")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("could not run cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("{cargo:?}: {}", output.status));
    }
    let lines = output.stdout.split(|byte| *byte == b'\n');
    let messages = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let executables = messages.filter_map(|message| {
        let name = message["target"]["name"].as_str()?;
        Some((name.to_owned(), message["executable"].as_str()?.into()))
    });
    Ok(executables.collect())
}

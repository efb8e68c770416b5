//! Cargo, started by what cargo itself has started.

use std::env;
use std::process::Command;

/// Returns a command for the same cargo. What it tells its tests about their package is not for the packages that it builds: these
/// would be built again.
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

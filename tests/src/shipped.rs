//! The artefacts that users install: packed from release builds, or built beforehand with `cargo xtask dist`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::python::target_folder;

/// The environment variable for an output folder of `cargo xtask dist`. If set, the artefacts in that folder are tested instead.
pub const VARIABLE: &str = "BOT_CLI_DIST";

/// The command that builds missing executables.
const BUILD: &str = "cargo build --release -p bot-cli -p bot-cli-plugin -p bot-cli-init -p bot-cli-dev -p bot-cli-cloud";
const NAMES: [&str; 5] = [
    "bot-cli",
    "bot-cli-plugin",
    "bot-cli-init",
    "bot-cli-dev",
    "bot-cli-cloud",
];

/// The source of the artefacts under test.
#[derive(Debug)]
pub enum Shipped {
    /// A folder of artefacts.
    Artefacts(PathBuf),
    /// A folder of executables to pack.
    Executables(PathBuf),
}

/// Finds the artefacts or executables. An error says what is missing and what to do.
pub fn find() -> Result<Shipped, String> {
    if let Some(folder) = env::var_os(VARIABLE) {
        let folder = target_folder()?.join("..").join(folder);
        return if folder.join("SHA256SUMS").is_file() {
            Ok(Shipped::Artefacts(folder))
        } else {
            Err(format!(
                "`{}` has no SHA256SUMS; `cargo xtask dist` makes one",
                folder.display()
            ))
        };
    }
    let folder = target_folder()?.join("release");
    for name in NAMES {
        let path = folder.join(name);
        let built = fs::metadata(&path).and_then(|facts| facts.modified());
        let Ok(built) = built else {
            return Err(format!("there is no release build: `{BUILD}`"));
        };
        if is_older(&folder.join(format!("{name}.d")), built) {
            return Err(format!(
                "the release build is older than its source: `{BUILD}`"
            ));
        }
    }
    Ok(Shipped::Executables(folder))
}

/// Reports whether a build is older than any source in `list`, a dependency file that cargo writes for `make`.
fn is_older(list: &Path, built: SystemTime) -> bool {
    let Ok(list) = fs::read_to_string(list) else {
        return true;
    };
    let sources = list.split_once(": ").map_or("", |(_, sources)| sources);
    // A space of a path is escaped.
    let sources = sources.trim().replace("\\ ", "\0");
    sources.split(' ').any(|source| {
        let source = source.replace('\0', " ");
        let changed = fs::metadata(source).and_then(|facts| facts.modified());
        !changed.is_ok_and(|changed| changed <= built)
    })
}

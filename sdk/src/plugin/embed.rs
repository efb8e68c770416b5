//! The manifest embedded in the executable. A test compares its file with the command tree.

use std::path::{Path, PathBuf};

use super::{Command, describe};
use bot_cli_protocol::{Manifest, Role};

/// A command tree with its embedded manifest. [`manifest!`](crate::manifest) implements this trait.
pub trait Declared {
    /// The embedded manifest with its marker.
    const MANIFEST: &'static str;
}

/// Returns the path of `file`, relative to the source file `source`. The compiler names source files relative to the workspace
/// root, so this tries all parents of `package`.
#[doc(hidden)]
pub fn beside(package: &str, source: &str, file: &str) -> PathBuf {
    let roots = Path::new(package).ancestors();
    let mut sources = roots.map(|root| root.join(source));
    let source = sources.find(|source| source.exists()).unwrap_or_default();
    source.with_file_name(file)
}

/// Checks that `file` and the executable contain the manifest of the command tree. The error explains how to fix it. If `UPDATE` is
/// set in the environment, writes the file instead. [`manifest!`](crate::manifest) adds this check as a test.
pub fn manifest_is_up_to_date<C: Command>(file: impl AsRef<Path>) -> Result<(), String> {
    let file = file.as_ref();
    // Only a command's manifest can be generated from the command tree alone.
    if C::ROLE != Role::Command && Manifest::find(C::MANIFEST.as_bytes()).is_err() {
        return Err(format!("`{}` is not a manifest", file.display()));
    }
    if std::env::var_os("UPDATE").is_some() {
        let described = text::<C>();
        if std::fs::read_to_string(file).ok().as_ref() != Some(&described) {
            std::fs::write(file, described)
                .map_err(|error| format!("could not write `{}`: {error}", file.display()))?;
        }
        return Ok(());
    }
    if is_stale::<C>() {
        return Err(format!(
            "`{}` is not the manifest of the command tree: run `UPDATE=1 cargo test`, and give the command `#[command(version)]`",
            file.display()
        ));
    }
    Ok(())
}

fn is_stale<C: Command>() -> bool {
    Manifest::find(C::MANIFEST.as_bytes()).ok() != Some(describe::manifest::<C>())
}

fn text<C: Command>() -> String {
    serde_json::to_string_pretty(&describe::manifest::<C>()).unwrap_or_default() + "\n"
}

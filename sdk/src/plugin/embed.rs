//! The manifest embedded in the executable, and a check that it matches the command tree.

use std::path::{Path, PathBuf};

use super::{Command, describe};
use bot_cli_protocol::{Manifest, Role};

/// A command tree with an embedded manifest. Implemented by [`manifest!`](crate::manifest).
pub trait Declared {
    /// The embedded manifest, including its marker.
    const MANIFEST: &'static str;
}

/// Resolves `file` relative to the source file `source`. The compiler reports source paths relative to the workspace root, so this function
/// tries all ancestors of `package`.
#[doc(hidden)]
pub fn beside(package: &str, source: &str, file: &str) -> PathBuf {
    let roots = Path::new(package).ancestors();
    let mut sources = roots.map(|root| root.join(source));
    let source = sources.find(|source| source.exists()).unwrap_or_default();
    source.with_file_name(file)
}

/// Checks that the manifest embedded from `file` matches the command tree. The error explains how to update the file. If the `UPDATE`
/// environment variable is set, writes the file instead. [`manifest!`](crate::manifest) adds this check as a test.
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

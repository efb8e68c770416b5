//! The manifest in the executable: a file of the package, which a test compares with the command tree.

use std::path::{Path, PathBuf};

use super::{Command, describe};
use bot_cli_protocol::{Manifest, Role};

/// A command tree with its manifest, as [`manifest!`](crate::manifest) declares it.
pub trait Declared {
    /// The manifest with its marker, as the executable has it.
    const MANIFEST: &'static str;
}

/// The path of `file`, named from the source file `source` of the package in the folder `package`. The compiler names sources
/// from the root of the workspace.
#[doc(hidden)]
pub fn beside(package: &str, source: &str, file: &str) -> PathBuf {
    let roots = Path::new(package).ancestors();
    let mut sources = roots.map(|root| root.join(source));
    let source = sources.find(|source| source.exists()).unwrap_or_default();
    source.with_file_name(file)
}

/// Whether `file` and the executable have the manifest that the command tree has; the error says what to do. With `UPDATE`
/// in the environment the file is written first. This is the test of [`manifest!`](crate::manifest).
pub fn manifest_is_up_to_date<C: Command>(file: impl AsRef<Path>) -> Result<(), String> {
    let file = file.as_ref();
    // Of a command, it can be made again from the command tree.
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

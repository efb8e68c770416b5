//! The manifest in the executable: a file of the package, which a test compares with the command tree.

use std::path::{Path, PathBuf};

use super::{Command, describe};
use bot_cli_protocol::{MARKER, Manifest, Role};

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

/// Returns the text of the file: the manifest without the version, which is that of the package.
fn text<C: Command>() -> String {
    let mut manifest = serde_json::to_value(describe::manifest::<C>()).unwrap_or_default();
    if let Some(members) = manifest.as_object_mut() {
        members.retain(|name, _| name != "version");
    }
    serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n"
}

/// Returns how many bytes [`embed`] makes.
#[doc(hidden)]
pub const fn length(file: &str, version: &str) -> usize {
    let parts = parts(file, version);
    let (mut length, mut part) = (0, 0);
    while part < parts.len() {
        length += parts[part].len();
        part += 1;
    }
    length
}

/// The manifest with its marker: the contents of `file`, and the version.
#[doc(hidden)]
pub const fn embed<const LENGTH: usize>(file: &str, version: &str) -> [u8; LENGTH] {
    let parts = parts(file, version);
    let mut bytes = [0; LENGTH];
    let (mut length, mut part) = (0, 0);
    while part < parts.len() {
        let mut byte = 0;
        while byte < parts[part].len() {
            bytes[length] = parts[part].as_bytes()[byte];
            length += 1;
            byte += 1;
        }
        part += 1;
    }
    bytes
}

const fn parts<'a>(file: &'a str, version: &'a str) -> [&'a str; 6] {
    let text = file.as_bytes();
    let mut start = 0;
    while start < text.len() && text[start] != b'{' {
        start += 1;
    }
    let mut member = start + 1;
    while member < text.len() && text[member].is_ascii_whitespace() {
        member += 1;
    }
    if member >= text.len() || text[member] == b'}' {
        return [MARKER, "{\"version\":\"", version, "\"", "}", "\n"];
    }
    let (_, members) = file.split_at(member);
    [MARKER, "{\"version\":\"", version, "\",", members, "\n"]
}

#[cfg(test)]
mod tests {
    use super::{embed, length};

    #[test]
    fn the_version_joins_what_stands_in_the_file() {
        const FILES: [(&str, &str); 3] = [
            ("{}", "{\"version\":\"1.2.3\"}"),
            ("{\n}\n", "{\"version\":\"1.2.3\"}"),
            (
                "{\n  \"name\": \"x\"\n}\n",
                "{\"version\":\"1.2.3\",\"name\": \"x\"\n}\n",
            ),
        ];
        macro_rules! embedded {
            ($index:literal) => {{
                const FILE: &str = FILES[$index].0;
                const BYTES: [u8; length(FILE, "1.2.3")] = embed(FILE, "1.2.3");
                (std::str::from_utf8(&BYTES).unwrap(), FILES[$index].1)
            }};
        }
        for (embedded, expected) in [embedded!(0), embedded!(1), embedded!(2)] {
            assert_eq!(embedded, format!("bot-cli-plugin: {expected}\n"));
        }
    }
}

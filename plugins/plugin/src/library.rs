//! The copy of a library in the folder of a plugin: `plugin new` writes it, and `plugin new --update` renews it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path};
use std::process;

use bot_cli_protocol::failure::{Exit, Failure, OrFail as _};
use bot_cli_protocol::outcome::Reply;
use bot_cli_sdk::libraries::{Library, PYTHON, TYPESCRIPT};
use serde_json::json;
use sha2::{Digest as _, Sha256};

/// The file that records the version of the copy and the checksum of each file, as `sha256sum` prints them.
const RECORD: &str = "SHA256SUMS";

/// The beginnings of the line with the version in the library's source.
const VERSIONS: [&str; 2] = ["__version__ = ", "export const version = "];

/// Writes a library and its record, and returns the paths of the files that changed. The record comes last, so that an update that was cut
/// off can be repeated.
pub fn copy(library: &Library, folder: &Path) -> io::Result<Vec<&'static str>> {
    let mut record = format!("# bot-cli-sdk {}\n", version(library));
    let mut written = Vec::new();
    for (path, text) in library.files {
        let sum = sum(text.as_bytes());
        record.extend([&sum, "  ", path, "\n"]);
        let file = folder.join(path);
        if fs::read(&file).is_ok_and(|found| found == text.as_bytes()) {
            continue;
        }
        replace(&file, text)?;
        written.push(*path);
    }
    replace(&folder.join(RECORD), &record)?;
    Ok(written)
}

/// Renews the library in the folder of a plugin.
pub fn update(plugin: &Path) -> Result<Reply, Failure> {
    let found = [&PYTHON, &TYPESCRIPT].into_iter().find_map(|library| {
        let folder = plugin.join(library.folder);
        let text = fs::read_to_string(folder.join(RECORD)).ok()?;
        Some((library, folder, text))
    });
    let Some((library, folder, text)) = found else {
        let message = format!(
            "there is no library that `plugin new` copied in `{}`",
            plugin.display()
        );
        return Err(Failure::new(Exit::Usage, "no_library", message)
            .hint("name the folder of a plugin in Python or TypeScript"));
    };
    check_plain(plugin, Path::new(library.folder))?;
    let mut lines = text.lines();
    let old = lines.next().and_then(|line| line.rsplit(' ').next());
    let recorded: BTreeMap<&str, &str> = lines
        .filter_map(|line| line.split_once("  "))
        .filter(|(_, path)| is_inside(path))
        .map(|(sum, path)| (path, sum))
        .collect();
    let renewed: BTreeMap<&str, String> = (library.files.iter())
        .map(|(path, text)| (*path, sum(text.as_bytes())))
        .collect();
    let shown = |path: &str| format!("{}/{path}", library.folder);
    let mut changed = BTreeSet::new();
    for path in recorded.keys().chain(renewed.keys()) {
        if !check_plain(&folder, Path::new(path))? {
            continue;
        }
        let could_not = format!("could not read `{}`", shown(path));
        let found = sum(&fs::read(folder.join(path)).or_fail(could_not)?);
        // A file that an interrupted update has already replaced is new, and not changed.
        if recorded.get(path) != Some(&&*found) && renewed.get(path) != Some(&found) {
            changed.insert(shown(path));
        }
    }
    if !changed.is_empty() {
        let names: Vec<String> = changed.iter().map(|path| format!("`{path}`")).collect();
        let message = format!(
            "the library has changes that an update would lose: {}",
            names.join(", ")
        );
        let hint = "move your changes into files of your own, and delete these files";
        return Err(Failure::new(Exit::Failed, "changed", message).hint(hint));
    }
    let could_not = format!("could not update `{}`", folder.display());
    let files: Vec<String> = (copy(library, &folder).or_fail(&*could_not)?.into_iter())
        .map(shown)
        .collect();
    let mut removed = Vec::new();
    for path in (recorded.keys()).filter(|path| !renewed.contains_key(*path)) {
        match fs::remove_file(folder.join(path)) {
            Ok(()) => removed.push(shown(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).or_fail(could_not),
        }
    }
    let (old, new) = (old.unwrap_or_default(), version(library));
    let mut text = match (files.is_empty() && removed.is_empty(), old == new) {
        (true, _) => format!("`{}` is up to date: {new}\n", library.folder),
        (false, true) => format!("Updated `{}`: {new}, with changes\n", library.folder),
        (false, false) => format!("Updated `{}` from {old} to {new}\n", library.folder),
    };
    for path in &files {
        text.extend(["  updated   ", path, "\n"]);
    }
    for path in &removed {
        text.extend(["  removed   ", path, "\n"]);
    }
    let data = json!({ "from": old, "to": new, "files": files, "removed": removed });
    Ok(Reply::text(text).data(data))
}

fn version(library: &Library) -> &'static str {
    let lines = library.files.iter().flat_map(|(_, text)| text.lines());
    let mut versions = lines.filter_map(|line| {
        let value = VERSIONS.iter().find_map(|start| line.strip_prefix(start))?;
        Some(value.trim_matches(['"', '\'', ';']))
    });
    versions.next().unwrap_or_default()
}

fn sum(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Reports whether a path of the record is a name below the folder.
fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    !path.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Reports whether there is a file or folder at `below` in `folder`. Fails if any part of the path is a link or a special file, which in a
/// cloned repository could lead anywhere.
fn check_plain(folder: &Path, below: &Path) -> Result<bool, Failure> {
    let mut path = folder.to_owned();
    for part in below.components() {
        path.push(part);
        let shown = path.display();
        match fs::symlink_metadata(&path) {
            Ok(facts) if facts.is_file() || facts.is_dir() => {}
            Ok(_) => {
                let message = format!("`{shown}` is neither a file nor a folder");
                return Err(Failure::new(Exit::Failed, "changed", message));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error).or_fail(format!("could not read `{shown}`")),
        }
    }
    Ok(true)
}

/// Writes a file in one step.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    let folder = file.parent().unwrap_or(file);
    fs::create_dir_all(folder)?;
    let draft = folder.join(format!(".update.{}", process::id()));
    fs::write(&draft, text)?;
    fs::rename(draft, file)
}

#[cfg(test)]
mod tests {
    use super::{PYTHON, TYPESCRIPT, version};

    #[test]
    fn both_libraries_have_the_version_of_their_package() {
        let python = include_str!("../../../sdk/python/pyproject.toml");
        assert!(python.contains(&format!("\nversion = \"{}\"\n", version(&PYTHON))));
        let typescript = include_str!("../../../sdk/typescript/package.json");
        assert!(typescript.contains(&format!("\n  \"version\": \"{}\",\n", version(&TYPESCRIPT))));
    }
}

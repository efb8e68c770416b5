//! The one plugin among the files of an archive or a folder.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use bot_cli_sdk::discovery::{PREFIX, PluginName};
use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::pack;
use bot_cli_sdk::terminal::one_line;

use super::built_for;

/// The most bytes of a plugin, and of everything in an archive.
pub const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// The most files of an archive.
pub const MOST_FILES: usize = 10_000;

/// The bytes of a file that show whether it can be run.
const HEAD: u64 = 512;

/// The most names in a message.
const MOST_NAMED: usize = 5;

/// What to do about a file that is not as its author made it.
pub const AGAIN: &str = "download it again, and compare the sum with that of its author";

/// A file of an archive.
pub struct Member<'a> {
    /// The path, relative and without `..`.
    pub path: PathBuf,
    /// The contents.
    pub content: &'a mut dyn Read,
}

/// The plugin that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// An executable.
    Executable(PathBuf),
    /// The folder of a pack, which is empty where the archive itself is that folder.
    Pack(PathBuf),
}

/// What was found in an archive so far.
#[derive(Debug, Default)]
pub struct Survey {
    seen: BTreeSet<PathBuf>,
    executables: Vec<PathBuf>,
    packs: Vec<PathBuf>,
    /// Files that have the name of a plugin, but can't be one.
    texts: Vec<PathBuf>,
}

impl Survey {
    /// Looks at a file.
    pub fn look(&mut self, member: &mut Member<'_>, of: &Path) -> Result<(), Failure> {
        let path = &member.path;
        if !self.seen.insert(path.clone()) {
            return Err(refused(of, &format!("it has `{}` twice", shown(path))));
        }
        if self.seen.len() > MOST_FILES {
            return Err(refused(of, &format!("it has more than {MOST_FILES} files")));
        }
        let file_name = path.file_name().unwrap_or_default();
        if file_name == pack::FILE {
            self.packs
                .push(path.parent().unwrap_or(Path::new("")).to_owned());
        } else if name(path).is_some() {
            let mut head = Vec::new();
            let read = member.content.take(HEAD).read_to_end(&mut head);
            read.map_err(|error| unreadable(of, error))?;
            if built_for::is_executable(&head) {
                self.executables.push(path.clone());
            } else {
                self.texts.push(path.clone());
            }
        }
        Ok(())
    }

    /// The plugin, if there is exactly one.
    pub fn choose(self, of: &Path) -> Result<Chosen, Failure> {
        let found = self.executables.len() + self.packs.len();
        match (self.executables.first(), self.packs.first()) {
            (Some(file), None) if found == 1 => return Ok(Chosen::Executable(file.clone())),
            (None, Some(folder)) if found == 1 => return Ok(Chosen::Pack(folder.clone())),
            _ => {}
        }
        let packs = self.packs.iter().map(|folder| folder.join(pack::FILE));
        let all: Vec<PathBuf> = self.executables.iter().cloned().chain(packs).collect();
        if !all.is_empty() {
            return Err(
                refused(of, &format!("it has {found} plugins: {}", named(&all)))
                    .hint("unpack it and add each by its file or folder"),
            );
        }
        if !self.texts.is_empty() {
            let problem = format!(
                "{} {} neither an executable nor a script that begins with `#!`",
                named(&self.texts),
                if self.texts.len() == 1 { "is" } else { "are" }
            );
            return Err(refused(of, &problem));
        }
        let seen: Vec<PathBuf> = self.seen.into_iter().collect();
        let problem = if seen.is_empty() {
            "it is empty".to_owned()
        } else {
            format!("there is no plugin in it, only {}", named(&seen))
        };
        Err(refused(of, &problem).hint(format!(
            "a plugin is an executable file `{PREFIX}NAME`, a provider pack may be a folder with a `{}`",
            pack::FILE
        )))
    }
}

/// The name of the plugin that has this file.
pub fn name(file: &Path) -> Option<PluginName> {
    let name = file.file_name()?.to_str()?.strip_prefix(PREFIX)?;
    let name = name
        .strip_suffix(std::env::consts::EXE_SUFFIX)
        .unwrap_or(name);
    PluginName::parse(name)
}

/// The name of the pack in a folder that may be called like a release of it: `acme` for `acme-1.0` and `bot-cli-pack-acme-v1.0`.
pub fn pack_name(folder: &str) -> &str {
    let begins_version = |rest: &str| {
        let number = rest.strip_prefix('v').unwrap_or(rest);
        number.starts_with(|first: char| first.is_ascii_digit()) && number.contains('.')
    };
    let mut hyphens = folder.match_indices('-').map(|(place, _)| place);
    let end = hyphens.find(|place| begins_version(&folder[place + 1..]));
    let name = &folder[..end.unwrap_or(folder.len())];
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    name.strip_prefix(pack::PREFIX).unwrap_or(name)
}

/// `path` as one below a folder, if it is such a path.
pub fn below(path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => clean.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(clean)
}

/// Whether some part of `path` begins with a dot.
pub fn is_hidden(path: &Path) -> bool {
    path.iter()
        .any(|part| part.to_string_lossy().starts_with('.'))
}

/// The failure of somebody who wants to have what can't be used.
pub fn refused(of: &Path, problem: &str) -> Failure {
    let message = format!("`{}` was not installed: {problem}", of.display());
    Failure::new(Exit::Failed, "not_added", message)
}

/// The failure of an archive that can't be read.
pub fn unreadable(of: &Path, error: std::io::Error) -> Failure {
    let reason = one_line(&bot_cli_sdk::failure::reason(&error));
    let failure = refused(of, &format!("it can't be read: {reason}"));
    // Of an archive that was cut off or changed on its way.
    let damaged = [
        ErrorKind::UnexpectedEof,
        ErrorKind::InvalidData,
        ErrorKind::InvalidInput,
    ];
    let failure = if damaged.contains(&error.kind()) {
        failure.hint(AGAIN)
    } else {
        failure
    };
    failure.caused_by(error)
}

/// The path in a line, with everything in it that can't be seen.
pub fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    match one_line(&text) {
        line if line == text => line,
        _ => text.escape_debug().to_string(),
    }
}

fn named(paths: &[PathBuf]) -> String {
    let shown: Vec<String> = paths
        .iter()
        .take(MOST_NAMED)
        .map(|path| format!("`{}`", shown(path)))
        .collect();
    let more = match paths.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Chosen, Member, Survey, pack_name};

    #[test]
    fn a_pack_has_the_name_of_its_release_without_the_version() {
        for (folder, name) in [
            ("acme", "acme"),
            ("acme-fast", "acme-fast"),
            ("acme-1.0", "acme"),
            ("acme-fast-v2.10.3-rc.1", "acme-fast"),
            ("bot-cli-pack-acme-1.0.0+linux", "acme"),
            ("pack-acme", "acme"),
            // Without a point, the number may be part of a name.
            ("acme-2", "acme-2"),
            ("-1.0", ""),
            ("1.0", "1.0"),
        ] {
            assert_eq!(pack_name(folder), name, "{folder}");
        }
    }

    #[test]
    fn executables_of_every_system_are_seen() {
        let universal = [&b"\xca\xfe\xba\xbe\0\0\0\x01\x01\0\0\x0c"[..], &[0; 900]].concat();
        for bytes in [
            &b"#!/bin/sh\n"[..],
            b"\x7fELF\x02\x01",
            b"MZ\x90\0",
            b"\xcf\xfa\xed\xfe\x0c\0\0\x01\0\0\0\0",
            &universal,
        ] {
            let mut survey = Survey::default();
            let mut content = bytes;
            let mut member = Member {
                path: "bin/bot-cli-x".into(),
                content: &mut content,
            };
            survey.look(&mut member, Path::new("x.tar")).unwrap();
            let chosen = survey.choose(Path::new("x.tar")).unwrap();
            assert_eq!(
                chosen,
                Chosen::Executable("bin/bot-cli-x".into()),
                "{bytes:?}"
            );
        }
    }
}

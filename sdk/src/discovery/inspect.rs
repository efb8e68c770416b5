//! What a plugin's file says about itself, without running it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use serde_json::Value;

use super::Discovery;
use super::cache::{self, Identity, Kept};
use super::name::PluginName;
use super::trust::{Folders, Refusal};
use crate::failure::reason;
use crate::platform::files;
use crate::protocol::{
    self, ArgumentSpec, CommandSpec, LONGEST_MANIFEST, MARKER, Manifest, ManifestError,
    SCRIPT_HEAD, SCRIPT_MANIFEST, major_minor,
};

/// The amount of an executable that is in memory at a time.
const CHUNK: usize = 1024 * 1024;

/// The amount of what may be a manifest that is read at a time.
const PIECE: usize = 4 * 1024;

/// A plugin that can be run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Plugin {
    /// The name.
    pub name: PluginName,
    /// The file, as it was found.
    pub file: PathBuf,
    /// The declaration; without one, it is an ordinary executable.
    pub manifest: Option<Manifest>,
}

/// Why a plugin's file is not run.
#[derive(Debug, Clone)]
pub enum Unusable {
    /// It is not to be trusted or can't be executed.
    Refused(Refusal),
    /// The declaration is not a manifest; the reason.
    Malformed(String),
    /// It speaks another version of the protocol.
    Protocol(String),
    /// The declaration is the manifest of another plugin; the name of that.
    OtherName(String),
}

impl Unusable {
    /// The reason in words.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Refused(refusal) => refusal.reason(),
            Self::Malformed(reason) => format!("its manifest is malformed: {reason}"),
            Self::Protocol(version) if major_minor(version).is_none() => {
                format!("its manifest names protocol `{version}`, which is no `MAJOR.MINOR`")
            }
            Self::Protocol(version) => format!(
                "it speaks protocol {version}, this host {}",
                protocol::VERSION
            ),
            Self::OtherName(name) => format!("its manifest is that of a plugin `{name}`"),
        }
    }

    /// Returns what mends it.
    #[must_use]
    pub fn remedy(&self, file: &Path) -> Option<String> {
        match self {
            Self::Refused(refusal) => refusal.remedy(file),
            Self::Malformed(reason) => {
                let place = "line and column are those of its JSON; ";
                let place = if reason.contains(" at line ") {
                    place
                } else {
                    ""
                };
                Some(format!(
                    "{place}section `The manifest` of the protocol says what it holds"
                ))
            }
            Self::Protocol(version) => Some(match major_minor(version) {
                None => format!("a plugin for this host names `{}`", protocol::VERSION),
                Some((major, _)) if major > protocol::MAJOR => {
                    "install a newer bot-cli, or a version of the plugin for this one".to_owned()
                }
                Some(_) => "install a newer version of the plugin".to_owned(),
            }),
            Self::OtherName(name) => {
                let right = PluginName::parse(name)?;
                Some(format!(
                    "name the file `{}`, or change its manifest",
                    right.file()
                ))
            }
        }
    }
}

/// The part of a manifest that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// All of it.
    Whole,
    /// At least what it takes to understand the user's words: a fifth of it.
    Words,
}

/// Looks at the file of the plugin `name`, in a search that knows these `folders`.
pub fn inspect(
    name: &PluginName,
    file: &Path,
    wanted: Wanted,
    discovery: &Discovery,
    folders: &Folders,
) -> Result<Plugin, Unusable> {
    let real = discovery.trust.check_in(file, folders);
    let real = real.map_err(Unusable::Refused)?;
    let manifest = match declared(&real, wanted, discovery.cache.as_deref()) {
        Ok(manifest) => manifest,
        // Who may execute but not read a file can run it all the same.
        Err(Undeclared::Unreadable(error)) if error.kind() == io::ErrorKind::PermissionDenied => {
            None
        }
        Err(Undeclared::Unreadable(error)) => {
            return Err(Unusable::Refused(Refusal::Unreadable(reason(&error))));
        }
        Err(Undeclared::Malformed(reason)) => return Err(Unusable::Malformed(reason)),
    };
    if let Some(manifest) = &manifest
        && !protocol::serves(&manifest.protocol)
    {
        return Err(Unusable::Protocol(manifest.protocol.clone()));
    }
    if let Some(manifest) = &manifest
        && manifest.name != name.as_str()
    {
        return Err(Unusable::OtherName(manifest.name.clone()));
    }
    Ok(Plugin {
        name: name.clone(),
        file: file.to_owned(),
        manifest,
    })
}

enum Undeclared {
    Unreadable(io::Error),
    Malformed(String),
}

/// Only native executables are worth the cache: the head of a script is read as quickly as an entry.
fn declared(
    real: &Path,
    wanted: Wanted,
    cache: Option<&Path>,
) -> Result<Option<Manifest>, Undeclared> {
    let mut file = File::open(real).map_err(Undeclared::Unreadable)?;
    let facts = file.metadata().map_err(Undeclared::Unreadable)?;
    // A script that is no longer than a head is read at once.
    let most = SCRIPT_HEAD + MARKER.len();
    let length = usize::try_from(facts.len()).unwrap_or(most);
    let length = Some(length).filter(|length| (1..most).contains(length));
    let mut head = Vec::with_capacity(length.unwrap_or(most));
    append(&mut file, length.unwrap_or(most), &mut head)?;
    if head.starts_with(b"#!") {
        if length.is_none() && memchr::memmem::find(&head, MARKER.as_bytes()).is_some() {
            // One byte more shows that it is too long.
            append(&mut file, SCRIPT_MANIFEST + 1, &mut head)?;
        }
        return find(&head);
    }
    let identity = Identity::new(real, &facts);
    if let Some(known) = cache.and_then(|folder| known(folder, &identity, wanted)) {
        return Ok(known);
    }
    let manifest = search(&mut file, head)?;
    if let Some(folder) = cache {
        // A manifest that JSON can't hold is searched another time.
        let _ = keep(folder, &identity, manifest.clone());
    }
    Ok(manifest)
}

/// Keeps a manifest in three parts, the first of which is read at every call of the plugin: what its words mean, a line of all but what
/// its uses take, and that, which is longer than all the rest and needed for lists of packs only. Its length stands in its place.
fn keep(folder: &Path, file: &Identity, mut manifest: Option<Manifest>) -> serde_json::Result<()> {
    let mut texts = String::new();
    for taken in manifest.iter_mut().flat_map(taken) {
        let written = taken.to_string();
        *taken = written.len().into();
        texts += &written;
    }
    let text = serde_json::to_string(&manifest)? + "\n" + &texts;
    let words = manifest.map(words);
    cache::put_with_text(folder, file, Kept::Manifest, &words, &text);
    Ok(())
}

/// Returns what is wanted of the manifest that was kept, with what its uses take still a text.
#[expect(
    clippy::option_option,
    reason = "that a file has no manifest is known, too"
)]
fn known(folder: &Path, file: &Identity, wanted: Wanted) -> Option<Option<Manifest>> {
    let join = |_: IgnoredAny, text: &str| {
        let (manifest, mut texts) = text.split_once('\n')?;
        let mut manifest: Option<Manifest> = serde_json::from_str(manifest).ok()?;
        for taken in manifest.iter_mut().flat_map(taken) {
            let length = usize::try_from(taken.as_u64()?).ok()?;
            let (written, others) = texts.split_at_checked(length)?;
            *taken = written.into();
            texts = others;
        }
        Some(manifest)
    };
    match wanted {
        Wanted::Whole => cache::get_with_text(folder, file, Kept::Manifest, join),
        Wanted::Words => cache::get_without_text(folder, file, Kept::Manifest),
    }
}

/// Takes everything from a manifest that only describes what the words mean.
fn words(manifest: Manifest) -> Manifest {
    Manifest {
        uses: BTreeMap::new(),
        settings: Vec::new(),
        environment: Vec::new(),
        providers: None,
        command: manifest.command.map(command_words),
        ..manifest
    }
}

fn command_words(command: CommandSpec) -> CommandSpec {
    let arguments = command.arguments.into_iter();
    CommandSpec {
        about: String::new(),
        details: None,
        examples: None,
        arguments: arguments
            .map(|argument| ArgumentSpec {
                about: String::new(),
                heading: None,
                value_name: None,
                default: None,
                values: Vec::new(),
                ..argument
            })
            .collect(),
        commands: command.commands.into_iter().map(command_words).collect(),
        ..command
    }
}

/// What the uses of a manifest take, as far as they take anything.
fn taken(manifest: &mut Manifest) -> impl Iterator<Item = &mut Value> {
    let taken = manifest.uses.values_mut().map(|uses| &mut uses.taken);
    taken.filter(|taken| !taken.is_null())
}

fn append(file: &mut File, limit: usize, bytes: &mut Vec<u8>) -> Result<(), Undeclared> {
    let limit = u64::try_from(limit).unwrap_or(u64::MAX);
    let read = file.by_ref().take(limit).read_to_end(bytes);
    read.map(drop).map_err(Undeclared::Unreadable)
}

/// Searches a file of any size, of which `window` has been read, in a piece of memory that does not grow with it.
fn search(file: &mut File, mut window: Vec<u8>) -> Result<Option<Manifest>, Undeclared> {
    let marker = memchr::memmem::Finder::new(MARKER);
    // Where in the file the window begins.
    let mut start = 0;
    let mut problem = None;
    loop {
        append(file, CHUNK, &mut window)?;
        for at in marker.find_iter(&window) {
            let mut text = vec![0; MARKER.len() + 1];
            let place = start + at as u64;
            let mut at = At { file, place };
            if at.read_exact(&mut text).is_err() || !text.ends_with(b"{") {
                continue;
            }
            let text = At {
                file,
                place: place + MARKER.len() as u64,
            };
            // In small pieces: most of what begins like a manifest in an executable ends soon.
            let text = BufReader::with_capacity(PIECE, text.take(LONGEST_MANIFEST as u64));
            match Manifest::begin(text) {
                Ok(manifest) => return Ok(Some(manifest)),
                Err(reason) => {
                    let end = place + (MARKER.len() + LONGEST_MANIFEST) as u64;
                    let is_cut = file.metadata().is_ok_and(|facts| facts.len() > end);
                    let reason = if is_cut && reason.starts_with("EOF ") {
                        format!("it is longer than {} MiB", LONGEST_MANIFEST / (1024 * 1024))
                    } else {
                        reason
                    };
                    problem = problem.or(Some(Undeclared::Malformed(reason)));
                }
            }
        }
        // A marker may lie across the end.
        let kept = window.len().min(MARKER.len() - 1);
        if window.len() < CHUNK {
            return problem.map_or(Ok(None), Err);
        }
        start += (window.len() - kept) as u64;
        window.drain(..window.len() - kept);
    }
}

/// A file's bytes from a place on.
struct At<'a> {
    file: &'a File,
    place: u64,
}

impl Read for At<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = files::read_at(self.file, bytes, self.place)?;
        self.place += length as u64;
        Ok(length)
    }
}

fn find(bytes: &[u8]) -> Result<Option<Manifest>, Undeclared> {
    match Manifest::find(bytes) {
        Ok(manifest) => Ok(Some(manifest)),
        Err(ManifestError::Undeclared) => Ok(None),
        Err(ManifestError::Malformed(reason)) => Err(Undeclared::Malformed(reason)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use serde_json::json;

    use super::{Undeclared, Wanted, keep, known, search};
    use crate::discovery::cache::Identity;
    use crate::pack::Taken;
    use crate::protocol::{MARKER, Manifest};
    use crate::words::take;

    #[test]
    fn what_is_taken_is_the_same_from_the_cache() {
        let taken = json!({
            "ids": { "a service that is built in": ["acme_stt"] },
            "variables": { "ACME_API_KEY": { "of": "acme", "means": { "about": "API \"key\"" } } },
            "names": { "acme.stt": ["AcmeSTT"] },
        });
        let manifest = json!({
            "protocol": "1.0", "name": "x",
            "uses": {
                "other": { "schema": "1.0", "taken": ["é"] },
                "plain": { "schema": "1.0" },
                "provider-pack": { "schema": "1.0", "taken": taken },
            },
        });
        let manifest: Manifest = serde_json::from_value(manifest).unwrap();
        let declared = |manifest: &Manifest| {
            let mut taken = Taken::default();
            taken.add_declared(&manifest.uses["provider-pack"].taken);
            taken.declared()
        };
        assert_eq!(declared(&manifest)["ids"], taken["ids"]);
        let folder = tempfile::tempdir().unwrap();
        let file = Identity::new(folder.path(), &folder.path().metadata().unwrap());
        keep(folder.path(), &file, Some(manifest.clone())).unwrap();
        let kept = known(folder.path(), &file, Wanted::Whole);
        let kept = kept.unwrap().unwrap();
        assert_eq!(declared(&manifest), declared(&kept));
        assert_eq!(kept.uses["other"].taken, json!("[\"é\"]"));
        assert_eq!(kept.uses["plain"], manifest.uses["plain"]);
    }

    #[test]
    fn words_mean_the_same_from_the_cache_without_their_descriptions() {
        let option = |long: &str| {
            json!({
                "name": long, "long": long, "short": &long[..1], "kind": "option", "about": "an option",
                "values": [{ "value": "--help" }], "default": "x", "heading": "Options", "value_name": "X",
            })
        };
        let flag = json!({ "name": "json", "long": "json", "kind": "flag", "global": true });
        let manifest = json!({
            "protocol": "1.0", "name": "x", "version": "1.2", "about": "A plugin", "environment": [{ "name": "X_KEY" }],
            "command": {
                "name": "x", "about": "A command", "details": "More", "arguments": [option("model"), flag],
                "commands": [
                    { "name": "run", "aliases": ["r"], "direct": true, "examples": "x run", "arguments": [
                        option("key"), { "name": "PROGRAM", "kind": "positional", "completion": "command" },
                    ] },
                ],
            },
        });
        let whole: Manifest = serde_json::from_value(manifest).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = Identity::new(folder.path(), &folder.path().metadata().unwrap());
        keep(folder.path(), &file, Some(whole.clone())).unwrap();
        let known = |wanted| known(folder.path(), &file, wanted).unwrap().unwrap();
        let kept = known(Wanted::Words);
        assert_eq!(known(Wanted::Whole), whole);
        assert_ne!(kept, whole);
        assert_eq!(
            (&kept.name, &kept.version, &kept.about),
            (&whole.name, &whole.version, &whole.about)
        );
        for words in [
            "--json --model --help r --key=--json -k --json echo --help",
            "run --help",
            "-m --help",
            "run -- --help",
            "-V --json=1",
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            let [from_whole, from_kept] = [&whole, &kept].map(|manifest| {
                let taken = take(manifest.command.as_ref().unwrap(), &words);
                let path: Vec<&str> = taken.path.iter().map(|it| it.name.as_str()).collect();
                let direct = taken.path.last().unwrap().direct;
                let (argv, help, misuse) = (&taken.argv, taken.help, taken.misuse);
                format!(
                    "{argv:?} {path:?} {direct} {help:?} {misuse:?} {} {}",
                    taken.json, taken.version
                )
            });
            assert_eq!(from_kept, from_whole);
        }
    }

    /// Each may be the manifest, and none may cost the reading of all that follow.
    #[test]
    fn an_executable_may_hold_many_markers() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let marker = format!("{MARKER}{{]\0");
        file.write_all(marker.repeat(100_000).as_bytes()).unwrap();
        let found = search(&mut File::open(file.path()).unwrap(), Vec::new());
        assert!(matches!(found, Err(Undeclared::Malformed(_))));
        let manifest = format!(r#"{MARKER}{{"protocol":"1.0","name":"late"}}"#);
        file.write_all(manifest.as_bytes()).unwrap();
        let found = search(&mut File::open(file.path()).unwrap(), Vec::new());
        assert!(matches!(found, Ok(Some(manifest)) if manifest.name == "late"));
    }
}

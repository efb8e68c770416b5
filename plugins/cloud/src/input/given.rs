//! Everything that `set` is given, from wherever it comes, with all its problems.

use std::path::Path;

use bot_cli_protocol::failure::{Field, reason};

use super::dotenv::{self, Binding, Position};
use super::empty::{Empty, Fate};
use super::looks_like_a_key;
use crate::domain::{Entry, Key};

/// The most bytes that a file of secrets may have.
pub const LONGEST: usize = 1024 * 1024;

/// Keys and values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// Keys with values.
    pub entries: Vec<Entry>,
    /// Keys whose value is to be asked for.
    pub open: Vec<Key>,
    /// Words alone that may be keys.
    pub bare: Vec<Bare>,
    /// Keys without a value that are left out.
    pub skipped: Vec<Key>,
    /// Never contain a part of a value.
    pub warnings: Vec<String>,
}

impl Given {
    /// Returns whether a key is given, with or without a value.
    pub fn has(&self, key: &Key) -> bool {
        self.open.contains(key)
            || self.skipped.contains(key)
            || self.bare.iter().any(|bare| bare.key == *key)
            || self.entries.iter().any(|entry| entry.key == *key)
    }
}

/// A word alone that may be a key, and may be a value in the wrong place: it is not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bare {
    /// The word, as a key.
    pub key: Key,
    pub place: String,
    /// The key alone right before it, whose value it may be.
    pub before: Option<Key>,
}

impl Bare {
    /// Returns the place of the word, and what is wrong with it if it is no key.
    pub fn problem(&self) -> Field {
        let problem = match &self.before {
            Some(key) => format!(
                "is not `KEY=VALUE`; without this word, the value of `{key}` is asked for, hidden"
            ),
            None => "is not `KEY=VALUE`".to_owned(),
        };
        Field::new(&self.place, problem)
    }
}

/// Reads the text of a file that is called `name`.
pub fn from_file(name: &str, bytes: &[u8], empty: Empty) -> Result<Given, Vec<Field>> {
    const FLAG: &str = "--file";
    let Lines {
        bindings,
        marked,
        mut wrong,
    } = lines(bytes);
    let mut given = Given::default();
    let found_none = bindings.is_empty();
    for Binding { key, value, at, .. } in bindings {
        match Key::parse(&key) {
            Err(problem) => wrong.push((Some(at), format!("the key {problem}"))),
            Ok(key) if value.expose().is_empty() => match empty.decide(&key) {
                Fate::Refused(problem) if looks_like_a_key(key.as_str()) => {
                    wrong.push((Some(at), format!("`{key}` {problem}")));
                }
                Fate::Refused(problem) => wrong.push((Some(at), format!("the key {problem}"))),
                Fate::Skipped => given.skipped.push(key),
                Fate::Kept => given.entries.push(Entry { key, value }),
            },
            Ok(key) => given.entries.push(Entry { key, value }),
        }
    }
    if wrong.is_empty() && found_none {
        wrong.push((None, "there is no key in it".to_owned()));
    }
    if !wrong.is_empty() {
        return Err(in_order(name, FLAG, wrong));
    }
    if marked {
        given.warnings.push(format!(
            "{name} begins with a byte order mark, which python-dotenv takes for a part of the first key: save it as UTF-8 without"
        ));
    }
    Ok(given)
}

/// Reads a file that should be small.
pub fn read(path: &Path) -> Result<Vec<u8>, std::io::Error> {
    use std::io::Read;
    let file = std::fs::File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    let mut bytes = Vec::new();
    file.take(LONGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Words why a file could not be read.
pub fn unreadable(error: &std::io::Error) -> String {
    if error.kind() == std::io::ErrorKind::IsADirectory {
        "is a directory".to_owned()
    } else {
        format!("could not be read: {}", reason(error))
    }
}

/// The lines that can be read, and what is wrong with the others or with the whole file.
pub(super) struct Lines {
    pub(super) bindings: Vec<Binding>,
    pub(super) marked: bool,
    pub(super) wrong: Vec<(Option<Position>, String)>,
}

pub(super) fn lines(bytes: &[u8]) -> Lines {
    let whole = |problem: &str| Lines {
        bindings: Vec::new(),
        marked: false,
        wrong: vec![(None, problem.to_owned())],
    };
    if bytes.len() > LONGEST {
        return whole("is longer than 1 MiB");
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return whole("is not UTF-8");
    };
    let parsed = dotenv::parse(text);
    let problems = parsed.problems.into_iter();
    Lines {
        bindings: parsed.bindings,
        marked: parsed.marked,
        wrong: problems
            .map(|problem| (Some(problem.at), problem.what.to_owned()))
            .collect(),
    }
}

/// Returns the problems of the file `name` in the order of its lines.
pub(super) fn in_order(
    name: &str,
    flag: &'static str,
    mut wrong: Vec<(Option<Position>, String)>,
) -> Vec<Field> {
    wrong.sort_by_key(|(at, _)| *at);
    let field = |at: Option<Position>| at.map_or(name.to_owned(), |at| format!("{name}:{at}"));
    wrong
        .into_iter()
        .map(|(at, problem)| Field::new(field(at), problem).flag(flag))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Empty, from_file};

    #[test]
    fn problems_are_told_all_at_once_and_in_the_order_of_lines() {
        let text = b"A=1\nB=\nX\nC=''\nd.e=s3cret\nA=2\nlower=\n";
        let wrong = from_file(".env", text, Empty::Refuse).unwrap_err();
        let shown: Vec<String> = wrong
            .iter()
            .map(|wrong| format!("{}: {}", wrong.field, wrong.problem))
            .collect();
        assert_eq!(
            shown,
            [
                ".env:2:1: `B` has no value",
                ".env:3:2: there is no `=` after the key",
                ".env:4:1: `C` has no value",
                ".env:5:1: the key may have only letters, digits, underscores and hyphens",
                ".env:6:1: the key is there a second time, and only the last would count",
                ".env:7:1: the key has no value",
            ]
        );
    }

    #[test]
    fn empty_values_are_left_out_or_kept_as_wanted() {
        let skipped = from_file(".env", b"A=1\nB=\nC=\n", Empty::Skip).unwrap();
        assert_eq!((skipped.entries.len(), skipped.skipped.len()), (1, 2));
        let kept = from_file(".env", b"A=1\nB=\nC=\n", Empty::Keep).unwrap();
        assert_eq!((kept.entries.len(), kept.skipped.len()), (3, 0));
        assert!(from_file(".env", b"A=1\nc3VwZXI=\n", Empty::Keep).is_err());
    }

    #[test]
    fn a_file_without_a_key_or_in_another_encoding_is_refused() {
        let wrong = |bytes| from_file("-", bytes, Empty::Skip).unwrap_err();
        assert_eq!(wrong(b"# nothing\n").len(), 1);
        assert_eq!(wrong(b"A=\xff")[0].problem, "is not UTF-8");
    }
}

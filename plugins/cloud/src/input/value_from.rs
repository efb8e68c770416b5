//! `KEY=PATH`: the value of one key from a file, byte for byte.
//!
//! No message quotes what is in a file, nor a path that leads nowhere: it may be a value.

use std::path::PathBuf;

use bot_cli_protocol::failure::Field;
use bot_cli_protocol::secret::Secret;
use bot_cli_terminal::standard_input;

use super::empty::{Empty, Fate};
use super::given::LONGEST;
use super::looks_like_a_key;
use crate::domain::{Entry, Key};

const FLAG: &str = "--value-from";

/// A key, and the file that has its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueFrom {
    /// The key.
    pub key: Key,
    /// The file; `-` is standard input.
    pub path: PathBuf,
    /// The name in messages.
    place: String,
}

/// Reads `KEY=PATH`; returns those that can be read, and all problems.
pub fn parse(words: &[String]) -> (Vec<ValueFrom>, Vec<Field>) {
    let mut found = Vec::new();
    let mut wrong = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let place = format!("file {}", index + 1);
        match split(word) {
            Ok((key, path)) => found.push(ValueFrom {
                place: if looks_like_a_key(key.as_str()) {
                    key.to_string()
                } else {
                    place
                },
                key,
                path,
            }),
            Err(problem) => wrong.push(Field::new(place, problem).flag(FLAG)),
        }
    }
    (found, wrong)
}

fn split(word: &str) -> Result<(Key, PathBuf), String> {
    match word.split_once('=') {
        Some((_, "")) => Err("names no file: write `KEY=PATH`".to_owned()),
        Some((key, path)) => match Key::parse(key) {
            Ok(key) => Ok((key, PathBuf::from(path))),
            Err(problem) => Err(format!("the key {problem}")),
        },
        None => Err("is not `KEY=PATH`".to_owned()),
    }
}

impl ValueFrom {
    /// Returns a problem with this key.
    pub fn problem(&self, problem: impl Into<String>) -> Field {
        Field::new(&self.place, problem).flag(FLAG)
    }

    /// Returns whether the value is read from standard input.
    pub fn is_stdin(&self) -> bool {
        standard_input::is_named_by(&self.path)
    }

    /// Returns the key with the value that its file has; `None` where it is left out because it is empty.
    pub fn entry(&self, bytes: Vec<u8>, empty: Empty) -> Result<Option<Entry>, Field> {
        let shown = if self.is_stdin() {
            "standard input".to_owned()
        } else {
            format!("`{}`", self.path.display())
        };
        let problem = |problem: &str| Err(self.problem(format!("{shown} {problem}")));
        if bytes.len() > LONGEST {
            return problem("is longer than 1 MiB");
        }
        let value = match String::from_utf8(bytes) {
            Ok(text) => Secret::new(text),
            Err(error) => {
                drop(zeroize::Zeroizing::new(error.into_bytes()));
                return problem("is not UTF-8: encode it first, as base64 for instance");
            }
        };
        if value.expose().contains('\0') {
            return problem("has a NUL character");
        }
        if value.expose().is_empty() {
            return match empty.decide(&self.key) {
                Fate::Refused(_) => problem("is empty"),
                Fate::Skipped => Ok(None),
                Fate::Kept => Ok(Some(self.with(value))),
            };
        }
        Ok(Some(self.with(value)))
    }

    fn with(&self, value: Secret) -> Entry {
        Entry {
            key: self.key.clone(),
            value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Empty, parse};

    #[test]
    fn what_is_no_key_and_path_is_refused_without_being_shown() {
        let words = ["s3cret", "KEY=", "a b=s3cret", "KEY=a=b"].map(str::to_owned);
        let (found, wrong) = parse(&words);
        assert_eq!(found.len(), 1);
        let fields: Vec<&str> = wrong.iter().map(|wrong| wrong.field.as_str()).collect();
        assert_eq!(fields, ["file 1", "file 2", "file 3"]);
        assert!(!format!("{wrong:?}").contains("s3cret"), "{wrong:?}");
    }

    #[test]
    fn a_value_is_the_file_byte_for_byte() {
        let from = parse(&["KEY=key.pem".to_owned()]).0.remove(0);
        let pem = b"-----BEGIN X-----\nabc\n-----END X-----\n";
        let entry = from.entry(pem.to_vec(), Empty::Refuse).unwrap().unwrap();
        assert_eq!(entry.value.expose().as_bytes(), pem);
        for (bytes, expected) in [
            (
                &b"s3cret\xff"[..],
                "`key.pem` is not UTF-8: encode it first, as base64 for instance",
            ),
            (b"s3cret\0", "`key.pem` has a NUL character"),
            (b"", "`key.pem` is empty"),
        ] {
            let wrong = from.entry(bytes.to_vec(), Empty::Refuse).unwrap_err();
            assert_eq!(
                (wrong.field.as_str(), wrong.problem.as_str()),
                ("KEY", expected)
            );
        }
        assert_eq!(from.entry(Vec::new(), Empty::Skip).unwrap(), None);
    }
}

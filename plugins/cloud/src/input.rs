//! The user's keys and values, from arguments, files or standard input.

pub mod advice;
pub mod dotenv;
pub mod given;
pub mod pairs;

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use bot_cli_protocol::failure::{Failure, Field, reason};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use bot_cli_terminal::standard_input;

use crate::domain::Key;

/// The problem reported for a missing file. The path is not quoted, because the path may be a misplaced secret value.
pub const NO_FILE: &str = "there is no such file (what is given is not shown: it may be a value)";

/// The minimum length at which an upper-case word with digits may be a token, such as `AKIAIOSFODNN7EXAMPLE`.
const TOKEN: usize = 16;

/// The maximum size of an input file, in bytes.
const LONGEST: usize = 1024 * 1024;

/// Reports whether a word is clearly a key, such as `OPENAI_API_KEY`, and not a misplaced value.
pub fn looks_like_a_key(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(|c| c.is_ascii_uppercase())
        && characters.all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && word.len() <= 64
        && !word.split('_').any(may_be_a_token)
}

/// Parses the keys of existing sets, without repeated ones. Messages never quote a key, because it may be a value.
pub fn keys(words: &[String], flag: Option<&'static str>) -> Result<Vec<Key>, Failure> {
    let (mut keys, mut problems) = (Vec::new(), Vec::new());
    for (index, word) in words.iter().enumerate() {
        match Key::parse_existing(word) {
            Err(problem) => {
                let mut field = Field::new(format!("key {}", index + 1), problem);
                field.flag = flag.map(str::to_owned);
                problems.push(field);
            }
            Ok(key) if keys.contains(&key) => {}
            Ok(key) => keys.push(key),
        }
    }
    refused(problems).map(|()| keys)
}

fn may_be_a_token(part: &str) -> bool {
    part.len() >= TOKEN && part.contains(|c: char| c.is_ascii_digit())
}

/// Decodes the contents of a file or of standard input as UTF-8. The error never quotes the contents.
pub fn text(bytes: Vec<u8>) -> Result<Secret, &'static str> {
    if bytes.len() > LONGEST {
        return Err("is longer than 1 MiB");
    }
    String::from_utf8(bytes).map(Secret::new).map_err(|error| {
        drop(zeroize::Zeroizing::new(error.into_bytes()));
        "is not UTF-8"
    })
}

/// Reads a file, or standard input if the path is `-`. The inner error describes a problem with the file.
pub fn read(session: &Session, path: &Path) -> Result<Result<Vec<u8>, String>, Failure> {
    if standard_input::is_named_by(path) {
        return session.stdin().map(Ok);
    }
    let read = || {
        let file = File::open(session.cwd().join(path))?;
        if file.metadata()?.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        }
        let mut bytes = Vec::new();
        file.take(LONGEST as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    Ok(read().map_err(|error: io::Error| {
        if error.kind() == ErrorKind::NotFound {
            NO_FILE.to_owned()
        } else if error.kind() == ErrorKind::IsADirectory {
            "is a directory".to_owned()
        } else {
            format!("could not be read: {}", reason(&error))
        }
    }))
}

/// Checks that `id` is a valid identifier for use in a request path. `field` is the name that the error refers to.
pub fn checked_id<'a>(field: &str, id: &'a str) -> Result<&'a str, Failure> {
    let is_id =
        !id.is_empty() && id.chars().any(|c| c != '.') && id.chars().all(|c| c.is_ascii_graphic());
    if is_id {
        Ok(id)
    } else {
        Err(wrong(field, "is not an id"))
    }
}

pub fn wrong(field: &str, problem: impl Into<String>) -> Failure {
    Failure::invalid_input(vec![Field::new(field, problem)])
}

/// Fails if any field is invalid.
pub fn refused(fields: Vec<Field>) -> Result<(), Failure> {
    if fields.is_empty() {
        return Ok(());
    }
    Err(Failure::invalid_input(fields))
}

/// Returns both parts of the input. If fields of both are invalid, the failure names all of them.
pub fn both<A, B>(one: Result<A, Failure>, other: Result<B, Failure>) -> Result<(A, B), Failure> {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok((one, other)),
        (Err(one), Err(other)) if !one.fields.is_empty() && !other.fields.is_empty() => {
            let mut both = Failure::invalid_input(joined(one.fields, other.fields));
            both.hints = joined(one.hints, other.hints);
            Err(both)
        }
        (Err(failure), _) | (Ok(_), Err(failure)) => Err(failure),
    }
}

/// Returns the items of both lists. An item that is in both lists, such as a problem of an environment variable, occurs only once.
fn joined<T: PartialEq>(mut one: Vec<T>, mut other: Vec<T>) -> Vec<T> {
    other.retain(|item| !one.contains(item));
    one.append(&mut other);
    one
}

#[cfg(test)]
mod tests {
    use super::looks_like_a_key;

    #[test]
    fn keys_are_told_from_values() {
        for key in ["A", "OPENAI_API_KEY", "S3_BUCKET_2", "CLOUDFLARE_TURNSTILE"] {
            assert!(looks_like_a_key(key), "{key}");
        }
        for value in [
            "",
            "sk-live-12345",
            "hunter2",
            "12345",
            "_A",
            "AKIAIOSFODNN7EXAMPLE",
            "JBSWY3DPEHPK3PXP",
            "LIVE_0123456789ABCDEF",
        ] {
            assert!(!looks_like_a_key(value), "{value}");
        }
    }
}

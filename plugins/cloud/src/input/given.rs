//! Everything that `set` is given, from wherever it comes, with all its problems.

use std::path::Path;

use bot_cli_sdk::failure::reason;

use super::dotenv::{self, Binding};
use super::{advice, looks_like_a_key, pairs};
use crate::domain::{Entry, Key};

/// The most that a file of secrets may hold.
const LONGEST: usize = 1024 * 1024;

/// A field that is missing or wrong, and its option.
pub type Wrong = (String, Option<&'static str>, String);

/// Keys and values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// Keys with values.
    pub entries: Vec<Entry>,
    /// Keys whose value is to be asked for.
    pub open: Vec<Key>,
    /// What is odd; never a part of a value.
    pub warnings: Vec<String>,
}

/// From words.
pub fn from_words(words: &[String]) -> Result<Given, Vec<Wrong>> {
    let pairs = pairs::parse(words).map_err(|wrong| {
        let wrong = wrong.into_iter();
        wrong
            .map(|(field, problem)| (field, None, problem))
            .collect::<Vec<_>>()
    })?;
    Ok(Given {
        warnings: warnings(&pairs.entries),
        entries: pairs.entries,
        open: pairs.open,
    })
}

/// From the text of a file that is called `name`.
pub fn from_file(name: &str, bytes: &[u8]) -> Result<Given, Vec<Wrong>> {
    let Lines {
        bindings,
        marked,
        mut wrong,
    } = lines(name, bytes, "--file");
    let mut entries = Vec::new();
    for binding in bindings {
        let place = format!("{name}:{}", binding.at);
        match Key::parse(&binding.key) {
            Err(problem) => wrong.push((place, Some("--file"), format!("the key {problem}"))),
            Ok(key) if binding.value.expose().is_empty() => {
                let shown = if looks_like_a_key(key.as_str()) {
                    format!("`{key}`")
                } else {
                    "the key".to_owned()
                };
                wrong.push((place, Some("--file"), format!("{shown} has no value")));
            }
            Ok(key) => entries.push(Entry {
                key,
                value: binding.value,
            }),
        }
    }
    if wrong.is_empty() && entries.is_empty() {
        wrong.push((
            name.to_owned(),
            Some("--file"),
            "there is no key in it".to_owned(),
        ));
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut warnings = warnings(&entries);
    if marked {
        warnings.push(format!(
            "{name} begins with a byte order mark, which python-dotenv takes for a part of the first key: save it as UTF-8 without"
        ));
    }
    Ok(Given {
        entries,
        open: Vec::new(),
        warnings,
    })
}

/// The keys that a template names.
pub fn keys_of_template(name: &str, bytes: &[u8]) -> Result<Vec<Key>, Vec<Wrong>> {
    const FLAG: &str = "--from-template";
    let Lines {
        bindings,
        mut wrong,
        ..
    } = lines(name, bytes, FLAG);
    let mut keys = Vec::new();
    for binding in bindings {
        match Key::parse(&binding.key) {
            Ok(key) => keys.push(key),
            Err(problem) => wrong.push((
                format!("{name}:{}", binding.at),
                Some(FLAG),
                format!("the key {problem}"),
            )),
        }
    }
    if wrong.is_empty() {
        Ok(keys)
    } else {
        Err(wrong)
    }
}

/// Reads a file that should be small.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    use std::io::Read;
    let words = |error: std::io::Error| format!("could not be read: {}", reason(&error));
    let file = std::fs::File::open(path).map_err(words)?;
    if file.metadata().map_err(words)?.is_dir() {
        return Err("is a directory".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(LONGEST as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(words)?;
    Ok(bytes)
}

/// The lines that can be read, and what is wrong with the others.
struct Lines {
    bindings: Vec<Binding>,
    marked: bool,
    wrong: Vec<Wrong>,
}

fn lines(name: &str, bytes: &[u8], flag: &'static str) -> Lines {
    let whole = |problem: &str| Lines {
        bindings: Vec::new(),
        marked: false,
        wrong: vec![(name.to_owned(), Some(flag), problem.to_owned())],
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
            .map(|problem| {
                (
                    format!("{name}:{}", problem.at),
                    Some(flag),
                    problem.what.to_owned(),
                )
            })
            .collect(),
    }
}

/// What is odd about the values.
#[must_use]
pub fn warnings(entries: &[Entry]) -> Vec<String> {
    entries
        .iter()
        .filter_map(|entry| {
            advice::odd(entry.value.expose())
                .map(|odd| format!("the value of `{}` {odd}", entry.key))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{from_file, keys_of_template};

    #[test]
    fn empty_values_are_refused_all_at_once_with_their_lines() {
        let wrong = from_file(".env", b"A=1\nB=\n\nC=''\nd.e=s3cret\n").unwrap_err();
        let shown: Vec<String> = wrong
            .iter()
            .map(|(field, _, problem)| format!("{field}: {problem}"))
            .collect();
        assert_eq!(
            shown,
            [
                ".env:2:1: `B` has no value",
                ".env:4:1: `C` has no value",
                ".env:5:1: the key may have only letters, digits, underscores and hyphens"
            ]
        );
    }

    #[test]
    fn a_template_names_keys() {
        let keys = keys_of_template(".env.example", b"# c\nA=\nB=your-key\n# C=x\n").unwrap();
        let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
        assert_eq!(keys, ["A", "B"]);
    }

    #[test]
    fn a_file_without_a_key_or_in_another_encoding_is_refused() {
        assert_eq!(from_file("-", b"# nothing\n").unwrap_err().len(), 1);
        assert_eq!(from_file("-", b"A=\xff").unwrap_err()[0].2, "is not UTF-8");
    }
}

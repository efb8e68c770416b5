//! Collects the keys, values and problems for `secrets set` from all sources.

use std::collections::HashMap;

use bot_cli_protocol::failure::Field;
use bot_cli_protocol::secret::Secret;
use bot_cli_terminal::one_line;
use clap::ValueEnum;

use super::dotenv::{self, Binding, Dotenv, Position};
use super::{LONGEST, looks_like_a_key};
use crate::domain::{Entry, Key};

pub const REFUSED: &str = "has no value";

const TWICE: &str = "is given a second time";

/// The treatment of keys with an empty value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Empty {
    /// Refuse everything, and name every such key
    #[default]
    Refuse,
    /// Leave the key out
    Skip,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    pub entries: Vec<Entry>,
    /// Keys whose values the user must enter at a prompt.
    pub open: Vec<Key>,
    /// Keys omitted because they have no value.
    pub skipped: Vec<Key>,
    /// All keys, and whether they have a value or will be asked for one.
    keys: HashMap<Key, bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateKey {
    pub key: Key,
    /// The comment lines directly above the key and the comment behind it.
    pub comment: Vec<String>,
}

impl Given {
    /// Reports whether a key has a value, or will be asked for one.
    pub fn has_value(&self, key: &Key) -> bool {
        self.keys.get(key) == Some(&true)
    }

    /// Adds a key whose value the user must enter.
    pub fn ask_for(&mut self, key: Key) -> Result<(), String> {
        if self.keys.insert(key.clone(), true).is_some() {
            return Err(TWICE.to_owned());
        }
        self.open.push(key);
        Ok(())
    }

    /// Adds a key and its value. The error describes the problem and never quotes the value.
    pub fn add(&mut self, key: Key, value: Secret, empty: Empty) -> Result<(), String> {
        let is_empty = value.expose().is_empty();
        let problem = match empty {
            _ if self.keys.contains_key(&key) => TWICE,
            _ if value.expose().contains('\0') => "has a value with a NUL character",
            Empty::Refuse if is_empty => REFUSED,
            Empty::Skip if is_empty => {
                self.keys.insert(key.clone(), false);
                self.skipped.push(key);
                return Ok(());
            }
            Empty::Refuse | Empty::Skip => {
                self.keys.insert(key.clone(), true);
                self.entries.push(Entry { key, value });
                return Ok(());
            }
        };
        Err(problem.to_owned())
    }
}

/// Parses the key-value pairs in `bytes`, the contents of the file `name`.
pub fn from_file(name: &str, bytes: &[u8], empty: Empty) -> Result<Given, Vec<Field>> {
    let mut given = Given::default();
    each_line(name, "--file", bytes, |key, binding| {
        let shown = if looks_like_a_key(key.as_str()) {
            format!("`{key}`")
        } else {
            "the key".to_owned()
        };
        let added = given.add(key, binding.value, empty);
        added.map_err(|problem| format!("{shown} {problem}"))
    })?;
    Ok(given)
}

/// Parses the keys in `bytes`, the contents of the template `name`, such as `.env.example`.
pub fn from_template(name: &str, bytes: &[u8]) -> Result<Vec<TemplateKey>, Vec<Field>> {
    let mut keys = Vec::new();
    each_line(name, "--from-template", bytes, |key, binding| {
        let comment = binding.comment.iter().map(|line| one_line(line)).collect();
        keys.push(TemplateKey { key, comment });
        Ok(())
    })?;
    Ok(keys)
}

/// Calls `read` for every binding in the file `name`. Fails with all problems, in line order.
fn each_line(
    name: &str,
    flag: &'static str,
    bytes: &[u8],
    mut read: impl FnMut(Key, Binding) -> Result<(), String>,
) -> Result<(), Vec<Field>> {
    let whole = |problem: &str| Err(vec![Field::new(name, problem).flag(flag)]);
    if bytes.len() > LONGEST {
        return whole("is longer than 1 MiB");
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return whole("is not UTF-8");
    };
    let Dotenv { bindings, problems } = dotenv::read(text, flag != "--file");
    // A template may have optional keys alone, which are comments.
    if bindings.is_empty() && problems.is_empty() && flag == "--file" {
        return whole("there is no key in it");
    }
    let problems = problems.into_iter();
    let mut wrong: Vec<(Position, String)> = problems
        .map(|problem| (problem.at, problem.what.to_owned()))
        .collect();
    for binding in bindings {
        let at = binding.at;
        let key = Key::parse(&binding.key).map_err(|problem| format!("the key {problem}"));
        let problem = key.and_then(|key| read(key, binding)).err();
        wrong.extend(problem.map(|problem| (at, problem)));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    wrong.sort_by_key(|(at, _)| *at);
    let field = |(at, problem)| Field::new(format!("{name}:{at}"), problem).flag(flag);
    Err(wrong.into_iter().map(field).collect())
}

#[cfg(test)]
mod tests {
    use super::{Empty, from_file, from_template};

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
    fn a_file_without_a_key_or_in_another_encoding_is_refused() {
        let wrong = |bytes| from_file("-", bytes, Empty::Skip).unwrap_err();
        assert_eq!(wrong(b"# nothing\n").len(), 1);
        assert_eq!(wrong(b"A=\xff")[0].problem, "is not UTF-8");
    }

    #[test]
    fn a_template_names_keys_with_the_comments_right_above_them() {
        let text = "# The whole file.\n\n# OpenAI: https://platform.openai.com\n#\n# API key\nA=\nB=your-key\n# Model\n# C=x\nD=\n# far away\n\nE=\n";
        let keys: Vec<String> = from_template(".env.example", text.as_bytes())
            .unwrap()
            .into_iter()
            .map(|key| format!("{}: {}", key.key, key.comment.join(" | ")))
            .collect();
        let first = "A: OpenAI: https://platform.openai.com | API key";
        assert_eq!(keys, [first, "B: ", "D: ", "E: "]);
    }

    #[test]
    fn a_template_is_read_for_its_keys_and_every_comment() {
        let text = "# above\nA=  # from https://a.example\nB=# b\nC=your-key # c\nD=\"x # y\" # d\nE='x # y'\nF=${A}/f # f\nG='open # g\nH=\"two\nlines\"\nI= # \u{1b}[31mi\u{7}\n";
        let keys: Vec<String> = from_template(".env.example", text.as_bytes())
            .unwrap()
            .into_iter()
            .map(|key| format!("{}: {}", key.key, key.comment.join(" | ")))
            .collect();
        assert_eq!(
            keys,
            [
                "A: above | from https://a.example",
                "B: b",
                "C: c",
                "D: d",
                "E: ",
                "F: f",
                "G: g",
                "H: ",
                "I: i",
            ]
        );
        let wrong = from_file(".env", text.as_bytes(), Empty::Skip).unwrap_err();
        assert_eq!(wrong[0].field, ".env:2:5");
        let wrong = from_template(".env.example", b"A=\nB\n").unwrap_err();
        assert_eq!(wrong[0].field, ".env.example:2:2");
    }
}

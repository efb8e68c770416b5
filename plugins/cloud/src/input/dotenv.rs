//! Parses `.env` files, which contain `KEY=value` lines.
//!
//! Values match those of python-dotenv, which bots use to load their `.env` files. Text that python-dotenv would silently drop or expand is
//! an error with a position. Errors never contain any part of a value.

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt;

use bot_cli_protocol::secret::Secret;

use crate::domain::Key;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The key, which has not been validated.
    pub key: String,
    /// The value, which may be empty.
    pub value: Secret,
    pub at: Position,
    /// The comment lines directly above and the comment behind the value, without `#`.
    pub comment: Vec<String>,
}

/// A line and column in a file, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub at: Position,
    /// A description of the problem, without any part of a value.
    pub what: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dotenv {
    /// All valid bindings, in file order.
    pub bindings: Vec<Binding>,
    pub problems: Vec<Problem>,
}

/// Parses a whole file and collects all problems.
pub fn parse(text: &str) -> Dotenv {
    read(text, false)
}

/// Parses a whole file. In a template, the values are placeholders and may have any form; elsewhere, a value that python-dotenv would read
/// differently is a problem.
pub fn read(text: &str, is_template: bool) -> Dotenv {
    // Python treats all kinds of line breaks in text files the same.
    let text = text
        .trim_start_matches('\u{feff}')
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    let text = Secret::new(text);
    let mut reader = Reader {
        rest: text.expose(),
        at: Position { line: 1, column: 1 },
        is_template,
        remark: "",
    };
    let mut bindings: Vec<Binding> = Vec::new();
    let mut problems = Vec::new();
    let mut seen = HashSet::new();
    let mut comments = Comments::default();
    loop {
        reader.take_while(is_space);
        if reader.rest.is_empty() {
            break;
        }
        let start = reader.at;
        let rest = reader.rest;
        match reader.binding() {
            Ok(None) => comments.add(start.line, &rest[..rest.len() - reader.rest.len()]),
            Ok(Some(mut binding)) => {
                binding.comment = comments.above(start.line);
                let remark = words_of(reader.remark);
                binding
                    .comment
                    .extend((!remark.is_empty()).then(|| remark.to_owned()));
                if seen.insert(binding.key.clone()) {
                    bindings.push(binding);
                } else {
                    let what = "the key is there a second time, and only the last would count";
                    let at = binding.at;
                    problems.push(Problem { at, what });
                }
            }
            Err(problem) => {
                problems.push(problem);
                reader.next_line(start);
            }
        }
    }
    Dotenv { bindings, problems }
}

#[derive(Default)]
struct Comments {
    lines: Vec<String>,
    next: usize,
}

impl Comments {
    /// Adds a comment line. A commented-out variable is discarded, together with the comments above it.
    fn add(&mut self, line: usize, text: &str) {
        let text = words_of(text);
        let off = text
            .split_once('=')
            .is_some_and(|(key, _)| Key::parse(key).is_ok());
        if off || line != self.next {
            self.lines.clear();
        }
        if !off && !text.is_empty() {
            self.lines.push(text.to_owned());
        }
        self.next = line + 1;
    }

    /// Returns the comment that ends directly above `line`.
    fn above(&mut self, line: usize) -> Vec<String> {
        let lines = std::mem::take(&mut self.lines);
        if self.next == line { lines } else { Vec::new() }
    }
}

fn words_of(comment: &str) -> &str {
    comment.trim_start_matches('#').trim()
}

struct Reader<'a> {
    rest: &'a str,
    at: Position,
    is_template: bool,
    /// The comment behind the last value.
    remark: &'a str,
}

impl<'a> Reader<'a> {
    /// Parses a binding up to the end of its line. Returns `None` for a comment.
    fn binding(&mut self) -> Result<Option<Binding>, Problem> {
        if self.rest.starts_with('#') {
            self.take_while(|c| c != '\n');
            return Ok(None);
        }
        if let Some(after) = self.rest.strip_prefix("export")
            && after.starts_with(is_blank)
        {
            self.advance("export".len());
            self.take_while(is_blank);
        }
        let at = self.at;
        let key = self.key()?;
        self.take_while(is_blank);
        if !self.rest.starts_with('=') {
            return self.fail("there is no `=` after the key");
        }
        self.advance(1);
        self.take_while(is_blank);
        let start = (self.rest, self.at);
        let value = match self.value() {
            Err(_) if self.is_template => {
                (self.rest, self.at) = start;
                self.unquoted()
            }
            value => value?,
        };
        if !self.is_template {
            check(value.expose()).map_err(|what| Problem { at: start.1, what })?;
        }
        Ok(Some(Binding {
            key,
            value,
            at,
            comment: Vec::new(),
        }))
    }

    fn value(&mut self) -> Result<Secret, Problem> {
        match self.rest.chars().next() {
            Some(quote @ ('"' | '\'')) => self.quoted(quote),
            Some('#') => self.fail("a value that begins with `#` must be in quotes"),
            _ => Ok(self.unquoted()),
        }
    }

    fn key(&mut self) -> Result<String, Problem> {
        if self.rest.starts_with('\'') {
            let Some(length) = self.rest[1..].find(['\'', '\n']) else {
                return self.fail("the quote around the key is not closed");
            };
            if self.rest.as_bytes()[length + 1] != b'\'' || length == 0 {
                return self.fail("the quote around the key is not closed");
            }
            let key = self.rest[1..=length].to_owned();
            self.advance(length + 2);
            return Ok(key);
        }
        let key = self.take_while(|c| c != '=' && c != '#' && !is_space(c));
        if key.is_empty() {
            return self.fail("there is no key");
        }
        Ok(key.to_owned())
    }

    fn quoted(&mut self, quote: char) -> Result<Secret, Problem> {
        let body = &self.rest[1..];
        let length = closing(body, quote).or_else(|what| self.fail(what))?;
        let value = unescaped(&body[..length], quote);
        self.advance(length + 2);
        self.take_while(is_blank);
        self.remark = "";
        if self.rest.starts_with('#') {
            self.remark = self.take_while(|c| c != '\n');
        } else if !self.rest.is_empty() && !self.rest.starts_with('\n') {
            return self.fail("there is something behind the closing quote");
        }
        Ok(value)
    }

    /// Parses an unquoted value, which ends at a line break or at a `#` that begins it or is preceded by whitespace. Trailing whitespace is
    /// removed.
    fn unquoted(&mut self) -> Secret {
        let line = self.take_while(|c| c != '\n');
        let mut end = line.len();
        for (index, _) in line.match_indices('#') {
            if index == 0 || line[..index].ends_with(is_space) {
                end = index;
                break;
            }
        }
        self.remark = &line[end..];
        Secret::new(line[..end].trim_end_matches(is_space).to_owned())
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let length = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let taken = &self.rest[..length];
        self.advance(length);
        taken
    }

    fn advance(&mut self, length: usize) {
        for character in self.rest[..length].chars() {
            if character == '\n' {
                self.at.line += 1;
                self.at.column = 1;
            } else {
                self.at.column += 1;
            }
        }
        self.rest = &self.rest[length..];
    }

    fn next_line(&mut self, start: Position) {
        if self.at.line == start.line || !self.rest.is_empty() {
            self.take_while(|c| c != '\n');
        }
    }

    fn fail<T>(&self, what: &'static str) -> Result<T, Problem> {
        Err(Problem { at: self.at, what })
    }
}

/// Returns the length of a quoted value. Fails if versions of python-dotenv disagree on where the value ends.
///
/// Since python-dotenv 1.2.2, a backslash escapes any character. In earlier versions, a quote after a backslash doesn't close the value,
/// unless every quote follows a backslash.
fn closing(body: &str, quote: char) -> Result<usize, &'static str> {
    let mut escaped = false;
    let closes = body.char_indices().find(|(_, character)| {
        let found = *character == quote && !escaped;
        escaped = *character == '\\' && !escaped;
        found
    });
    let Some((length, _)) = closes else {
        return Err("the quote is not closed");
    };
    let mut previous = None;
    let closed_before = body.char_indices().find(|(_, character)| {
        let found = *character == quote && previous != Some('\\');
        previous = Some(*character);
        found
    });
    let before = closed_before.map_or_else(|| body.rfind(quote), |(length, _)| Some(length));
    if before == Some(length) {
        Ok(length)
    } else {
        Err(
            "versions of python-dotenv do not agree where these quotes end: write the backslashes another way",
        )
    }
}

fn unescaped(body: &str, quote: char) -> Secret {
    let mut value = String::with_capacity(body.len());
    let mut characters = body.chars();
    while let Some(character) = characters.next() {
        let next = characters.clone().next();
        let decoded = match (character, next) {
            ('\\', Some(next)) => escape(next, quote),
            _ => None,
        };
        match decoded {
            Some(decoded) => {
                value.push(decoded);
                characters.next();
            }
            None => value.push(character),
        }
    }
    Secret::new(value)
}

fn escape(character: char, quote: char) -> Option<char> {
    match (character, quote) {
        ('\\' | '\'', _) => Some(character),
        (_, '\'') => None,
        ('"', _) => Some('"'),
        ('a', _) => Some('\u{7}'),
        ('b', _) => Some('\u{8}'),
        ('f', _) => Some('\u{c}'),
        ('n', _) => Some('\n'),
        ('r', _) => Some('\r'),
        ('t', _) => Some('\t'),
        ('v', _) => Some('\u{b}'),
        _ => None,
    }
}

fn check(value: &str) -> Result<(), &'static str> {
    if value.contains('\0') {
        return Err("the value has a NUL character, which no environment can hold");
    }
    if expands(value) {
        return Err("the value has a `${…}`, which python-dotenv would expand, in quotes too");
    }
    Ok(())
}

/// Reports whether a value contains `${NAME}` or `${NAME:-default}`.
fn expands(value: &str) -> bool {
    value.match_indices("${").any(|(index, _)| {
        let rest = &value[index + 2..];
        rest.find(['}', ':']).is_some_and(|end| {
            let after = &rest[end..];
            after.starts_with('}') || (after.starts_with(":-") && after.contains('}'))
        })
    })
}

/// Reports whether Python's `\s` matches a character.
fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

fn is_blank(character: char) -> bool {
    is_space(character) && character != '\n'
}

//! Questions that are answered with a line: a text, yes or no.

use serde_json::Value;

use super::frame::{ASKED, CHOSEN, PLAIN, Piece, WRONG};
use super::key::Key;
use super::line::Line;
use super::{KeyOutcome, Prompt};
use bot_cli_protocol::question::{Answer, Question};

/// A text.
pub struct Text<'a> {
    message: &'a str,
    help: &'a [Piece],
    default: Option<&'a str>,
    line: Line,
}

impl<'a> Text<'a> {
    /// With `typed` on the line from the beginning.
    pub fn new(question: &'a Question, help: &'a [Piece], typed: Option<&str>) -> Self {
        Self {
            message: &question.message,
            help,
            default: question.default.as_ref().and_then(Value::as_str),
            line: typed.map_or_else(Line::default, Line::new),
        }
    }

    fn answer(&self) -> &str {
        match self.default {
            Some(default) if self.line.is_empty() => default,
            Some(_) | None => self.line.text(),
        }
    }
}

impl Prompt for Text<'_> {
    fn press(&mut self, key: Key) -> KeyOutcome {
        if key.is_enter() {
            return KeyOutcome::Done(Answer::Text(self.answer().to_owned()));
        }
        on_line(&mut self.line, key)
    }

    fn asked(&self) -> Vec<Piece> {
        let mut pieces = asked(self.message);
        if let Some(default) = self.default {
            pieces.push(Piece::text(PLAIN, &format!("({default}) ")));
        }
        pieces.extend(typed(&self.line));
        pieces.extend_from_slice(self.help);
        pieces
    }

    fn answered(&self) -> Vec<Piece> {
        answered(self.message, self.answer())
    }
}

/// Yes or no.
pub struct Confirm<'a> {
    message: &'a str,
    help: &'a [Piece],
    default: Option<bool>,
    line: Line,
    is_wrong: bool,
}

impl<'a> Confirm<'a> {
    pub fn new(question: &'a Question, help: &'a [Piece]) -> Self {
        Self {
            message: &question.message,
            help,
            default: question.default.as_ref().and_then(Value::as_bool),
            line: Line::default(),
            is_wrong: false,
        }
    }

    fn answer(&self) -> Option<bool> {
        yes_or_no(self.line.text(), self.default)
    }
}

impl Prompt for Confirm<'_> {
    fn press(&mut self, key: Key) -> KeyOutcome {
        self.is_wrong = false;
        match self.answer() {
            _ if !key.is_enter() => on_line(&mut self.line, key),
            Some(yes) => KeyOutcome::Done(Answer::Confirm(yes)),
            None => {
                self.is_wrong = true;
                KeyOutcome::Stay
            }
        }
    }

    fn asked(&self) -> Vec<Piece> {
        let mut pieces = asked(self.message);
        pieces.push(Piece::text(PLAIN, &format!("{} ", letters(self.default))));
        pieces.extend(typed(&self.line));
        if self.is_wrong {
            pieces.extend([Piece::LineEnd, Piece::text(WRONG, WHAT_TO_TYPE)]);
        }
        pieces.extend_from_slice(self.help);
        pieces
    }

    fn answered(&self) -> Vec<Piece> {
        let answer = if self.answer() == Some(true) {
            "Yes"
        } else {
            "No"
        };
        answered(self.message, answer)
    }
}

/// The message where neither yes nor no was typed.
pub const WHAT_TO_TYPE: &str = "type `y` for yes or `n` for no";

/// Returns what a typed line says.
pub fn yes_or_no(typed: &str, default: Option<bool>) -> Option<bool> {
    match typed.trim().to_lowercase().as_str() {
        "" => default,
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    }
}

/// The letters to type, that of the default in upper case.
pub fn letters(default: Option<bool>) -> &'static str {
    match default {
        Some(true) => "(Y/n)",
        Some(false) => "(y/N)",
        None => "(y/n)",
    }
}

/// The beginning of a question.
pub fn asked(message: &str) -> Vec<Piece> {
    vec![
        Piece::text(ASKED, "?"),
        Piece::text(PLAIN, &format!(" {message} ")),
    ]
}

/// A question with its answer.
pub fn answered(message: &str, answer: &str) -> Vec<Piece> {
    vec![
        Piece::text(ASKED, ">"),
        Piece::text(PLAIN, &format!(" {message} ")),
        Piece::text(CHOSEN, answer),
    ]
}

/// The line with the cursor in it.
pub fn typed(line: &Line) -> [Piece; 3] {
    let (before, rest) = line.parts();
    [
        Piece::Text(PLAIN, before.to_owned()),
        Piece::Cursor,
        Piece::Text(PLAIN, rest.to_owned()),
    ]
}

/// Returns what a key does at a line, if it does not answer.
pub fn on_line(line: &mut Line, key: Key) -> KeyOutcome {
    if key == Key::Escape || (key == Key::Control('d') && line.is_empty()) {
        return KeyOutcome::Back;
    }
    line.press(key);
    KeyOutcome::Stay
}

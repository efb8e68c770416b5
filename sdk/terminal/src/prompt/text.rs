//! Asks for text, and for yes or no.

use serde_json::Value;

use super::frame::{ASKED, CHOSEN, PLAIN, Piece, WRONG};
use super::key::Key;
use super::line::Line;
use super::{KeyOutcome, Prompt};
use bot_cli_protocol::question::{Answer, Question, QuestionKind};

pub struct Text<'a> {
    question: &'a Question,
    help: &'a [Piece],
    line: Line,
    is_wrong: bool,
}

impl<'a> Text<'a> {
    pub fn new(question: &'a Question, help: &'a [Piece]) -> Self {
        Self {
            question,
            help,
            line: Line::default(),
            is_wrong: false,
        }
    }

    fn default(&self) -> Option<&Value> {
        self.question.default.as_ref()
    }

    fn answer(&self) -> Option<Answer> {
        if self.question.kind == QuestionKind::Confirm {
            let default = self.default().and_then(Value::as_bool);
            return yes_or_no(self.line.text(), default).map(Answer::Confirm);
        }
        let default = self.default().and_then(Value::as_str);
        let default = default.filter(|_| self.line.is_empty());
        let text = default.unwrap_or(self.line.text());
        Some(Answer::Text(text.to_owned()))
    }
}

impl Prompt for Text<'_> {
    fn press(&mut self, key: Key) -> KeyOutcome {
        self.is_wrong = false;
        match self.answer() {
            _ if !key.is_enter() => on_line(&mut self.line, key),
            Some(answer) => KeyOutcome::Done(answer),
            None => {
                self.is_wrong = true;
                KeyOutcome::Stay
            }
        }
    }

    fn asked(&self) -> Vec<Piece> {
        let mut pieces = asked(&self.question.message);
        let default = self.default();
        if self.question.kind == QuestionKind::Confirm {
            let letters = letters(default.and_then(Value::as_bool));
            pieces.push(Piece::text(PLAIN, &format!("{letters} ")));
        } else if let Some(default) = default.and_then(Value::as_str) {
            pieces.push(Piece::text(PLAIN, &format!("({default}) ")));
        }
        pieces.extend(typed(&self.line));
        if self.is_wrong {
            pieces.extend([Piece::LineEnd, Piece::text(WRONG, WHAT_TO_TYPE)]);
        }
        pieces.extend_from_slice(self.help);
        pieces
    }

    fn answered(&self) -> Vec<Piece> {
        let answer = self.answer();
        let shown = match &answer {
            Some(Answer::Text(text)) => text,
            Some(Answer::Confirm(true)) => "Yes",
            _ => "No",
        };
        answered(&self.question.message, shown)
    }
}

pub const WHAT_TO_TYPE: &str = "type `y` for yes or `n` for no";

/// Parses a yes-or-no answer. Empty input selects the default.
pub fn yes_or_no(typed: &str, default: Option<bool>) -> Option<bool> {
    match typed.trim().to_lowercase().as_str() {
        "" => default,
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    }
}

/// Returns the hint `(y/n)`, with the default in upper case.
pub fn letters(default: Option<bool>) -> &'static str {
    match default {
        Some(true) => "(Y/n)",
        Some(false) => "(y/N)",
        None => "(y/n)",
    }
}

pub fn asked(message: &str) -> Vec<Piece> {
    vec![
        Piece::text(ASKED, "?"),
        Piece::text(PLAIN, &format!(" {message} ")),
    ]
}

pub fn answered(message: &str, answer: &str) -> Vec<Piece> {
    vec![
        Piece::text(ASKED, ">"),
        Piece::text(PLAIN, &format!(" {message} ")),
        Piece::text(CHOSEN, answer),
    ]
}

pub fn typed(line: &Line) -> [Piece; 3] {
    let (before, rest) = line.parts();
    [
        Piece::Text(PLAIN, before.to_owned()),
        Piece::Cursor,
        Piece::Text(PLAIN, rest.to_owned()),
    ]
}

pub fn on_line(line: &mut Line, key: Key) -> KeyOutcome {
    if key == Key::Escape || (key == Key::Control('d') && line.is_empty()) {
        return KeyOutcome::Back;
    }
    line.press(key);
    KeyOutcome::Stay
}

//! Select and multiselect prompts. Typing filters the list.

use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

use super::frame::{ASKED, CHOSEN, PLAIN, Piece, WRONG};
use super::key::Key;
use super::line::Line;
use super::text::{answered, asked, on_line, typed};
use super::{KeyOutcome, Prompt};
use crate::{cut, look, one_line};
use bot_cli_protocol::question::{Answer, Choice, Question, QuestionKind};

pub const PAGE: usize = 12;

/// The number of columns reserved for the cursor, the mark, and one blank column.
const MARGIN: usize = 7;

pub struct List<'a> {
    question: &'a Question,
    help: &'a [Piece],
    rows: Vec<ListRow>,
    filter: Line,
    left: Vec<usize>,
    cursor: usize,
    several: bool,
}

struct ListRow {
    value: String,
    label: String,
    whole: String,
    marked: bool,
}

impl<'a> List<'a> {
    /// Creates a list in which the default choices are marked.
    pub fn new(question: &'a Question, help: &'a [Piece]) -> Self {
        let default: Vec<&str> = match &question.default {
            Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
            default => default.iter().filter_map(Value::as_str).collect(),
        };
        let row = |choice: &Choice| {
            let label = one_line(&choice.label);
            let about = choice.about.as_deref().map(one_line).unwrap_or_default();
            ListRow {
                value: choice.value.clone(),
                whole: match about.as_str() {
                    "" => label.clone(),
                    about => format!("{label} - {about}"),
                },
                label,
                marked: default.contains(&choice.value.as_str()),
            }
        };
        let rows: Vec<ListRow> = question.choices.iter().map(row).collect();
        let several = question.kind == QuestionKind::Multiselect;
        let marked = rows.iter().position(|row| row.marked);
        Self {
            question,
            help,
            left: (0..rows.len()).collect(),
            cursor: if several { 0 } else { marked.unwrap_or(0) },
            rows,
            filter: Line::default(),
            several,
        }
    }

    fn current(&self) -> Option<usize> {
        self.left.get(self.cursor).copied()
    }

    fn marked(&self) -> impl Iterator<Item = &ListRow> {
        self.rows.iter().filter(|row| row.marked)
    }

    fn answer(&self) -> KeyOutcome {
        if self.several && !self.left.is_empty() {
            let values = self.marked().map(|row| row.value.clone());
            return KeyOutcome::Done(Answer::Many(values.collect()));
        }
        self.current().map_or(KeyOutcome::Stay, |row| {
            KeyOutcome::Done(Answer::Text(self.rows[row].value.clone()))
        })
    }

    /// Moves the cursor by `rows`, wrapping around at both ends of the list.
    fn step(&mut self, rows: isize) {
        let length = self.left.len();
        if length > 0 {
            self.cursor = self.cursor.checked_add_signed(rows).unwrap_or(length - 1);
            self.cursor = if self.cursor < length { self.cursor } else { 0 };
        }
    }

    fn narrow(&mut self) {
        let words = self.filter.text().to_lowercase();
        let current = self.current();
        let matches = |is_in: fn(&str, &str) -> bool| -> Vec<usize> {
            let has_words = |row: &ListRow| {
                let text = format!("{} {}", row.value, row.whole).to_lowercase();
                words.split_whitespace().all(|word| is_in(&text, word))
            };
            let rows = (0..self.rows.len()).filter(|&row| has_words(&self.rows[row]));
            rows.collect()
        };
        self.left = matches(|text, word| text.contains(word));
        if self.left.is_empty() {
            // A longer name, such as that of a version, finds what it contains.
            self.left = matches(contains_part);
        }
        // A new filter moves the cursor to its first match.
        let kept = current.filter(|_| words.is_empty());
        let kept = kept.and_then(|row| self.left.iter().position(|&left| left == row));
        self.cursor = kept.unwrap_or(0);
    }

    /// Returns the range of visible rows, with the cursor in the middle if possible.
    fn page(&self, page: usize) -> std::ops::Range<usize> {
        let length = self.left.len();
        let first = self.cursor.saturating_sub(page / 2);
        let first = first.min(length.saturating_sub(page));
        first..(first + page).min(length)
    }

    /// Returns the lines of the current row's whole text if the list shows only the beginning.
    fn note(&self, columns: usize) -> Vec<String> {
        let current = self.current().map(|row| self.rows[row].whole.as_str());
        let long = current.filter(|whole| whole.width() > columns.saturating_sub(MARGIN));
        long.map_or_else(Vec::new, |whole| wrapped(whole, columns.saturating_sub(3)))
    }

    fn row(&self, at: usize) -> [Piece; 4] {
        let row = &self.rows[self.left[at]];
        let is_current = at == self.cursor;
        let (columns, _) = look::size();
        let margin = if is_current { "> " } else { "  " };
        let margin = Piece::text(if is_current { CHOSEN } else { PLAIN }, margin);
        let style = if is_current { CHOSEN } else { PLAIN };
        let mark = match (self.several, row.marked) {
            (false, _) => Piece::text(PLAIN, ""),
            (true, true) => Piece::text(ASKED, "[x] "),
            (true, false) => Piece::text(style, "[ ] "),
        };
        let shown = cut(&row.whole, columns.saturating_sub(MARGIN));
        [Piece::LineEnd, margin, mark, Piece::text(style, &shown)]
    }
}

impl Prompt for List<'_> {
    fn press(&mut self, key: Key) -> KeyOutcome {
        if key.is_enter() {
            return self.answer();
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is for the filter")]
        match key {
            Key::Escape if !self.filter.is_empty() => {
                self.filter = Line::default();
                self.narrow();
            }
            Key::Up | Key::Control('p') => self.step(-1),
            Key::Down | Key::Control('n') => self.step(1),
            Key::Char(' ') if self.several => {
                if let Some(row) = self.current() {
                    self.rows[row].marked ^= true;
                }
            }
            _ => {
                let before = self.filter.text().to_owned();
                let step = on_line(&mut self.filter, key);
                if self.filter.text() != before {
                    self.narrow();
                }
                return step;
            }
        }
        KeyOutcome::Stay
    }

    fn asked(&self) -> Vec<Piece> {
        let mut pieces = asked(&self.question.message);
        pieces.extend(self::typed(&self.filter));
        if self.left.is_empty() {
            let nothing = "  nothing matches; Esc shows all";
            pieces.extend([Piece::LineEnd, Piece::text(WRONG, nothing)]);
        }
        let (columns, height) = look::size();
        let note = self.note(columns);
        // The question, its help, the number of rows and two blank rows need room too.
        let room = height.saturating_sub(6 + note.len()).clamp(1, PAGE);
        let page = self.page(room);
        let (shown, all) = (page.len(), self.rows.len());
        for at in page {
            pieces.extend(self.row(at));
        }
        let count = (0 < shown && shown < all).then(|| format!("{shown} of {all} shown"));
        let mut below: Vec<String> = note.into_iter().chain(count).collect();
        if !below.is_empty() {
            // Without it, the note would look like a row.
            below.insert(0, String::new());
        }
        for line in below {
            pieces.extend([Piece::LineEnd, Piece::text(PLAIN, &format!("  {line}"))]);
        }
        pieces.extend_from_slice(self.help);
        pieces
    }

    fn answered(&self) -> Vec<Piece> {
        let labels: Vec<&str> = match self.current() {
            _ if self.several => self.marked().map(|row| row.label.as_str()).collect(),
            row => row
                .iter()
                .map(|&row| self.rows[row].label.as_str())
                .collect(),
        };
        let labels = if labels.is_empty() {
            "none".to_owned()
        } else {
            labels.join(", ")
        };
        answered(&self.question.message, &labels)
    }
}

fn contains_part(text: &str, word: &str) -> bool {
    let mut parts = text.split(|letter: char| !letter.is_alphanumeric());
    parts.any(|part| part.len() > 2 && word.contains(part))
}

fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= columns => line.extend([" ", word]),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{KeyOutcome, List, Prompt as _};
    use crate::prompt::frame::Piece;
    use crate::prompt::key::Decoder;
    use bot_cli_protocol::question::{Answer, Choice, Question, QuestionKind};

    fn question(kind: QuestionKind) -> Question {
        let choice = |label: &str| Choice {
            value: format!("{}_stt", label.to_lowercase()),
            label: label.to_owned(),
            about: (label == "Beta").then(|| "the second one".to_owned()),
        };
        Question {
            choices: ["Alpha", "Beta", "Gamma"].map(choice).to_vec(),
            ..Question::new(kind, "k", "Which?")
        }
    }

    /// Presses the keys. Returns the answer, or the displayed rows if the question is still open.
    fn pressed(question: &Question, keys: &str) -> Result<Answer, Vec<String>> {
        let mut list = List::new(question, &[]);
        let mut decoder = Decoder::new();
        let mut keys: Vec<_> = keys.bytes().map(|byte| decoder.take(byte)).collect();
        keys.push(decoder.give_up());
        for key in keys.into_iter().flatten() {
            match list.press(key) {
                KeyOutcome::Done(answer) => return Ok(answer),
                KeyOutcome::Stay => {}
                KeyOutcome::Back => return Ok(Answer::Back),
            }
        }
        let rows = list.asked();
        let rows = rows.split(|piece| *piece == Piece::LineEnd);
        Err(rows
            .map(|row| {
                row.iter()
                    .filter_map(|piece| match piece {
                        Piece::Text(_, text) => Some(text.as_str()),
                        Piece::LineEnd | Piece::Cursor => None,
                    })
                    .collect()
            })
            .collect())
    }

    #[test]
    fn one_is_chosen_by_arrows_and_words() {
        let mut question = question(QuestionKind::Select);
        let text = |value: &str| Ok(Answer::Text(value.to_owned()));
        for (keys, value) in [
            ("\r", "alpha_stt"),
            ("\x1b[B\n", "beta_stt"),
            ("\x1b[A\r", "gamma_stt"),
            ("\x1b[A\x1b[B\r", "alpha_stt"),
            ("\x0e\x0e\x10\r", "beta_stt"),
            ("gam\r", "gamma_stt"),
            ("Second be\r", "beta_stt"),
            ("gam\x15b\x14\x1a\r", "beta_stt"),
            // Enter does nothing if no row matches.
            ("nothing\r\x17bet\r", "beta_stt"),
            ("nothing\r\x1b", "-"),
        ] {
            if value == "-" {
                assert!(pressed(&question, keys).is_err());
            } else {
                assert_eq!(pressed(&question, keys), text(value), "{keys:?}");
            }
        }
        question.default = Some(json!("beta_stt"));
        assert_eq!(pressed(&question, "\r"), text("beta_stt"));
        assert_eq!(pressed(&question, "x\x7f\r"), text("alpha_stt"));
    }

    #[test]
    fn several_are_marked_and_keep_their_marks() {
        let mut question = question(QuestionKind::Multiselect);
        let many = |values: &[&str]| {
            Ok(Answer::Many(
                values.iter().map(|&value| value.to_owned()).collect(),
            ))
        };
        assert_eq!(pressed(&question, "\r"), many(&[]));
        assert_eq!(
            pressed(&question, " \x1b[B\x1b[B \r"),
            many(&["alpha_stt", "gamma_stt"])
        );
        assert_eq!(
            pressed(&question, "gam \x15\x1b[B \r"),
            many(&["alpha_stt", "gamma_stt"])
        );
        let shown = pressed(&question, "gam \x15x\r").unwrap_err();
        assert_eq!(shown, ["? Which? x", "  nothing matches; Esc shows all"]);
        question.default = Some(json!(["beta_stt"]));
        assert_eq!(pressed(&question, "\r"), many(&["beta_stt"]));
        assert_eq!(pressed(&question, "\x1b[B \r"), many(&[]));
    }

    #[test]
    fn escape_takes_the_filter_away_first() {
        let question = question(QuestionKind::Select);
        let all = ["? Which? ", "  Alpha", "  Beta - the second one", "> Gamma"];
        assert_eq!(pressed(&question, "gam\x1b").unwrap_err(), all);
        assert_eq!(pressed(&question, "\x1b"), Ok(Answer::Back));
        assert_eq!(pressed(&question, "\x04"), Ok(Answer::Back));
    }
}

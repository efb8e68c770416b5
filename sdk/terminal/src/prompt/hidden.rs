//! The password prompt, which does not echo its input.
//!
//! Pasted text may have several lines. Terminals send CR both for Enter and for the end of a pasted line. If a terminal does not mark
//! pasted text, lines that arrive faster than a person can type count as pasted. Only a separate Enter ends such an answer.

use std::time::Duration;

use zeroize::Zeroizing;

use super::frame::{PLAIN, Piece};
use super::key::Key;
use super::text::asked;
use super::{KeyOutcome, Prompt};
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_protocol::secret::Secret;
use bot_cli_protocol::wording::count;

/// The capacity of the input buffer in bytes, more than anyone types or pastes. The buffer is never reallocated, so no copies stay in
/// memory.
pub const ROOM: usize = 64 * 1024;

/// The maximum pause within pasted text. This time is shorter than the pause between typed keys, and longer than the pause between chunks
/// of a paste.
pub const BURST: Duration = Duration::from_millis(25);

pub struct Hidden<'a> {
    message: &'a str,
    help: String,
    typed: Typed,
    /// An Enter that ends the answer unless more input follows within [`BURST`].
    enter: Option<Key>,
    /// Whether the input looks like a paste, in a terminal without bracketed paste.
    burst: bool,
    quiet: bool,
}

impl<'a> Hidden<'a> {
    pub fn new(question: &'a Question, help: Option<&str>) -> Self {
        Self {
            message: &question.message,
            help: help.map_or_else(String::new, |help| format!("[{help}] ")),
            typed: Typed::default(),
            enter: None,
            burst: false,
            quiet: true,
        }
    }
}

impl Prompt for Hidden<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "few keys edit hidden text")]
    fn press(&mut self, key: Key) -> KeyOutcome {
        let quiet = std::mem::take(&mut self.quiet);
        let enter = self.enter.take();
        // Some terminals send CR and LF for one Enter.
        let is_second_half = enter == Some(Key::Enter) && key == Key::Feed;
        // The previous Enter only ended a line.
        self.burst |= enter.is_some() && !is_second_half;
        match key {
            Key::Enter | Key::Feed => {
                self.typed.push(if key == Key::Enter { '\r' } else { '\n' });
                if quiet || is_second_half || !self.burst {
                    self.enter = Some(key);
                }
            }
            Key::Escape => return KeyOutcome::Back,
            Key::Control('d') if self.typed.text.is_empty() => return KeyOutcome::Back,
            Key::Backspace => self.typed.pop(),
            Key::Control('u' | 'w') => {
                self.typed = Typed::default();
                self.burst = false;
            }
            Key::Char(character) | Key::Pasted(character) => self.typed.push(character),
            Key::Tab if self.burst => self.typed.push('\t'),
            _ => {}
        }
        KeyOutcome::Stay
    }

    fn patience(&self) -> Option<Duration> {
        let waits = self.enter.is_some() || (self.burst && !self.quiet);
        waits.then_some(BURST)
    }

    fn nothing(&mut self) -> KeyOutcome {
        self.quiet = true;
        match self.enter {
            Some(_) => KeyOutcome::Done(Answer::Secret(self.typed.answer())),
            None => KeyOutcome::Stay,
        }
    }

    fn asked(&self) -> Vec<Piece> {
        let mut pieces = asked(self.message);
        pieces.push(Piece::text(PLAIN, &self.help));
        let lines = self.typed.lines();
        // Until the input pauses, Enter is a part of the paste.
        let is_told = if self.burst { self.quiet } else { lines > 1 };
        if is_told {
            let count = format!("({}, Enter to go on) ", count(lines, "line"));
            pieces.push(Piece::text(PLAIN, &count));
        }
        pieces
    }

    fn answered(&self) -> Vec<Piece> {
        let hidden = match self.typed.lines() {
            0 | 1 => "(hidden)".to_owned(),
            lines => format!("(hidden, {})", count(lines, "line")),
        };
        let mut pieces = super::text::answered(self.message, "");
        pieces.push(Piece::text(PLAIN, &hidden));
        pieces
    }
}

/// Text in which CR, LF and CRLF all become LF.
pub struct Typed {
    text: Zeroizing<String>,
    after_return: bool,
}

impl Default for Typed {
    fn default() -> Self {
        Self {
            text: Zeroizing::new(String::with_capacity(ROOM)),
            after_return: false,
        }
    }
}

impl Typed {
    pub fn push(&mut self, character: char) {
        match character {
            '\n' if self.after_return => {}
            '\r' => self.text.push('\n'),
            character => self.text.push(character),
        }
        self.after_return = character == '\r';
    }

    fn pop(&mut self) {
        self.text.pop();
        self.after_return = false;
    }

    fn lines(&self) -> usize {
        self.text.trim_end_matches('\n').split('\n').count()
    }

    /// Returns the answer. In an answer with several lines, each line ends with LF, as in a file. A single line has no LF.
    pub fn answer(&self) -> Secret {
        let text = self.text.trim_end_matches('\n');
        let mut answer = String::with_capacity(text.len() + 1);
        answer.push_str(text);
        if text.contains('\n') {
            answer.push('\n');
        }
        Secret::new(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::Decoder;
    use super::{Hidden, KeyOutcome, Prompt as _};
    use crate::prompt::frame::Piece;
    use bot_cli_protocol::question::{Answer, Question, QuestionKind};

    /// Types `bytes` at a hidden prompt, where `|` is a pause. Returns the answer and the line counts shown.
    fn typed(bytes: &str) -> (Option<String>, Vec<String>) {
        let question = Question::new(QuestionKind::Password, "k", "Token");
        let mut prompt = Hidden::new(&question, None);
        let mut decoder = Decoder::new();
        let mut said = Vec::new();
        // The input ends with a pause.
        for byte in bytes.bytes().chain(*b"|") {
            let key = if byte == b'|' {
                decoder.give_up()
            } else {
                decoder.take(byte)
            };
            let step = match key {
                Some(key) => prompt.press(key),
                None if byte == b'|' && prompt.patience().is_some() => prompt.nothing(),
                None => KeyOutcome::Stay,
            };
            if byte == b'|'
                && let Some(Piece::Text(_, text)) = prompt.asked().pop()
                && text.starts_with('(')
                && said.last() != Some(&text)
            {
                said.push(text);
            }
            match step {
                KeyOutcome::Done(Answer::Secret(secret)) => {
                    return (Some(secret.expose().to_owned()), said);
                }
                KeyOutcome::Back => return (None, said),
                KeyOutcome::Stay | KeyOutcome::Done(_) => {}
            }
        }
        panic!("no answer to {bytes:?}");
    }

    fn pasted(text: &str) -> String {
        format!("\x1b[200~{text}\x1b[201~")
    }

    #[test]
    fn keys_that_change_a_line_change_it_and_others_type_nothing() {
        for (keys, expected) in [
            ("wrong\x15rightö\r", "rightö"),
            ("wrong\x17rightö\r", "rightö"),
            ("wrong\x7f\x08rightö\r", "wrorightö"),
            ("wrong\x01\x1b[D\tright\x1a\x14\x1b[A\r", "wrongright"),
            ("a\x04\r", "a"),
        ] {
            assert_eq!(typed(keys).0.as_deref(), Some(expected), "{keys:?}");
        }
    }

    #[test]
    fn a_pasted_text_of_several_lines_ends_with_one_line_end() {
        for end in ["\r", "\n", "\r\n"] {
            let text = format!("-----BEGIN{end}{end}a\tb{end}KEY-----{end}");
            let (answer, said) = typed(&format!("{}|\r", pasted(&text)));
            assert_eq!(answer.unwrap(), "-----BEGIN\n\na\tb\nKEY-----\n", "{end:?}");
            assert_eq!(said, ["(4 lines, Enter to go on) "], "{end:?}");
        }
        let two = format!("{}{}\r", pasted("one\r"), pasted("two\r"));
        assert_eq!(typed(&two).0.unwrap(), "one\ntwo\n");
    }

    #[test]
    fn lines_that_arrive_at_once_are_one_pasted_text() {
        for (sent, expected, lines) in [
            ("one|\r", "one", &[][..]),
            ("one\r", "one", &[]),
            ("one\r\n", "one", &[]),
            ("one\n", "one", &[]),
            ("one\rtwo|\r", "one\ntwo\n", &["2 lines"]),
            ("one\rtwo\r\r|\r", "one\ntwo\n", &["2 lines"]),
            ("one\r\ntwo\r\n|\r\n", "one\ntwo\n", &["2 lines"]),
            ("one\ntwo\n|\n", "one\ntwo\n", &["2 lines"]),
            ("one\r\n\r\ntwo\r\n|\r", "one\n\ntwo\n", &["3 lines"]),
            (
                "one\r\r\ttwo\r|x|\r",
                "one\n\n\ttwo\nx\n",
                &["3 lines", "4 lines"],
            ),
            ("one\r\r|\r", "one", &["1 line"]),
            ("one\rtwo|\x15|three|\r", "three", &["2 lines"]),
            (
                "one\rtwo\r|three\rfour\r|\r",
                "one\ntwo\nthree\nfour\n",
                &["2 lines", "4 lines"],
            ),
        ] {
            let (answer, said) = typed(sent);
            assert_eq!(answer.unwrap(), expected, "{sent:?}");
            let lines: Vec<String> = lines
                .iter()
                .map(|lines| format!("({lines}, Enter to go on) "))
                .collect();
            assert_eq!(said, lines, "{sent:?}");
        }
    }

    #[test]
    fn escape_and_ctrl_d_are_no_answers() {
        for keys in ["\x1b", "a\x1b", "\x04"] {
            assert_eq!(typed(keys).0, None, "{keys:?}");
        }
    }
}

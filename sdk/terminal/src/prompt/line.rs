//! A line of text that is edited with the keys that Readline made usual.

use unicode_segmentation::UnicodeSegmentation as _;

use super::key::Key;

/// A line of text with a cursor.
#[derive(Debug, Default)]
pub struct Line {
    text: String,
    /// A byte between two characters as people count them.
    cursor: usize,
    /// The text that was cut last, for Ctrl-Y.
    cut: String,
    /// Whether the last key cut something: what the next one cuts belongs to it.
    cutting: bool,
    /// Whether a line of a pasted text has ended: what follows stands apart from it.
    ended: bool,
}

impl Line {
    /// A line with this text, the cursor behind it.
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            cursor: text.len(),
            ..Self::default()
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text before the cursor and the rest.
    pub fn parts(&self) -> (&str, &str) {
        self.text.split_at(self.cursor)
    }

    /// Edits the line; keys that have nothing to do with it do nothing.
    pub fn press(&mut self, key: Key) {
        let cutting = std::mem::take(&mut self.cutting);
        let ended = std::mem::take(&mut self.ended);
        match key {
            Key::Char(character) => self.insert(character),
            Key::Pasted('\r' | '\n' | '\t') => self.ended = true,
            Key::Pasted(character) => {
                let (before, _) = self.parts();
                if ended && !before.is_empty() && !before.ends_with(' ') {
                    self.insert(' ');
                }
                self.insert(character);
            }
            Key::Left | Key::Control('b') => self.cursor = self.before(),
            Key::Right | Key::Control('f') => self.cursor = self.after(),
            Key::WordLeft | Key::Alt('b') => self.cursor = self.word_before(char::is_alphanumeric),
            Key::WordRight | Key::Alt('f') => self.cursor = self.word_after(),
            Key::Home | Key::Control('a') => self.cursor = 0,
            Key::End | Key::Control('e') => self.cursor = self.text.len(),
            Key::Backspace => {
                let from = self.before();
                self.remove(from, self.cursor);
            }
            Key::Delete | Key::Control('d') => self.remove(self.cursor, self.after()),
            Key::Control('k') => self.cut(self.cursor, self.text.len(), cutting),
            Key::Control('u') => self.cut(0, self.cursor, cutting),
            Key::Control('w') => {
                let from = self.word_before(|character| !character.is_whitespace());
                self.cut(from, self.cursor, cutting);
            }
            Key::AltBackspace => {
                let from = self.word_before(char::is_alphanumeric);
                self.cut(from, self.cursor, cutting);
            }
            Key::Alt('d') => self.cut(self.cursor, self.word_after(), cutting),
            Key::Control('y') => {
                self.text.insert_str(self.cursor, &self.cut);
                self.cursor += self.cut.len();
            }
            Key::Control('t') => self.transpose(),
            Key::Enter
            | Key::Feed
            | Key::Tab
            | Key::Escape
            | Key::Up
            | Key::Down
            | Key::PageUp
            | Key::PageDown
            | Key::Control(_)
            | Key::Alt(_) => {}
        }
    }

    fn insert(&mut self, character: char) {
        self.text.insert(self.cursor, character);
        self.cursor += character.len_utf8();
    }

    /// The place of the character before the cursor.
    fn before(&self) -> usize {
        let (before, _) = self.parts();
        before
            .grapheme_indices(true)
            .next_back()
            .map_or(0, |(at, _)| at)
    }

    /// The place behind the character at the cursor.
    fn after(&self) -> usize {
        let (_, rest) = self.parts();
        self.cursor + rest.graphemes(true).next().map_or(0, str::len)
    }

    /// The beginning of the word at or before the cursor.
    fn word_before(&self, is_word: impl Fn(char) -> bool) -> usize {
        let (before, _) = self.parts();
        let word = before.trim_end_matches(|character| !is_word(character));
        word.trim_end_matches(is_word).len()
    }

    /// The end of the word at or after the cursor.
    fn word_after(&self) -> usize {
        let (_, rest) = self.parts();
        let word = rest.trim_start_matches(|character: char| !character.is_alphanumeric());
        self.text.len() - word.trim_start_matches(char::is_alphanumeric).len()
    }

    fn remove(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = from;
    }

    fn cut(&mut self, from: usize, to: usize, goes_on: bool) {
        let piece = self.text[from..to].to_owned();
        if goes_on && from < self.cursor {
            self.cut.insert_str(0, &piece);
        } else if goes_on {
            self.cut.push_str(&piece);
        } else if piece.is_empty() {
            // What was cut before is kept.
            return;
        } else {
            self.cut = piece;
        }
        self.cutting = true;
        self.remove(from, to);
    }

    /// Moves the character before the cursor over the one at it, or the last one over the one before.
    fn transpose(&mut self) {
        if self.cursor == 0 || self.before() == 0 && self.cursor == self.text.len() {
            return;
        }
        if self.cursor == self.text.len() {
            self.cursor = self.before();
        }
        let (from, to) = (self.before(), self.after());
        let moved = self.text[from..self.cursor].to_owned();
        self.text.insert_str(to, &moved);
        self.text.replace_range(from..self.cursor, "");
        self.cursor = to;
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::Decoder;
    use super::Line;

    /// The line after these bytes, `|` for the cursor.
    fn edited(bytes: &str) -> String {
        let mut decoder = Decoder::new();
        let mut line = Line::default();
        for key in bytes.bytes().filter_map(|byte| decoder.take(byte)) {
            line.press(key);
        }
        let (before, rest) = line.parts();
        format!("{before}|{rest}")
    }

    #[test]
    fn keys_do_what_they_do_in_readline() {
        for (keys, expected) in [
            ("one two", "one two|"),
            // Ctrl-A, Ctrl-E, Ctrl-B, Ctrl-F and the keys for them.
            ("one\x01x\x05y", "xoney|"),
            ("one\x02\x02\x06x", "onx|e"),
            ("one\x1b[D\x1b[D\x1b[Cx", "onx|e"),
            ("one\x1b[Hx\x1b[Fy", "xoney|"),
            // Ctrl-H, Backspace, Delete, Ctrl-D.
            ("one\x08\x7f", "o|"),
            ("one\x01\x1b[3~\x04", "|e"),
            ("\x08\x04", "|"),
            // Ctrl-W takes words, Alt-Backspace those of letters.
            ("one two-three  \x17", "one |"),
            ("one two-three  \x1b\x7f", "one two-|"),
            ("\x17", "|"),
            // Ctrl-U and Ctrl-K take what stands before and behind.
            ("one two\x1bb\x15", "|two"),
            ("one two\x1bb\x0b", "one |"),
            // Alt-B, Alt-F, Alt-D, and Ctrl with the arrows.
            ("one two\x1bb\x1bbx", "x|one two"),
            ("one two\x01\x1bfx", "onex| two"),
            ("one two\x1b[1;5Dx", "one x|two"),
            ("one two\x01\x1b[1;5Cx", "onex| two"),
            ("one two\x01\x1bd", "| two"),
            // Ctrl-Y puts back what was cut last, all of it.
            ("one two\x15\x19\x19", "one twoone two|"),
            ("one two three\x17\x17\x19", "one two three|"),
            ("one two\x01\x1bd\x1bd\x19", "one two|"),
            ("one two\x17\x01\x15\x19", "two|one "),
            ("\x19", "|"),
            // Ctrl-T.
            ("ab\x14", "ba|"),
            ("abc\x02\x14", "acb|"),
            ("abc\x01\x14", "|abc"),
            ("a\x14", "a|"),
        ] {
            assert_eq!(edited(keys), expected, "{keys:?}");
        }
    }

    #[test]
    fn other_control_keys_type_nothing() {
        for byte in (0..0x20).map(char::from) {
            let typed = edited(&format!("{byte}"));
            assert_eq!(typed, "|", "{byte:?}");
        }
        assert_eq!(edited("one\x1a\x18\x0f\x1b.\x1bz"), "one|");
    }

    #[test]
    fn a_character_is_what_people_see_as_one() {
        for (keys, expected) in [
            ("ae\u{301}\x7f", "a|"),
            ("ae\u{301}\x02x", "ax|e\u{301}"),
            ("👩\u{200d}🚀b\x02\x7f", "|b"),
            ("你好\x02\x04", "你|"),
            ("e\u{301}b\x14", "be\u{301}|"),
            ("🇩🇪🇫🇷\x7f", "🇩🇪|"),
        ] {
            assert_eq!(edited(keys), expected, "{keys:?}");
        }
    }

    #[test]
    fn a_pasted_text_is_one_line() {
        let paste = |text: &str| format!("\x1b[200~{text}\x1b[201~");
        for end in ["\r", "\n", "\r\n"] {
            assert_eq!(edited(&paste(&format!("one{end}two"))), "one two|");
            assert_eq!(edited(&paste(&format!("{end}one{end}"))), "one|");
        }
        assert_eq!(edited(&format!("a{}b", paste("\tc"))), "a cb|");
        assert_eq!(edited(&format!("{}c", paste("a\n"))), "ac|");
        let line = Line::new("given");
        assert_eq!(line.parts(), ("given", ""));
    }
}

//! A line that the user edits.

use unicode_segmentation::UnicodeSegmentation as _;

use super::key::Key;

#[derive(Debug, Default)]
pub struct Line {
    text: String,
    /// The cursor's byte offset, which is always between two graphemes.
    cursor: usize,
    /// Whether a line of pasted text has just ended. A space then separates that line from the next.
    ended: bool,
}

impl Line {
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn parts(&self) -> (&str, &str) {
        self.text.split_at(self.cursor)
    }

    /// Edits the line. Ignores keys that don't edit.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most keys edit no line")]
    pub fn press(&mut self, key: Key) {
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
            Key::Home | Key::Control('a') => self.cursor = 0,
            Key::End | Key::Control('e') => self.cursor = self.text.len(),
            Key::Backspace => self.remove(self.before(), self.cursor),
            Key::Delete | Key::Control('d') => self.remove(self.cursor, self.after()),
            Key::Control('k') => self.remove(self.cursor, self.text.len()),
            Key::Control('u') => self.remove(0, self.cursor),
            Key::Control('w') => {
                let (before, _) = self.parts();
                let word = before
                    .trim_end()
                    .trim_end_matches(|c: char| !c.is_whitespace());
                self.remove(word.len(), self.cursor);
            }
            _ => {}
        }
    }

    fn insert(&mut self, character: char) {
        self.text.insert(self.cursor, character);
        self.cursor += character.len_utf8();
    }

    fn before(&self) -> usize {
        let (before, _) = self.parts();
        let last = before.graphemes(true).next_back();
        self.cursor - last.map_or(0, str::len)
    }

    fn after(&self) -> usize {
        let (_, rest) = self.parts();
        self.cursor + rest.graphemes(true).next().map_or(0, str::len)
    }

    fn remove(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = from;
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::Decoder;
    use super::Line;

    /// Returns the line after these bytes were typed, with `|` at the cursor.
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
    fn keys_edit_the_line() {
        for (keys, expected) in [
            ("one two", "one two|"),
            ("one\x01x\x05y", "xoney|"),
            ("one\x02\x02\x06x", "onx|e"),
            ("one\x1b[D\x1b[D\x1b[Cx", "onx|e"),
            ("one\x1b[Hx\x1b[Fy", "xoney|"),
            ("one\x08\x7f", "o|"),
            ("one\x01\x1b[3~\x04", "|e"),
            ("\x08\x04\x17", "|"),
            ("one two-three  \x17", "one |"),
            ("one two\x02\x02\x02\x15", "|two"),
            ("one two\x02\x02\x02\x0b", "one |"),
            ("one\x1a\x18\x0f\x14\x19\x1b.\x1bz\0", "one|"),
            // A grapheme counts as one character.
            ("ae\u{301}\x7f", "a|"),
            ("ae\u{301}\x02x", "ax|e\u{301}"),
            ("👩\u{200d}🚀b\x02\x7f", "|b"),
            ("你好\x02\x04", "你|"),
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
    }
}

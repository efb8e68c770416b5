//! Decodes keys from the bytes that a terminal sends.

use zeroize::Zeroizing;

/// The maximum number of bytes to store from an escape sequence.
const LONGEST: usize = 32;

const PASTE_ENDS: &[u8] = b"\x1b[201~";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Char(char),
    /// A character of pasted text, including line ends and tabs.
    Pasted(char),
    /// CR, which terminals send for Enter.
    Enter,
    /// LF: Ctrl-J, or an Enter that was pressed before the prompt appeared.
    Feed,
    Tab,
    Backspace,
    Delete,
    Escape,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    /// Ctrl with this lowercase letter.
    Control(char),
}

impl Key {
    pub fn is_enter(self) -> bool {
        matches!(self, Self::Enter | Self::Feed)
    }
}

pub struct Decoder {
    /// The bytes of an incomplete sequence or character.
    pending: Zeroizing<Vec<u8>>,
    pasting: bool,
}

impl Decoder {
    pub fn new() -> Self {
        Self {
            pending: Zeroizing::new(Vec::with_capacity(LONGEST + 1)),
            pasting: false,
        }
    }

    pub fn is_open(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Adds a byte. Returns the key if the byte completes one.
    pub fn take(&mut self, byte: u8) -> Option<Key> {
        let breaks_off = matches!(self.pending.first(), Some(0x80..=0xff)) && byte & 0xc0 != 0x80;
        if breaks_off {
            // The previous character was incomplete.
            self.pending.clear();
        }
        self.pending.push(byte);
        let decoded = if self.pasting {
            self.pasted()
        } else {
            self.pressed()
        };
        match decoded {
            Decoded::Open => {
                self.pending.truncate(LONGEST);
                None
            }
            Decoded::Nothing => {
                self.pending.clear();
                None
            }
            Decoded::Key(key) => {
                self.pending.clear();
                Some(key)
            }
        }
    }

    /// Discards the pending bytes. Call this when no more bytes arrive. Returns [`Key::Escape`] if the user pressed Esc.
    pub fn give_up(&mut self) -> Option<Key> {
        let escapes = self.pending.iter().all(|&byte| byte == 0x1b);
        let key = (self.is_open() && escapes && !self.pasting).then_some(Key::Escape);
        self.pending.clear();
        key
    }

    fn pasted(&mut self) -> Decoded {
        match self.pending.as_slice() {
            PASTE_ENDS => {
                self.pasting = false;
                Decoded::Nothing
            }
            [0x1b, ..] if PASTE_ENDS.starts_with(&self.pending) => Decoded::Open,
            [0x1b, ..] => Decoded::Nothing,
            bytes => character(bytes, Key::Pasted),
        }
    }

    fn pressed(&mut self) -> Decoded {
        match self.pending.as_slice() {
            b"\x1b[200~" => {
                self.pasting = true;
                Decoded::Nothing
            }
            [0x1b] | [0x1b, 0x1b | b'[' | b'O'] | [0x1b, 0x1b, b'[' | b'O'] => Decoded::Open,
            // Some terminals send a second ESC for Alt.
            [0x1b, 0x1b, rest @ ..] | [0x1b, rest @ ..] => sequence(rest),
            bytes => character(bytes, Key::Char),
        }
    }
}

enum Decoded {
    Open,
    Nothing,
    Key(Key),
}

fn character(bytes: &[u8], key: fn(char) -> Key) -> Decoded {
    let pasted = key('a') == Key::Pasted('a');
    match *bytes {
        [byte @ (b'\r' | b'\n' | b'\t')] if pasted => Decoded::Key(key(char::from(byte))),
        [0..0x20 | 0x7f] if pasted => Decoded::Nothing,
        [b'\r'] => Decoded::Key(Key::Enter),
        [b'\n'] => Decoded::Key(Key::Feed),
        [b'\t'] => Decoded::Key(Key::Tab),
        [0x08 | 0x7f] => Decoded::Key(Key::Backspace),
        [byte @ 1..=26] => Decoded::Key(Key::Control(char::from(byte - 1 + b'a'))),
        [0..0x20] => Decoded::Nothing,
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text
                .chars()
                .next()
                .filter(|character| !character.is_control())
                .map_or(Decoded::Nothing, |character| Decoded::Key(key(character))),
            Err(error) if error.error_len().is_none() => Decoded::Open,
            Err(_) => Decoded::Nothing,
        },
    }
}

fn sequence(bytes: &[u8]) -> Decoded {
    match bytes {
        // Function keys of the Linux console.
        [b'[', b'['] => Decoded::Open,
        [b'[', b'[', ..] => Decoded::Nothing,
        [b'[', parameters @ .., last] => match last {
            0x20..=0x3f => Decoded::Open,
            0x40..=0x7e => control(parameters, *last).map_or(Decoded::Nothing, Decoded::Key),
            _ => Decoded::Nothing,
        },
        [b'O', last] => control(b"", *last).map_or(Decoded::Nothing, Decoded::Key),
        _ => Decoded::Nothing,
    }
}

fn control(parameters: &[u8], last: u8) -> Option<Key> {
    let text = std::str::from_utf8(parameters).ok()?;
    let first = text
        .split(';')
        .next()
        .and_then(|number| number.parse::<u8>().ok());
    Some(match (last, first) {
        (b'A', _) => Key::Up,
        (b'B', _) => Key::Down,
        (b'C', _) => Key::Right,
        (b'D', _) => Key::Left,
        (b'H', _) | (b'~', Some(1 | 7)) => Key::Home,
        (b'F', _) | (b'~', Some(4 | 8)) => Key::End,
        (b'~', Some(3)) => Key::Delete,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Decoder, Key};

    fn keys(bytes: &[u8]) -> Vec<Key> {
        let mut decoder = Decoder::new();
        let mut keys: Vec<Key> = bytes
            .iter()
            .filter_map(|&byte| decoder.take(byte))
            .collect();
        keys.extend(decoder.give_up());
        keys
    }

    #[test]
    fn every_key_is_known_by_the_sequences_of_the_usual_terminals() {
        for (bytes, expected) in [
            (&b"a"[..], &[Key::Char('a')][..]),
            ("ü你🎉".as_bytes(), &['ü', '你', '🎉'].map(Key::Char)),
            (b"\r\n\t", &[Key::Enter, Key::Feed, Key::Tab]),
            (b"\x7f\x08", &[Key::Backspace, Key::Backspace]),
            (b"\x01\x1a", &[Key::Control('a'), Key::Control('z')]),
            (b"\x1b", &[Key::Escape]),
            (b"\x1b\x1b", &[Key::Escape]),
            (b"\x1b[A\x1bOB", &[Key::Up, Key::Down]),
            (b"\x1b[C\x1b[D", &[Key::Right, Key::Left]),
            (b"\x1b[1;5C\x1b\x1b[D", &[Key::Right, Key::Left]),
            (b"\x1b[H\x1b[1~\x1bOH\x1b[7~", &[Key::Home; 4]),
            (b"\x1b[F\x1b[4~\x1bOF\x1b[8~", &[Key::End; 4]),
            (b"\x1b[3~\x1b[3;5~", &[Key::Delete, Key::Delete]),
            (b"\x1bb\x1bF\x1b\x7f", &[]),
        ] {
            assert_eq!(keys(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn what_is_no_key_types_nothing_and_takes_nothing_with_it() {
        for nothing in [
            &b"\0"[..],
            b"\x1c",
            b"\x1b[24~",
            b"\x1b[5~",
            b"\x1b[[A",
            b"\x1b[27;5;13~",
            b"\x1bOP",
            b"\x1b.",
            b"\x1b\xc3\xbc",
            b"\xff",
            b"\xc3",
            b"\xe4\xbd",
            b"\xc2\x9b",
            b"\x1b[?1;2c",
            b"\x1b[1234567890123456789012345678901234567890P",
        ] {
            let bytes = [nothing, b"x"].concat();
            assert_eq!(keys(&bytes), [Key::Char('x')], "{nothing:?}");
            assert_eq!(keys(nothing), [], "{nothing:?}");
        }
    }

    #[test]
    fn a_pasted_text_has_its_characters_and_no_commands() {
        let pasted = keys("\x1b[200~a\r\n\tü\x03\x1bz\x1b[201~b".as_bytes());
        let mut expected = ['a', '\r', '\n', '\t', 'ü'].map(Key::Pasted).to_vec();
        expected.push(Key::Char('b'));
        assert_eq!(pasted, expected);
    }
}

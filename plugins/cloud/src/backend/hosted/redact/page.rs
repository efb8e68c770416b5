//! A text, and which parts of it repeat a secret.

use std::collections::HashMap;

use zeroize::Zeroizing;

/// Takes the place of what is hidden.
pub const HIDDEN: &str = "[hidden]";

/// A repetition of so many characters is hidden, wherever in a secret they stand.
pub const WINDOW: usize = 8;

/// Secrets of fewer characters are hidden only where a whole word repeats them: shorter parts occur in honest sentences.
const SHORT: usize = 6;

/// So many characters behind the mark of its kind are those of the secret, and not of another.
const SURE: usize = 3;

/// A text and which of its bytes are to be hidden.
pub struct Page<'t> {
    text: &'t str,
    hidden: Vec<bool>,
    /// The positions of each window of the text, by the length of the window.
    windows: HashMap<usize, HashMap<&'t [u8], Vec<usize>>>,
}

impl<'t> Page<'t> {
    /// A text with nothing hidden.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            hidden: vec![false; text.len()],
            windows: HashMap::new(),
        }
    }

    /// Marks every part of `form` that is long enough to tell something.
    pub fn mark(&mut self, form: &[u8]) {
        if form.len() < SHORT {
            if form.len() > 2 {
                self.mark_word(form);
            }
            return;
        }
        let length = (form.len() - 2).clamp(SHORT.min(form.len()), WINDOW);
        let text = self.text.as_bytes();
        let windows = self.windows.entry(length).or_insert_with(|| {
            let mut windows: HashMap<&[u8], Vec<usize>> = HashMap::new();
            for (at, window) in text.windows(length).enumerate() {
                windows.entry(window).or_default().push(at);
            }
            windows
        });
        for window in form.windows(length) {
            for &at in windows.get(window).into_iter().flatten() {
                self.hidden[at..at + length].fill(true);
            }
        }
    }

    /// Returns whether the text repeats a part of `form`.
    pub fn repeats(mut self, form: &[u8]) -> bool {
        self.mark(form);
        self.hidden.contains(&true)
    }

    /// Marks even a short beginning of `secret`, where the `kind` bytes that say of what kind it is stand before it.
    pub fn mark_beginning(&mut self, secret: &str, kind: usize) {
        let lower = Zeroizing::new(secret.to_ascii_lowercase());
        let Some(sure) = lower.get(..kind + SURE).filter(|_| kind > 0) else {
            return;
        };
        for (at, _) in self.text.match_indices(sure) {
            let rest = &self.text.as_bytes()[at..];
            let same = rest.iter().zip(lower.bytes());
            let length = same.take_while(|(one, other)| **one == *other).count();
            self.hidden[at + kind..at + length].fill(true);
        }
    }

    fn mark_word(&mut self, word: &[u8]) {
        for at in self.occurrences(word) {
            self.hidden[at..at + word.len()].fill(true);
        }
    }

    /// Shows a public word again, unless more than the word was hidden.
    pub fn unmark(&mut self, word: &str) {
        for at in self.occurrences(word.as_bytes()) {
            let end = at + word.len();
            let goes_on = (at > 0 && self.hidden[at - 1]) || self.hidden.get(end) == Some(&true);
            if !goes_on {
                self.hidden[at..end].fill(false);
            }
        }
    }

    /// Returns the positions at which `word` occurs as a whole word.
    fn occurrences(&self, word: &[u8]) -> Vec<usize> {
        let text = self.text.as_bytes();
        let joins = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        if word.is_empty() || word.len() > text.len() {
            return Vec::new();
        }
        (0..=text.len() - word.len())
            .filter(|&at| {
                text[at..].starts_with(word)
                    && !joins(at.checked_sub(1).and_then(|before| text.get(before)))
                    && !joins(text.get(at + word.len()))
            })
            .collect()
    }

    /// Returns the text with every hidden part replaced.
    pub fn replaced(&self, original: &str) -> String {
        let mut shown = String::with_capacity(original.len());
        let mut hiding = false;
        for (at, character) in original.char_indices() {
            let hidden = self.hidden[at..at + character.len_utf8()].contains(&true);
            if hidden && !hiding {
                shown.push_str(HIDDEN);
            } else if !hidden {
                shown.push(character);
            }
            hiding = hidden;
        }
        shown
    }
}

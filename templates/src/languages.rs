//! The languages of generated bots, from `files/languages.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::embedded;

/// The language of a bot that has no other.
pub const ENGLISH: &str = "en";

/// What a bot says in one language, by the names that templates use.
pub type Words = BTreeMap<String, String>;

/// Returns the words of each language, by its code.
pub fn languages() -> &'static BTreeMap<String, Words> {
    static LANGUAGES: LazyLock<BTreeMap<String, Words>> =
        LazyLock::new(|| embedded::table("languages").unwrap_or_default());
    &LANGUAGES
}

#[cfg(test)]
mod tests {
    use super::{ENGLISH, Words, languages};

    /// The parts of answers, which may be the same in two languages.
    const PARTS: [&str; 4] = ["asks", "paris", "lisbon", "red"];

    #[test]
    fn every_language_has_every_sentence_in_its_own_words() {
        let english = &languages()[ENGLISH];
        assert_eq!(english["sorry"], "Sorry, something went wrong on my side.");
        for (code, words) in languages() {
            let names = |words: &Words| words.keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(words), names(english), "{code}");
            assert!(words["locale"].starts_with(&format!("{code}-")), "{code}");
            for (name, text) in words {
                assert!(!text.is_empty() && text.trim() == text, "{code}: {name}");
                let is_own = code == ENGLISH || PARTS.contains(&name.as_str());
                assert!(is_own || *text != english[name], "{code}: {name}");
            }
        }
        assert_eq!(languages().len(), 11);
    }
}

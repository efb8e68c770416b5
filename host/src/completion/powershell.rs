/// Quotes `text` for PowerShell. Non-empty text without special characters stays unquoted.
pub fn quoted(text: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "_-./:=+%".contains(character);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let mut quoted = "'".to_owned();
    for character in text.chars() {
        // PowerShell treats typographic quotes as straight ones.
        if matches!(character, '\'' | '\u{2018}'..='\u{201b}') {
            quoted.push(character);
        }
        quoted.push(character);
    }
    quoted.push('\'');
    quoted
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn only_plain_words_stand_without_quotes() {
        for (text, expected) in [
            ("plain-1.2/x:y=z", "plain-1.2/x:y=z"),
            ("two words", "'two words'"),
            ("$(x)`y`;@{}", "'$(x)`y`;@{}'"),
            ("it's", "'it''s'"),
            ("it\u{2019}s", "'it\u{2019}\u{2019}s'"),
            ("a,b", "'a,b'"),
        ] {
            assert_eq!(quoted(text), expected);
        }
    }
}

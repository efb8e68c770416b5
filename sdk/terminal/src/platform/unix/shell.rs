//! The user's shell on Unix.

use std::borrow::Cow;

/// Quotes a word for a POSIX shell, on one line.
pub fn quoted(word: &str) -> String {
    if word.chars().any(char::is_control) {
        let escaped: String = word.chars().map(escaped).collect();
        return format!("$'{escaped}'");
    }
    // Only NUL can't be quoted, and it is a control character.
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), Cow::into_owned)
}

fn escaped(character: char) -> String {
    match character {
        '\\' | '\'' => format!("\\{character}"),
        '\n' => "\\n".to_owned(),
        '\t' => "\\t".to_owned(),
        // Arguments and paths never contain NUL.
        '\0' => String::new(),
        control if control.is_control() => {
            let mut bytes = [0; 4];
            let bytes = control.encode_utf8(&mut bytes).bytes();
            bytes.fold(String::new(), |text, byte| text + &format!("\\{byte:03o}"))
        }
        plain => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::quoted;

    #[test]
    fn a_word_is_read_back_from_one_line() {
        for word in [
            "plain",
            "",
            "two words",
            "it's `a` $HOME \\",
            "a\nb",
            "a\tb\\n'c'\r\u{1b}5\u{85}é",
        ] {
            let line = quoted(word);
            assert!(!line.chars().any(char::is_control), "{line:?}");
            let mut bash = Command::new("bash");
            let output = bash.args(["-c", &format!("printf %s {line}")]).output();
            assert_eq!(String::from_utf8(output.unwrap().stdout).unwrap(), word);
        }
    }
}

//! Splits a bash command line into words, and quotes candidates for bash.
//!
//! Bash inserts candidates unchanged. This module quotes them to match the word before the cursor, because a plugin may offer arbitrary
//! names.

#[derive(Debug)]
pub struct Line {
    /// The words without quotes, starting with the program's name. The last word, which may be empty, is the word to complete.
    pub words: Vec<String>,
    /// The unquoted beginning of the last word, which bash does not replace.
    kept: String,
    /// The quotation mark that is still open at the cursor, if any.
    quote: Option<char>,
}

impl Line {
    /// Splits the line into words as bash does. Bash replaces only the text after the last opening quotation mark or after the last
    /// character that is in `breaks`.
    pub fn read(line: &str, breaks: &str) -> Self {
        let mut words = vec![String::new()];
        let mut kept = String::new();
        let mut quote = None;
        let mut is_word = false;
        let mut characters = line.chars().peekable();
        while let Some(character) = characters.next() {
            let word = words.last_mut();
            let Some(word) = word else { break };
            match (quote, character) {
                (Some('\''), '\'') | (Some('"'), '"') => quote = None,
                (Some('"'), '\\') => match characters.peek() {
                    Some('"' | '\\' | '$' | '`') => word.extend(characters.next()),
                    Some(_) | None => word.push('\\'),
                },
                (None, '\\') => {
                    is_word = true;
                    word.extend(characters.next());
                }
                (None, '\'' | '"') => {
                    is_word = true;
                    quote = Some(character);
                    kept.clone_from(word);
                }
                (None, ' ' | '\t' | '\n') => {
                    if is_word {
                        words.push(String::new());
                        kept.clear();
                    }
                    is_word = false;
                }
                (None, character) => {
                    is_word = true;
                    word.push(character);
                    if breaks.contains(character) {
                        kept.clone_from(word);
                    }
                }
                (Some(_), character) => word.push(character),
            }
        }
        Self { words, kept, quote }
    }

    /// Returns the text that bash inserts so that the last word becomes `candidate`. Returns `None` if `candidate` does not start with the
    /// part of the word that bash leaves unchanged.
    pub fn insertion(&self, candidate: &str) -> Option<String> {
        let rest = candidate.strip_prefix(self.kept.as_str())?;
        Some(quoted(rest, self.quote))
    }

    /// Returns the part of the last word that bash replaces, without quotes.
    pub fn replaced(&self) -> &str {
        let word = self.words.last().map_or("", String::as_str);
        word.strip_prefix(self.kept.as_str()).unwrap_or(word)
    }

    /// Returns the part of `prefix` that bash replaces. `prefix` is the text before a path.
    pub fn prefix<'a>(&self, prefix: &'a str) -> &'a str {
        prefix.strip_prefix(self.kept.as_str()).unwrap_or_default()
    }
}

fn quoted(text: &str, quote: Option<char>) -> String {
    match quote {
        Some('\'') => text
            .chars()
            .map(|character| match character {
                '\'' => "'\\''".to_owned(),
                control if control.is_control() => format!("'{}'", ansi(&control.to_string())),
                other => other.to_string(),
            })
            .collect(),
        Some(_) => text
            .chars()
            .map(|character| match character {
                '"' | '\\' | '$' | '`' => format!("\\{character}"),
                // A backslash does not prevent history expansion here.
                '!' => "\"'!'\"".to_owned(),
                control if control.is_control() => format!("\"{}\"", ansi(&control.to_string())),
                other => other.to_string(),
            })
            .collect(),
        None if text.chars().any(char::is_control) => ansi(text),
        None => text.chars().map(escaped).collect(),
    }
}

fn escaped(character: char) -> String {
    let plain = character.is_alphanumeric() || "_-./,+@%=:".contains(character);
    if plain || !character.is_ascii() {
        character.to_string()
    } else {
        format!("\\{character}")
    }
}

/// Quotes text in the form `$'…'`, which can represent any character.
fn ansi(text: &str) -> String {
    let inner: String = text
        .chars()
        .map(|character| match character {
            '\n' => "\\n".to_owned(),
            '\t' => "\\t".to_owned(),
            '\'' | '\\' => format!("\\{character}"),
            control if control.is_control() => format!("\\u{:04x}", u32::from(control)),
            other => other.to_string(),
        })
        .collect();
    format!("$'{inner}'")
}

#[cfg(test)]
mod tests {
    use super::Line;

    const BREAKS: &str = " \t\n\"'><=;|&(:";

    #[test]
    fn a_line_is_read_as_bash_reads_it() {
        for (line, words, replaced) in [
            ("bot-cli ", &["bot-cli", ""][..], ""),
            ("bot-cli  a b", &["bot-cli", "a", "b"], "b"),
            (
                r"bot-cli a\ b 'c d' x",
                &["bot-cli", "a b", "c d", "x"],
                "x",
            ),
            (
                r#"bot-cli "a \"b\" \c"#,
                &["bot-cli", r#"a "b" \c"#],
                r#"a "b" \c"#,
            ),
            ("bot-cli --x=a:b", &["bot-cli", "--x=a:b"], "b"),
            ("bot-cli --x='a:b", &["bot-cli", "--x=a:b"], "a:b"),
            ("bot-cli '' ", &["bot-cli", "", ""], ""),
            (r"bot-cli \", &["bot-cli", ""], ""),
        ] {
            let read = Line::read(line, BREAKS);
            assert_eq!(read.words, words, "{line}");
            assert_eq!(read.replaced(), replaced, "{line}");
        }
    }

    #[test]
    fn a_candidate_is_quoted_as_the_word_wants_it() {
        for (line, candidate, insertion) in [
            ("b ", "plain-1.2", Some("plain-1.2")),
            ("b ", "two words", Some(r"two\ words")),
            (
                "b ",
                "z$(touch x)`y`;&|<>*?[]{}~#!",
                Some(r"z\$\(touch\ x\)\`y\`\;\&\|\<\>\*\?\[\]\{\}\~\#\!"),
            ),
            ("b ", "it's", Some(r"it\'s")),
            ("b ", "a\nb'c", Some(r"$'a\nb\'c'")),
            ("b ", "é ü", Some(r"é\ ü")),
            ("b 'tw", "two 'words'", Some(r"two '\''words'\''")),
            ("b 'x", "x\ny", Some(r"x'$'\n''y")),
            ("b \"tw", "two \"$x`!", Some(r#"two \"\$x\`"'!'""#)),
            ("b a:", "a:b c", Some(r"b\ c")),
            ("b --x=", "--x=y z", Some(r"y\ z")),
            ("b --x='", "--x=y z", Some("y z")),
            ("b q:", "other", None),
        ] {
            let read = Line::read(line, BREAKS);
            assert_eq!(
                read.insertion(candidate).as_deref(),
                insertion,
                "{line} {candidate}"
            );
        }
    }
}

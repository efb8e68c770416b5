//! Splits a bash command line into words, because bash passes them with their quotes, and split at `=` and `:`.

#[derive(Debug)]
pub struct Line {
    /// The words without quotes, starting with the program's name. The last word, which may be empty, is the word to complete.
    pub words: Vec<String>,
    /// The unquoted beginning of the last word, which bash does not replace.
    kept: String,
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
        Self { words, kept }
    }

    /// Returns the text that bash inserts so that the last word becomes `candidate`. Returns `None` if `candidate` does not start with the
    /// part of the word that bash leaves unchanged.
    pub fn insertion<'a>(&self, candidate: &'a str) -> Option<&'a str> {
        candidate.strip_prefix(self.kept.as_str())
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
    fn what_bash_leaves_unchanged_is_left_out() {
        for (line, candidate, insertion) in [
            ("b ", "plain-1.2", Some("plain-1.2")),
            ("b 'pl", "plain", Some("plain")),
            ("b a:", "a:b", Some("b")),
            ("b --x=", "--x=y", Some("y")),
            ("b --x='", "--x=y", Some("y")),
            ("b q:", "other", None),
        ] {
            let read = Line::read(line, BREAKS);
            assert_eq!(read.insertion(candidate), insertion, "{line} {candidate}");
        }
    }
}

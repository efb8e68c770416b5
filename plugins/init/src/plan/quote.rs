//! Quotes arbitrary text for the languages used in generated files.

use std::fmt::Write;

/// Returns a Python string literal with the quotes that `ruff format` prefers.
pub(super) fn py(text: &str) -> String {
    let singles = text.matches('\'').count();
    let doubles = text.matches('"').count();
    if doubles > singles {
        quoted(text, '\'')
    } else {
        quoted(text, '"')
    }
}

pub(super) fn doc(text: &str) -> String {
    let quoted = quoted(text, '"');
    quoted[1..quoted.len() - 1].to_owned()
}

/// Returns a double-quoted string that is valid in TOML, YAML and JSON.
pub(super) fn double(text: &str) -> String {
    quoted(text, '"')
}

pub(super) fn sh(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Escapes text for use in an HTML element or a quoted attribute.
pub(super) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(if invisible(other) { ' ' } else { other }),
        }
    }
    out
}

/// Escapes text for a line of Markdown, so that no character is interpreted as markup.
pub(super) fn md(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
    {
        if r"\`*_{}[]<>#|~&$".contains(c) {
            out.push('\\');
        }
        out.push(if invisible(c) { ' ' } else { c });
    }
    out
}

fn quoted(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str(r"\\"),
            '\n' => out.push_str(r"\n"),
            '\r' => out.push_str(r"\r"),
            '\t' => out.push_str(r"\t"),
            other if other == quote => {
                out.push('\\');
                out.push(quote);
            }
            // All of these are in the Basic Multilingual Plane, so four digits are enough in all four languages.
            other if invisible(other) => {
                let _ = write!(out, "\\u{:04x}", u32::from(other));
            }
            other => out.push(other),
        }
    }
    out.push(quote);
    out
}

/// Reports whether a character is a control character, is a line separator, or reorders or hides text.
fn invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_takes_the_quotes_that_need_fewer_escapes() {
        assert_eq!(py("plain"), r#""plain""#);
        assert_eq!(py(r#"say "hi""#), r#"'say "hi"'"#);
        assert_eq!(py(r#"it's "it""#), r#"'it\'s "it"'"#);
        assert_eq!(py("a\\b\n\u{202e}"), r#""a\\b\n\u202e""#);
    }

    #[test]
    fn a_docstring_does_not_end_within_its_text() {
        assert_eq!(doc("plain"), "plain");
        assert_eq!(doc("a\"\"\"b\\"), r#"a\"\"\"b\\"#);
        assert_eq!(doc("a\nb"), r"a\nb");
    }

    #[test]
    fn a_quoted_literal_reads_back_in_toml_yaml_and_json() {
        for text in [
            "",
            "a\"b\\c\n\t\r",
            "\u{7f}\u{85}\u{2028}\u{feff}",
            "{{ x }} $(x) 🦜 é",
        ] {
            let literal = double(text);
            let from_toml: toml::Table = toml::from_str(&format!("x = {literal}")).unwrap();
            assert_eq!(from_toml["x"].as_str(), Some(text));
            assert_eq!(serde_json::from_str::<String>(&literal).unwrap(), text);
        }
    }

    #[test]
    fn a_shell_word_stays_one_word() {
        assert_eq!(sh("my-bot"), "my-bot");
        assert_eq!(sh("it's $(x)"), r"'it'\''s $(x)'");
        assert_eq!(sh(""), "''");
    }

    #[test]
    fn markdown_and_html_get_no_markup() {
        assert_eq!(md("# a\n*b* [c](d) <e>"), r"\# a \*b\* \[c\](d) \<e\>");
        assert_eq!(html("<a href='x'>&"), "&lt;a href=&#39;x&#39;&gt;&amp;");
    }
}

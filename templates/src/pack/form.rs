//! The allowed formats of the strings in a service. A string in generated code is an identifier, a version or a quoted literal. A
//! user-facing string is one printable line.

use crate::FRAMEWORK;

use super::names::{BUILTINS, KEYWORDS, RESERVED, is_own_module};

/// The allowed format of a string: the maximum number of characters, a check, and a description for error messages.
pub struct Form(usize, fn(&str) -> bool, &'static str);

// The maximum lengths fit the generated lines of code.
pub const ID: Form = Form(64, is_id, "words like `acme_fast_stt`");
pub const MODULE: Form = Form(80, is_module, "a module like `acme.stt`");
pub const CLASS: Form = Form(44, is_class, "a class like `AcmeService`");
pub const NAME: Form = Form(44, is_free, "a name that is free in `services.py`");
pub const KEYWORD: Form = Form(60, is_identifier, "an argument like `api_key`");
pub const EXPRESSION: Form = Form(60, is_expression, "a value like `Region.EU`");
pub const VARIABLE: Form = Form(42, is_variable, "one like `ACME_REGION`");
pub const EXTRA: Form = Form(40, is_package, "an extra like `openai`");
pub const PACKAGE: Form = Form(80, is_range, "one like `acme>=1.2,<2`");
pub const PYTHON: Form = Form(
    4,
    is_python,
    "a version that the framework supports, like `3.12`",
);
pub const LANGUAGE: Form = Form(6, is_language, "a language like `de` or `pt-BR`");
pub const LABEL: Form = Form(40, is_line, "a plain name on one line");
pub const TEXT: Form = Form(160, is_line, "one line of plain characters");
pub const SITE: Form = Form(120, is_site, "one like `https://acme.example`");
pub const VALUE: Form = Form(80, is_value, "a plain line without backticks");

impl Form {
    pub fn problem(&self, text: &str) -> Option<String> {
        let Self(longest, fits, form) = self;
        if text.is_empty() {
            return Some("must not be empty".to_owned());
        }
        if text.chars().count() > *longest {
            return Some(format!("must have at most {longest} characters"));
        }
        (!fits(text)).then(|| format!("is `{}`, not {form}", shown(text)))
    }
}

/// Shortens and escapes arbitrary text for an error message.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut short: String = text.chars().take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    let escaped = short.escape_debug().to_string().replace('`', "'");
    escaped.replace("\\'", "'").replace("\\\"", "\"")
}

/// Reports whether the text consists of nonempty words joined by `separator`. `letter` decides which bytes a word may contain.
fn is_words(text: &str, separator: char, letter: fn(u8) -> bool) -> bool {
    text.split(separator)
        .all(|word| !word.is_empty() && word.bytes().all(letter))
}

fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

/// Reports whether the text is an ASCII Python identifier other than a keyword. A leading underscore isn't allowed, because such names are
/// private.
fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !KEYWORDS.contains(text)
}

fn is_id(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase()) && is_words(text, '_', is_lower)
}

fn is_module(text: &str) -> bool {
    // Modules such as `_private` are allowed. `__future__` and the project's own files aren't.
    let is_part =
        |part: &str| is_identifier(part.trim_start_matches('_')) && !part.starts_with("__");
    let top = text.split('.').next().unwrap_or_default();
    text.split('.').all(is_part) && !is_own_module(top)
}

fn is_class(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase()) && is_free(text)
}

fn is_free(text: &str) -> bool {
    is_identifier(text) && !BUILTINS.contains(text) && !RESERVED.contains(text)
}

fn is_expression(text: &str) -> bool {
    ["session", "None", "True", "False"].contains(&text) || {
        let mut parts = text.split('.');
        parts.next().is_some_and(is_free) && parts.all(is_identifier)
    }
}

fn is_variable(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Reports whether the text is a package name in the normalized form of the Python Package Index.
fn is_package(text: &str) -> bool {
    is_words(text, '-', is_lower)
}

fn is_range(text: &str) -> bool {
    let Some((subject, range)) = text.split_once(">=") else {
        return false;
    };
    let (name, extras) = match subject.split_once('[') {
        None => (subject, None),
        Some((name, extras)) => (name, Some(extras.strip_suffix(']').unwrap_or_default())),
    };
    // A service can't choose the project's framework version.
    is_package(name)
        && name != "pipecat-ai"
        && extras.is_none_or(|extras| extras.split(',').all(is_package))
        && range
            .split_once(",<")
            .is_some_and(|(floor, ceiling)| is_release(floor) && is_release(ceiling))
}

fn is_release(text: &str) -> bool {
    is_words(text, '.', |byte| byte.is_ascii_digit())
        && text.split('.').all(|number| number.len() < 10)
}

fn is_python(text: &str) -> bool {
    (8..FRAMEWORK.python_below.1).any(|minor| text == format!("3.{minor}"))
}

/// Reports whether the text is a valid user-facing line. The character `=` isn't allowed, because `NAME=value` after a `#` in
/// `.env.example` would look like a commented-out variable.
fn is_line(text: &str) -> bool {
    is_one_line(text) && !text.contains('=') && text.matches('`').count().is_multiple_of(2)
}

fn is_value(text: &str) -> bool {
    is_one_line(text) && !text.contains('`')
}

fn is_one_line(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || " -_.,:;'`()/+&%!?@#=".contains(c);
    text.chars().all(plain) && text.trim() == text && !text.contains("  ")
}

/// Reports whether the text is a language, with or without a country, that has a name in Python: `pt-BR` is `PT_BR`.
fn is_language(text: &str) -> bool {
    let (language, country) = text.split_once('-').unwrap_or((text, "XX"));
    let is_pair =
        |text: &str, letter: fn(&u8) -> bool| text.len() == 2 && text.as_bytes().iter().all(letter);
    is_pair(language, u8::is_ascii_lowercase) && is_pair(country, u8::is_ascii_uppercase)
}

fn is_site(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://") else {
        return false;
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/?#=&%+@:,".contains(c);
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    host.contains('.') && is_words(host, '.', in_name) && rest.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks each form with the valid and invalid examples in `forms.json`.
    #[test]
    fn what_reaches_code_has_a_form_and_an_end() {
        let rows: Vec<(String, Vec<String>, Vec<String>)> =
            serde_json::from_str(include_str!("forms.json")).unwrap();
        let forms = [
            ID, MODULE, CLASS, NAME, KEYWORD, EXPRESSION, VARIABLE, EXTRA, PACKAGE, PYTHON, SITE,
            LABEL, VALUE, LANGUAGE,
        ];
        assert_eq!(rows.len(), forms.len());
        for (form, (_, good, bad)) in forms.iter().zip(&rows) {
            for text in good {
                assert_eq!(form.problem(text), None, "{text}");
            }
            let Form(longest, ..) = form;
            let long = "a".repeat(longest + 1);
            for text in bad.iter().chain([&long]) {
                let problem = form.problem(text).unwrap();
                let is_hidden = |c: char| "\n\u{202e}\0".contains(c);
                assert!(!problem.contains(is_hidden), "{text}");
            }
        }
    }
}

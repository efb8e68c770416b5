//! The form of every text that a service brings: what reaches generated code is an identifier, a version or a quoted literal,
//! and what people read is one printable line.

use super::{Rule, python};

/// A form that a text must have.
pub struct Form {
    /// The rule that it belongs to.
    pub rule: Rule,
    /// The form in words: `a Python class name`.
    pub what: &'static str,
    /// The most characters.
    pub longest: usize,
    fits: fn(&str) -> bool,
}

/// `acme_fast_stt`.
pub const ID: Form = Form {
    rule: Rule::Identifiers,
    what: "an identifier of lower-case words such as `acme_fast_stt`",
    longest: 64,
    fits: is_id,
};

/// `acme.services.stt`. The longest fits an import statement on a line.
pub const MODULE: Form = Form {
    rule: Rule::Code,
    what: "a Python module such as `acme.services.stt`",
    longest: 80,
    fits: is_module,
};

/// `AcmeSTTService`. The longest fits the head of a function on a line.
pub const CLASS: Form = Form {
    rule: Rule::Code,
    what: "a Python class name such as `AcmeSTTService`",
    longest: 44,
    fits: is_class,
};

/// A class or function that is imported.
pub const NAME: Form = Form {
    rule: Rule::Code,
    what: "a Python name that generated code has no other use for",
    longest: 44,
    fits: is_free_name,
};

/// A keyword of a call.
pub const KEYWORD: Form = Form {
    rule: Rule::Code,
    what: "the name of a Python argument such as `api_key`",
    longest: 60,
    fits: is_identifier,
};

/// `ServiceType.FAST`, `session`, `None`.
pub const EXPRESSION: Form = Form {
    rule: Rule::Code,
    what: "`session`, `None`, `True`, `False` or a name of `imports`, with attributes behind dots",
    longest: 60,
    fits: is_expression,
};

/// `ACME_API_KEY`. The longest fits `NAME = required("NAME")` on a line.
pub const VARIABLE: Form = Form {
    rule: Rule::Variables,
    what: "the name of a variable such as `ACME_API_KEY`",
    longest: 42,
    fits: is_variable,
};

/// `aws-nova-sonic`.
pub const EXTRA: Form = Form {
    rule: Rule::Requirements,
    what: "the name of an extra of `pipecat-ai`, such as `openai`",
    longest: 40,
    fits: is_package_name,
};

/// `acme-speech[fast]>=1.2,<2`.
pub const PACKAGE: Form = Form {
    rule: Rule::Requirements,
    what: "a requirement such as `acme-speech>=1.2,<2`: a name of lower-case words with hyphens, a floor and a ceiling",
    longest: 80,
    fits: is_requirement,
};

/// `3.12`.
pub const PYTHON: Form = Form {
    rule: Rule::Requirements,
    what: "a version of Python such as `3.12`",
    longest: 4,
    fits: is_python,
};

/// A name on a list. The longest fits the comments and docstrings of generated code.
pub const LABEL: Form = Form {
    rule: Rule::Texts,
    what: "a name of plain characters on one line, without letters that look like others",
    longest: 40,
    fits: is_label,
};

/// A few words about a variable.
pub const ABOUT: Form = Form {
    rule: Rule::Texts,
    what: "one line of plain characters",
    longest: 120,
    fits: is_line,
};

/// A sentence.
pub const SENTENCE: Form = Form {
    rule: Rule::Texts,
    what: "one line of plain characters",
    longest: 160,
    fits: is_line,
};

/// `https://acme.example/docs`.
pub const SITE: Form = Form {
    rule: Rule::Texts,
    what: "an address such as `https://acme.example/docs`",
    longest: 120,
    fits: is_site,
};

/// A default, or a choice.
pub const VALUE: Form = Form {
    rule: Rule::Values,
    what: "one line of plain characters without backticks",
    longest: 80,
    fits: is_value,
};

impl Form {
    /// Returns what is wrong with `text`, if anything.
    pub fn problem(&self, text: &str) -> Option<String> {
        if text.is_empty() {
            return Some("must not be empty".to_owned());
        }
        if text.chars().count() > self.longest {
            return Some(format!("must have at most {} characters", self.longest));
        }
        let fits = (self.fits)(text);
        (!fits).then(|| format!("is `{}`, not {}", shown(text), self.what))
    }
}

/// A text in a sentence: short and printable, whatever it is.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut short: String = text.chars().take(LONGEST).collect::<String>();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
        .escape_debug()
        .to_string()
        .replace('`', "'")
        .replace("\\'", "'")
        .replace("\\\"", "\"")
}

/// Identifiers of Python, of ASCII alone and without a leading underscore: those are nobody's to use.
fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !python::KEYWORDS.contains(text)
}

fn is_id(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.split('_').all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
}

fn is_module(text: &str) -> bool {
    // `_private` modules are real, `__future__` and the project's own files are not modules to import from.
    let is_part =
        |part: &str| is_identifier(part.trim_start_matches('_')) && !part.starts_with("__");
    let top = text.split('.').next().unwrap_or_default();
    text.split('.').all(is_part) && !python::OWN_MODULES.contains(top)
}

fn is_class(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase()) && is_free_name(text)
}

fn is_free_name(text: &str) -> bool {
    is_identifier(text) && !python::BUILTINS.contains(text) && !python::RESERVED.contains(text)
}

fn is_expression(text: &str) -> bool {
    ["session", "None", "True", "False"].contains(&text) || {
        let mut parts = text.split('.');
        parts.next().is_some_and(is_free_name) && parts.all(is_identifier)
    }
}

fn is_variable(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// A name as the package index normalizes it.
fn is_package_name(text: &str) -> bool {
    text.split('-').all(|word| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

fn is_requirement(text: &str) -> bool {
    let Some((subject, range)) = text.split_once(">=") else {
        return false;
    };
    let Some((floor, ceiling)) = range.split_once(",<") else {
        return false;
    };
    let (name, extras_fit) = match subject.split_once('[') {
        None => (subject, true),
        Some((name, extras)) => (
            name,
            extras
                .strip_suffix(']')
                .is_some_and(|extras| extras.split(',').all(is_package_name)),
        ),
    };
    // Which version of the framework a project has is not a service's to say.
    let is_framework = name == "pipecat-ai";
    extras_fit && is_package_name(name) && !is_framework && is_release(floor) && is_release(ceiling)
}

/// `1.2.3`.
fn is_release(text: &str) -> bool {
    text.split('.').all(|number| {
        (1..=9).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn is_python(text: &str) -> bool {
    text.strip_prefix("3.")
        .and_then(|minor| minor.parse::<u8>().ok().map(|number| (minor, number)))
        .is_some_and(|(minor, number)| minor == number.to_string() && (8..=20).contains(&number))
}

/// Text for people. Behind a `#` of `.env.example`, `NAME=value` would be a variable that is left out.
fn is_line(text: &str) -> bool {
    is_one_line(text) && !text.contains('=') && text.matches('`').count().is_multiple_of(2)
}

/// Text for people that can't pass for another: no word has Latin letters beside those of an alphabet that looks like it.
fn is_label(text: &str) -> bool {
    let is_mixed =
        |word: &str| word.chars().any(|c| c.is_ascii_alphabetic()) && word.chars().any(looks_latin);
    is_line(text)
        && !text.contains(is_styled)
        && !text.split(|c: char| !c.is_alphanumeric()).any(is_mixed)
}

/// Letters of the alphabets whose capitals are those of Latin: Greek, Cyrillic, Armenian, Cherokee, Lisu.
fn looks_latin(letter: char) -> bool {
    matches!(letter, '\u{370}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}' | '\u{ab70}'..='\u{abbf}' | '\u{a4d0}'..='\u{a4ff}')
}

/// The plain alphabet once more, for mathematics or in full width.
fn is_styled(letter: char) -> bool {
    matches!(letter, '\u{1d400}'..='\u{1d7ff}' | '\u{ff01}'..='\u{ff5e}')
}

fn is_value(text: &str) -> bool {
    is_one_line(text) && !text.contains('`')
}

fn is_one_line(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || " -_.,:;'`()/+&%!?@#=".contains(c);
    text.chars().all(plain) && text.trim() == text && !text.contains("  ")
}

fn is_site(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://") else {
        return false;
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_label = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/?#=&%+@:,".contains(c);
    host.contains('.') && host.split('.').all(is_label) && rest.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each form is in `forms.json` with what has it and what does not.
    #[test]
    fn what_reaches_code_has_a_grammar() {
        let rows: Vec<(String, Vec<String>, Vec<String>)> =
            serde_json::from_str(include_str!("forms.json")).unwrap();
        let forms = [
            ID, MODULE, CLASS, NAME, KEYWORD, EXPRESSION, VARIABLE, EXTRA, PACKAGE, PYTHON, SITE,
            LABEL, VALUE,
        ];
        assert_eq!(rows.len(), forms.len());
        for (form, (_, good, bad)) in forms.iter().zip(&rows) {
            for text in good {
                assert_eq!(form.problem(text), None, "{text}");
            }
            for text in bad {
                let problem = form.problem(text);
                assert!(problem.is_some(), "{text} is {}", form.what);
                let is_hidden = |c: char| "\n\u{202e}\0".contains(c);
                assert!(!problem.unwrap().contains(is_hidden), "{text}");
            }
        }
    }

    #[test]
    fn every_form_ends_somewhere() {
        for form in [
            ID, MODULE, CLASS, NAME, KEYWORD, EXPRESSION, VARIABLE, EXTRA, PACKAGE, PYTHON, LABEL,
            ABOUT, SENTENCE, SITE, VALUE,
        ] {
            for of in ["a", "A", "1"] {
                let problem = form.problem(&of.repeat(form.longest + 1)).unwrap();
                assert_eq!(
                    problem,
                    format!("must have at most {} characters", form.longest)
                );
            }
        }
    }
}

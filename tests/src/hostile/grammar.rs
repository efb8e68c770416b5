//! Validation rules for every string in a service, written independently of the parser under test.

use bot_cli_templates::pack::Provider;
use serde_json::{Value, json};

/// Returns a description of each string in a provider that breaks the rules.
pub(super) fn breaches(provider: &Provider) -> Vec<String> {
    let mut found = Vec::new();
    look("", &json!(provider), &mut found);
    found
}

/// Checks every string and key below the member `name`. Adds the invalid ones to `found`.
fn look(name: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let what = match name {
                    "env" => "variable",
                    "imports" => "module",
                    "modules" => "extras",
                    _ => "",
                };
                look(what, &json!(key), found);
                let inside = match name {
                    "imports" => "class",
                    "modules" => "module",
                    _ => key,
                };
                look(inside, member, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| look(name, item, found)),
        Value::String(text) if !fits(name, text) => found.push(format!("`{name}` is {text:?}")),
        Value::Number(_) | Value::String(_) | Value::Null | Value::Bool(_) => {}
    }
}

fn fits(name: &str, text: &str) -> bool {
    match name {
        "id" => text.starts_with("acme_x_") && is_made_of(text, is_lower, "_"),
        "variable" | "env" | "one_of" => is_variable(text),
        "module" => is_dotted(text) && text.split('.').next() == Some("acme_x"),
        "class" | "call" => is_name(text),
        "name" | "expr" | "prompt" => is_dotted(text),
        "extras" => is_made_of(text, is_lower, "-") && !text.starts_with('-'),
        "packages" => is_made_of(text, is_lower, "-[],.<>="),
        "requires_python" => is_made_of(text, |c| c.is_ascii_digit(), "."),
        "site" => {
            let plain = |c: char| c.is_ascii_graphic() && !"\"'`<>()[]{}|\\^$;*!".contains(c);
            text.starts_with("https://") && text.chars().all(plain)
        }
        "recommended" | "alias" => false,
        "value" => text.is_empty() || is_line(text),
        _ => is_line(text),
    }
}

/// Reports whether `text` is a nonblank line without control characters or invisible characters.
pub(super) fn is_line(text: &str) -> bool {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    !text.trim().is_empty() && !text.contains(hidden)
}

pub(super) fn is_variable(text: &str) -> bool {
    let word = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
    is_made_of(text, word, "_") && text.starts_with(|c: char| c.is_ascii_uppercase())
}

fn is_name(text: &str) -> bool {
    is_made_of(text, |c| c.is_ascii_alphanumeric(), "_")
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

fn is_dotted(text: &str) -> bool {
    text.split('.').all(is_name)
}

fn is_lower(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit()
}

fn is_made_of(text: &str, letter: fn(char) -> bool, others: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| letter(c) || others.contains(c))
}

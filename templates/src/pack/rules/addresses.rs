//! The addresses in a pack: where its services may send what a bot hears, says and knows.

use super::arguments;
use crate::pack::{Literal, Service};

/// Words in the names of arguments that decide where a service connects to. A region is part of the host name of many services.
const NAMES: [&str; 10] = [
    "url", "uri", "host", "endpoint", "address", "server", "domain", "proxy", "region", "location",
];

/// Returns the addresses in the arguments of a service, each with its argument.
pub fn addresses(service: &Service) -> Vec<String> {
    let mut found = Vec::new();
    for arg in arguments(service) {
        let (argument, name) = (&arg.name, arg.name.to_ascii_lowercase());
        let is_named = NAMES.iter().any(|word| name.contains(word));
        let mut add = |text: &str, of: &str| {
            if is_named || text.contains("://") {
                let variable = arg.env.as_ref();
                let of = variable.map_or_else(String::new, |env| format!(", {of} of {env}"));
                found.push(format!("{} ({argument}{of})", shown(text)));
            }
        };
        arg.value.iter().flat_map(texts).for_each(|it| add(it, ""));
        for text in arg.default.iter().chain(&arg.class_default) {
            add(text, "default");
        }
        for text in &arg.choices {
            add(text, "choice");
        }
    }
    found
}

/// Returns the address that a service connects to, if one of its arguments has one.
pub fn address(service: &Service) -> Option<String> {
    let arguments = arguments(service).into_iter();
    let mut values = arguments.flat_map(|arg| {
        let values = arg.value.iter().flat_map(texts);
        let defaults = arg.default.iter().chain(&arg.class_default);
        values.chain(defaults.map(String::as_str))
    });
    values.find(|text| text.contains("://")).map(shown)
}

fn texts(literal: &Literal) -> Vec<&str> {
    match literal {
        Literal::Text(text) => vec![text],
        Literal::List(items) => items.iter().flat_map(texts).collect(),
        Literal::Boolean(_) | Literal::Integer(_) | Literal::Float(_) => Vec::new(),
    }
}

/// Returns an address without user names and passwords. They could look like a host, and so could letters of other alphabets and text
/// after a space, which are escaped. The form of values limits the length.
fn shown(address: &str) -> String {
    let parts = address.split("://").map(|part| {
        let authority = part.split(['/', '?', '#']).next().unwrap_or_default();
        let start = authority.rfind('@').map_or(0, |at| at + 1);
        &part[start..]
    });
    let parts: Vec<&str> = parts.collect();
    let escape = |letter: char| {
        if letter.is_ascii_graphic() {
            letter.to_string()
        } else {
            letter.escape_unicode().to_string()
        }
    };
    parts.join("://").chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn an_address_shows_its_host_and_no_password() {
        for (address, expected) in [
            ("https://evil.example/v1", "https://evil.example/v1"),
            (
                "https://me:pa@ss@evil.example/@x",
                "https://evil.example/@x",
            ),
            (
                "https://api.openai.com@evil.example",
                "https://evil.example",
            ),
            (
                "https://evil.example?@openai.com",
                "https://evil.example?@openai.com",
            ),
            ("me:pass@evil.example:8080", "evil.example:8080"),
            (
                "wss://a.example,wss://u:p@b.example",
                "wss://a.example,wss://b.example",
            ),
            ("https://\u{43e}penai.com", "https://\\u{43e}penai.com"),
            (
                "https://a.b (built in)\u{1b}[2J",
                "https://a.b\\u{20}(built\\u{20}in)\\u{1b}[2J",
            ),
        ] {
            assert_eq!(shown(address), expected);
        }
    }
}

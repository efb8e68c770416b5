//! Text formatting shared by hosts and plugins.

/// Parts of the error messages of the TLS library, each with a description.
const WORDS_OF_TLS: &str = include_str!("words_of_tls.txt");

/// Describes why no TLS connection was made, from the error message of the TLS library.
pub fn tls(reason: &str) -> &str {
    let mut rows = WORDS_OF_TLS.lines().filter_map(|row| row.split_once(": "));
    let known = rows.find(|(part, _)| reason.contains(part));
    known.map_or(reason, |(_, words)| words)
}

/// Formats a count with a singular or plural noun, such as "1 key" or "2 keys".
pub fn count(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    }
}

//! Text formatting shared by hosts and plugins.

/// Describes why no TLS connection was made, from the error message of the TLS library.
pub fn tls(reason: &str) -> &str {
    const WORDS: [(&str, &str); 7] = [
        (
            "UnknownIssuer",
            "its certificate is from an authority that this machine does not trust",
        ),
        ("expired", "its certificate has expired"),
        ("not valid yet", "its certificate is not valid yet"),
        ("not valid for name", "its certificate is for another name"),
        ("InvalidContentType", "it does not speak TLS"),
        ("fatal alert", "it refuses the TLS of this program"),
        (
            "peer is incompatible",
            "its TLS is not that of this program",
        ),
    ];
    let known = WORDS.iter().find(|(part, _)| reason.contains(part));
    known.map_or(reason, |(_, words)| words)
}

/// Formats a count with a singular or plural noun, such as "1 key" or "2 keys".
pub fn count(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    }
}

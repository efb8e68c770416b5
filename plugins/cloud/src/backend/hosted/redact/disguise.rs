//! Guises that only the whole of a text shows: a secret in pieces, in escapes, or backwards.

/// Stands between what must not be read as one word.
const BREAK: char = '\n';

/// Returns the letters and digits of a text, in lower case.
pub fn letters(text: &str) -> String {
    let is_kept = |c: &char| c.is_alphanumeric() || *c == BREAK;
    let kept: String = text.chars().filter(is_kept).collect();
    kept.to_ascii_lowercase()
}

/// Returns what a text may mean: its letters, those behind its escapes, and those read backwards. The `public` words are left
/// out.
pub fn guises(text: &str, public: &[String]) -> [String; 3] {
    let mut text = text.replace(super::HIDDEN, "\n");
    for word in public.iter().filter(|word| !word.is_empty()) {
        text = text.replace(word.as_str(), "\n");
    }
    let plain = letters(&text);
    let backwards = plain.chars().rev().collect();
    [plain, letters(&unescaped(&text)), backwards]
}

/// The text behind the escapes of URLs, JSON, Python and HTML.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (decoded, length) = escape(rest).unwrap_or_else(|| {
            let length = first.len_utf8();
            (rest.as_bytes()[..length].to_vec(), length)
        });
        bytes.extend(decoded);
        rest = &rest[length..];
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The escape with which a text begins, decoded, and its length.
fn escape(text: &str) -> Option<(Vec<u8>, usize)> {
    const NAMED: [(&str, &str); 5] = [
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
    ];
    let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    let character = |code: u32| char::from_u32(code).map(|c| c.to_string().into_bytes());
    if text.starts_with('%') {
        return Some((vec![byte(1)?], 3));
    }
    if text.starts_with("\\x") {
        return Some((vec![byte(2)?], 4));
    }
    if text.starts_with("\\u") {
        let code = u32::from_str_radix(text.get(2..6)?, 16).ok()?;
        return Some((character(code)?, 6));
    }
    if let Some(number) = text.strip_prefix("&#") {
        let (number, _) = number.split_once(';')?;
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return Some((character(code)?, number.len() + 3));
    }
    let (name, meaning) = NAMED.iter().find(|(name, _)| text.starts_with(name))?;
    Some((meaning.as_bytes().to_vec(), name.len()))
}

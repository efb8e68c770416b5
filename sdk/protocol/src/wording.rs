//! Wording shared by hosts and plugins.

/// Formats a count with its noun: "1 key", "2 keys".
pub fn count(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    }
}

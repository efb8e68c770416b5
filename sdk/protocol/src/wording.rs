//! Text formatting shared by hosts and plugins.

/// Formats a count with a singular or plural noun, such as "1 key" or "2 keys".
pub fn count(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    }
}

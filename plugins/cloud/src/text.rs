//! Formats text for display.

use bot_cli_protocol::wording::count;
use bot_cli_terminal::short_line;

/// Sanitizes untrusted text for display as one line of at most 300 characters, without terminal control sequences.
pub fn theirs(text: &str) -> String {
    short_line(text, 300)
}

/// Formats a duration, rounded up, such as "5 seconds", "2 minutes", "24 hours" or "3 days".
pub fn span(seconds: u64) -> String {
    let whole = |unit: u64| usize::try_from(seconds.div_ceil(unit)).unwrap_or(usize::MAX);
    match seconds {
        0..60 => count(whole(1), "second"),
        60..7200 => count(whole(60), "minute"),
        7200..172_800 => count(whole(3600), "hour"),
        _ => count(whole(86_400), "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::{span, theirs};

    #[test]
    fn texts_of_the_other_side_command_no_terminal() {
        assert_eq!(theirs("\u{1b}[2Ja\nb\u{1b}]0;t\u{7}\u{202e}c\r"), "a bc");
        assert_eq!(theirs(&"x".repeat(301)).chars().count(), 301);
    }

    #[test]
    fn spans_are_never_shorter_than_they_are() {
        for (seconds, expected) in [
            (1, "1 second"),
            (59, "59 seconds"),
            (61, "2 minutes"),
            (7199, "120 minutes"),
            (7200, "2 hours"),
            (86_399, "24 hours"),
            (172_801, "3 days"),
        ] {
            assert_eq!(span(seconds), expected);
        }
    }
}

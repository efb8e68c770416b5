//! The origins of plugins, for display.

use bot_cli_terminal::one_line;

/// Returns a path or an address on one line. Omits the query of an address, which may contain a token.
pub fn origin(from: &str) -> String {
    match from.split_once('?') {
        Some((address, _)) if address.contains("://") => one_line(address) + "?…",
        _ => one_line(from),
    }
}

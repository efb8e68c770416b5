//! The origins of plugins, for display.

use bot_cli_terminal::one_line;
use bot_cli_terminal::shell::quoted;

/// Returns the argument that adds the plugin from there again. It stands for an address that can't be shown.
pub fn argument(from: &str) -> String {
    match origin(from) {
        shown if shown == from => quoted(&shown),
        _ => "ADDRESS".to_owned(),
    }
}

/// Returns a path or an address on one line. Omits what may be secret in an address: user, password, query and fragment.
pub fn origin(from: &str) -> String {
    let Some((scheme, rest)) = from.split_once("://") else {
        return one_line(from);
    };
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let more = if end < rest.len() { "?…" } else { "" };
    let (host, path) = rest[..end].split_at(rest[..end].find('/').unwrap_or(end));
    let host = host.rsplit('@').next().unwrap_or_default();
    one_line(&format!("{scheme}://{host}{path}")) + more
}

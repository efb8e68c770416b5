//! Failures of plugins that are not added.

use std::io::{self, ErrorKind};
use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure, reason};
use bot_cli_terminal::one_line;

/// The hint for a file that is not as its author made it.
pub const AGAIN: &str = "download it again, and compare the sum with that of its author";

/// The failure of a plugin that is not added.
pub fn refused(of: &Path, problem: &str) -> Failure {
    let message = format!("`{}` was not installed: {problem}", of.display());
    Failure::new(Exit::Failed, "not_added", message)
}

/// The failure of what can't be read or copied.
pub fn unreadable(of: &Path, error: io::Error) -> Failure {
    let reason = one_line(&reason(&error));
    let failure = refused(of, &format!("it can't be copied: {reason}"));
    // Of an archive that was cut off or changed on its way.
    let is_damaged = [
        ErrorKind::UnexpectedEof,
        ErrorKind::InvalidData,
        ErrorKind::InvalidInput,
    ]
    .contains(&error.kind());
    let hint = is_damaged.then_some(AGAIN);
    let failure = hint.into_iter().fold(failure, Failure::hint);
    failure.caused_by(error)
}

/// Quotes a path with everything in it that can't be seen.
pub fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    match one_line(&text) {
        line if line == text => format!("`{line}`"),
        _ => format!("`{}`", text.escape_debug()),
    }
}

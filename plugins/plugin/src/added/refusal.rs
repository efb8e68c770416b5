//! Why something is not added, in words.

use std::io::{self, ErrorKind};
use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure, reason};
use bot_cli_terminal::one_line;
use bot_cli_terminal::shell::quoted;

/// What to do about a file that is not as its author made it.
pub const AGAIN: &str = "download it again, and compare the sum with that of its author";

/// The failure of somebody who wants to have what can't be used.
pub fn refused(of: &Path, problem: &str) -> Failure {
    let message = format!("`{}` was not installed: {problem}", of.display());
    Failure::new(Exit::Failed, "not_added", message)
}

/// The failure of what can't be read, or not copied.
pub fn unreadable(of: &Path, error: io::Error) -> Failure {
    let reason = one_line(&reason(&error));
    let full = [
        ErrorKind::StorageFull,
        ErrorKind::QuotaExceeded,
        ErrorKind::FileTooLarge,
        ErrorKind::ReadOnlyFilesystem,
    ];
    let done = if full.contains(&error.kind()) {
        "copied"
    } else {
        "read"
    };
    let failure = refused(of, &format!("it can't be {done}: {reason}"));
    // Of an archive that was cut off or changed on its way.
    let damaged = [
        ErrorKind::UnexpectedEof,
        ErrorKind::InvalidData,
        ErrorKind::InvalidInput,
    ];
    let failure = if damaged.contains(&error.kind()) {
        failure.hint(AGAIN)
    } else {
        failure
    };
    failure.caused_by(error)
}

/// The path in a line, with everything in it that can't be seen.
pub fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    match one_line(&text) {
        line if line == text => line,
        _ => text.escape_debug().to_string(),
    }
}

/// The path as a word of a shell, which no command takes for an option.
pub fn word(path: &Path) -> String {
    let text = path.display().to_string();
    if text.starts_with('-') {
        return quoted(&format!("./{text}"));
    }
    quoted(&text)
}

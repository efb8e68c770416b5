//! What the tool says while it works.

use std::io::{self, Write as _};

/// Progress of what takes minutes.
pub(crate) fn say(line: &str) {
    // A closed standard error is no reason to stop.
    let _ = writeln!(io::stderr(), "{line}");
}

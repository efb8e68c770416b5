//! What a process writes, as those who wait for it hear of it.

use crate::line::Line;

/// Something that happened in a plugin's process.
#[derive(Debug)]
pub enum Event {
    /// A line of standard output.
    Line(Line),
    /// Standard output ended.
    OutputEnded,
    /// A line of standard error.
    Stderr(String),
}

impl Event {
    /// A line of standard error, with its end if it has one.
    pub fn stderr(line: &[u8]) -> Self {
        let text = String::from_utf8_lossy(line);
        Self::Stderr(text.trim_end_matches(['\n', '\r']).to_owned())
    }
}

/// The amount of a line of standard error that is shown at once.
pub const STDERR_LINE: usize = 8 * 1024;

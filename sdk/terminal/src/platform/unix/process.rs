//! Processes on Unix.

pub mod core_dump;
pub mod file_size;
mod signals;

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

pub use signals::{Alarm, StopSignals, is_ignored, note_stop_signals, shell_status};

/// Replaces this process with another program, which keeps the terminal and the streams. Returns only on failure.
pub fn become_program(command: &mut Command) -> io::Error {
    command.exec()
}

//! Processes on Unix.

pub mod core_dump;
pub mod file_size;
mod signals;

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

pub use signals::{StopSignals, is_ignored, note_stop_signals, shell_status};

/// Becomes another program, which keeps this process's terminal and streams. Returns only if that fails.
pub fn become_program(command: &mut Command) -> io::Error {
    core_dump::as_found(|| command.exec())
}

//! Processes on Unix.

pub mod core_dump;
pub mod file_size;
mod group;
mod orphans;
mod signals;
mod stat;
mod suspension;

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

pub use signals::{Listened, StopSignal, is_ignored, listen_to_stop_signals, shell_status};

pub use group::{Group, Stopped};
pub use suspension::suspend;

/// Becomes another program, which has this process's terminal and streams. Returns only when that fails.
pub fn become_program(command: &mut Command) -> io::Error {
    core_dump::as_found(|| command.exec())
}

//! Processes on Unix.

pub mod core_dump;
pub mod file_size;
#[cfg(feature = "host")]
mod group;
mod heedful_input;
#[cfg(feature = "host")]
mod orphans;
mod signals;
#[cfg(feature = "host")]
mod stat;
#[cfg(feature = "host")]
mod streams;
#[cfg(feature = "prompts")]
mod suspend;
#[cfg(feature = "host")]
mod suspension;

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

#[cfg(feature = "host")]
pub use group::{Group, Stopped, ended_by_signal};
pub use heedful_input::HeedfulInput;
#[cfg(feature = "host")]
pub use signals::shell_status;
pub use signals::{
    Listened, StopSignal, StopSignals, is_ignored, listen_to_stop_signals, note_stop_signals,
};
#[cfg(feature = "host")]
pub use streams::Streams;
#[cfg(feature = "prompts")]
pub use suspend::suspend;

/// The variables without which no program runs: there are none.
#[cfg(feature = "host")]
pub const INDISPENSABLE: &[&str] = &[];

/// Becomes another program, which has this process's terminal and streams. Returns only when that fails.
pub fn become_program(command: &mut Command) -> io::Error {
    core_dump::as_found(|| command.exec())
}

//! Processes on Windows.

pub mod core_dump;
pub mod file_size;
#[cfg(feature = "host")]
mod group;
mod heedful_input;
mod signals;
#[cfg(feature = "host")]
mod streams;

use std::convert::Infallible;
use std::io;
use std::process::Command;

use bot_cli_system::job::{Hears, Job};

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

/// The variables without which libraries of the system fail.
#[cfg(feature = "host")]
pub const INDISPENSABLE: &[&str] = &["SystemRoot", "SystemDrive", "ComSpec", "PATHEXT"];

/// Runs another program in the place of this process: waits for it and ends with its status. The program gets the events of the
/// console, and ends with this process. Returns only when it could not be started or waited for.
pub fn become_program(command: &mut Command) -> io::Error {
    match stand_in_for(command) {
        Ok(never) => match never {},
        Err(error) => error,
    }
}

fn stand_in_for(command: &mut Command) -> io::Result<Infallible> {
    signals::leave_to_others()?;
    let (_job, mut program) = Job::start(command, Hears::Ours)?;
    let status = program.wait()?;
    std::process::exit(status.code().unwrap_or(1))
}

/// Stops this process's group as Ctrl-Z does elsewhere: there is no such thing, and the key does nothing.
#[cfg(feature = "prompts")]
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub const fn suspend() -> io::Result<()> {
    Ok(())
}

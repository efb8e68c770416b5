//! Processes on Windows.

pub mod core_dump;
pub mod file_size;
mod signals;

use std::convert::Infallible;
use std::io;
use std::process::Command;

use bot_cli_system::job::{Hears, Job};

pub use signals::{StopSignals, is_ignored, note_stop_signals, shell_status};

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

//! Processes on Windows.

pub mod core_dump;
pub mod file_size;
mod signals;

use std::convert::Infallible;
use std::io;
use std::process::Command;

use bot_cli_system::job::{Hears, Job};

pub use signals::{Alarm, StopSignals, is_ignored, note_stop_signals, shell_status};

/// Runs another program in place of this process: starts the program, waits for it, and exits with the program's exit status. The program
/// receives the console events, and is terminated together with this process. Returns only if the program can't be started or waited for.
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

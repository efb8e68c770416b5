//! The current process: its signals, exit status and limits, and its replacement by another program.

use std::io::{self, Read};
use std::time::Duration;

pub use crate::platform::process::{
    Alarm, StopSignals, become_program, core_dump, file_size, is_ignored, note_stop_signals,
    shell_status,
};
use crate::platform::{input, output};
pub use crate::signal::StopSignal;
use bot_cli_protocol::failure::Failure;

const TICK: Duration = Duration::from_millis(20);

/// Standard input that handles stop signals during reads. A separate thread for the signals would noticeably delay a plugin's start.
pub struct HeedfulInput {
    signals: StopSignals,
    handle: Box<dyn FnMut(StopSignal) + Send>,
}

impl HeedfulInput {
    /// Creates the input. Stop signals then call `handle` instead of terminating this process.
    pub fn new(handle: impl FnMut(StopSignal) + Send + 'static) -> Result<Self, Failure> {
        Ok(Self {
            signals: note_stop_signals()?,
            handle: Box::new(handle),
        })
    }

    /// Waits until the output's reader is gone. Returns `false` if that can't be detected.
    pub fn wait_until_gone(&mut self, output: &output::Reader) -> bool {
        loop {
            self.handle_signals();
            match output.has_gone(TICK) {
                Ok(false) => {}
                gone => return gone.is_ok(),
            }
        }
    }

    fn handle_signals(&mut self) {
        self.signals.take().for_each(&mut self.handle);
    }
}

impl Read for HeedfulInput {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            let is_ready = input::wait(TICK)?;
            self.handle_signals();
            if is_ready {
                match input::read(bytes) {
                    Err(error) if is_passing(&error) => {}
                    read => return read,
                }
            }
        }
    }
}

/// Reports whether an error is temporary, so that another read may succeed.
pub(crate) fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock
    )
}

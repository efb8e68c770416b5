//! Reads standard input until the user cancels or the terminal is gone.

use std::io;
use std::time::{Duration, Instant};

use crate::cancel::Cancel;
use crate::platform::input;
use crate::process::is_passing;
use crate::ui::withdrawn;
use bot_cli_protocol::failure::{Exit, Failure};

const TICK: Duration = Duration::from_millis(20);

/// Standard input that is read only while the input is wanted.
pub struct Waiting<'a> {
    pub cancel: &'a Cancel,
    pub wanted: &'a mut dyn FnMut() -> bool,
}

impl Waiting<'_> {
    /// Waits for input or its end. Returns `false` if neither arrives within `patience`.
    pub fn for_input(&mut self, patience: Option<Duration>) -> Result<bool, Failure> {
        let deadline = patience.map(|patience| Instant::now() + patience);
        loop {
            if self.cancel.requested() {
                return Err(Failure::cancelled());
            }
            if !(self.wanted)() {
                return Err(withdrawn());
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let patience = left.map_or(TICK, |left| left.min(TICK));
            if input::wait(patience).map_err(unreadable)? {
                return Ok(true);
            }
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(false);
            }
        }
    }

    /// Returns the next byte, or `None` at the end of the input. Never reads ahead, because the rest may be for another reader.
    pub fn byte(&mut self) -> Result<Option<u8>, Failure> {
        let mut byte = [0];
        Ok(match self.read(&mut byte)? {
            0 => None,
            _ => Some(byte[0]),
        })
    }

    /// Reads to the end of the input. If the terminal has hung up, fails with a cancellation, because the input may be incomplete.
    pub fn everything(&mut self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let mut piece = vec![0; 64 * 1024];
        loop {
            match self.read(&mut piece)? {
                0 if input::has_hung_up().map_err(unreadable)? => return Err(Failure::cancelled()),
                0 => return Ok(bytes),
                length => bytes.extend(&piece[..length]),
            }
        }
    }

    /// Reads into `bytes`. Returns the number of bytes read, which is 0 at the end of the input.
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Failure> {
        loop {
            self.for_input(None)?;
            match input::read(&mut *bytes) {
                Err(error) if is_passing(&error) => {}
                Err(error) if input::is_lost(&error) => return Err(Failure::cancelled()),
                read => return read.map_err(unreadable),
            }
        }
    }
}

fn unreadable(error: io::Error) -> Failure {
    let could_not = "could not read standard input";
    Failure::because(Exit::Failed, "input_failed", could_not, error)
}

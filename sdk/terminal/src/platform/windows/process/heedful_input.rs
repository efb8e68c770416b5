//! Standard input whose reader hears the events of the console meanwhile.

use std::io::{self, Read};

use super::signals::listen_to_stop_signals;
use crate::platform::output::Reader;
use crate::signal::StopSignal;
use bot_cli_protocol::failure::Failure;

/// Standard input. A thread of their own hears the events: nothing waits for them and for a pipe.
#[derive(Debug)]
pub struct HeedfulInput(());

impl HeedfulInput {
    /// From now on, these events do not end this process at once, and `heard` is called for each of them.
    pub fn new(heard: impl FnMut(StopSignal) + Send + 'static) -> Result<Self, Failure> {
        listen_to_stop_signals(heard)?;
        Ok(Self(()))
    }

    /// Waits until the reader of the output has gone; `false` where that can't be seen.
    pub const fn wait_until_gone(&mut self, output: &Reader) -> bool {
        output.wait_until_gone()
    }
}

impl Read for HeedfulInput {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        io::stdin().read(bytes)
    }
}

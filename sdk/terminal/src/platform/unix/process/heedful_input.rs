//! Standard input whose reader hears signals meanwhile.

use std::fmt;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::stdio::stdin;
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

use super::signals::unwatched;
use crate::platform::output::Reader;
use crate::signal::StopSignal;
use bot_cli_protocol::failure::Failure;

/// Standard input. Whoever waits for it hears the stop signals, too: a thread of their own would take a good part of a plugin's start.
pub struct HeedfulInput {
    signals: SignalDelivery<UnixStream, SignalOnly>,
    heard: Box<dyn FnMut(StopSignal) + Send>,
}

impl HeedfulInput {
    /// From now on, the stop signals do not end this process at once, and `heard` is called for each of them while somebody waits here.
    pub fn new(heard: impl FnMut(StopSignal) + Send + 'static) -> Result<Self, Failure> {
        let numbers = StopSignal::ALL.map(StopSignal::number);
        let signals = UnixStream::pair()
            .and_then(|(read, write)| SignalDelivery::with_pipe(read, write, SignalOnly, numbers));
        Ok(Self {
            signals: signals.map_err(unwatched)?,
            heard: Box::new(heard),
        })
    }

    /// Waits until the reader of the output has gone; `false` where that can't be seen. A file has no reader to lose.
    pub fn wait_until_gone(&mut self, output: &Reader) -> bool {
        // Without any flag asked for, only the loss of the reader is reported.
        self.wait(output, PollFlags::empty()).is_ok()
    }

    fn wait(&mut self, source: impl AsFd, wanted: PollFlags) -> io::Result<()> {
        loop {
            let mut watched = [
                PollFd::new(self.signals.get_read(), PollFlags::IN),
                PollFd::new(&source, wanted),
            ];
            retry_on_intr(|| poll(&mut watched, None))?;
            let [signals, source] = watched.map(|it| !it.revents().is_empty());
            if signals {
                let come = self.signals.pending();
                come.filter_map(StopSignal::of).for_each(&mut self.heard);
            }
            if source {
                return Ok(());
            }
        }
    }
}

impl Read for HeedfulInput {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            self.wait(stdin(), PollFlags::IN)?;
            match rustix::io::read(stdin(), &mut *bytes) {
                // Somebody else who reads there was faster.
                Err(Errno::AGAIN | Errno::INTR) => {}
                read => return Ok(read?),
            }
        }
    }
}

impl fmt::Debug for HeedfulInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeedfulInput").finish_non_exhaustive()
    }
}

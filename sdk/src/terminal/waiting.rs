//! Waiting for the user, who may want to stop, or be gone.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::FileType;
use rustix::io::Errno;
use rustix::stdio::stdin;

use crate::cancel::Cancel;
use crate::failure::{Exit, Failure};
use crate::ui::withdrawn;

/// The interval at which a request to stop is looked for.
const TICK: Duration = Duration::from_millis(20);

/// Standard input, which is read for as long as somebody waits for it.
pub struct Waiting<'a> {
    pub cancel: &'a Cancel,
    /// Whether anybody still waits for what is read.
    pub wanted: &'a mut dyn FnMut() -> bool,
}

impl Waiting<'_> {
    /// Waits until there is something to read, or the input has ended; with `patience` only so long.
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
            if look(left.map_or(TICK, |left| left.min(TICK)))?.is_some() {
                return Ok(true);
            }
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(false);
            }
        }
    }

    /// The next byte; `None` once the input has ended. No more is taken than that: what follows may be for another reader.
    #[cfg(feature = "prompts")]
    pub fn byte(&mut self) -> Result<Option<u8>, Failure> {
        let mut byte = [0];
        Ok(match self.read(&mut byte)? {
            0 => None,
            _ => Some(byte[0]),
        })
    }

    /// Everything up to the end of the input. A terminal that has gone away says nothing of whether that was all.
    pub fn everything(&mut self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let mut piece = vec![0; 64 * 1024];
        loop {
            match self.read(&mut piece)? {
                0 if has_hung_up()? => return Err(Failure::cancelled()),
                0 => return Ok(bytes),
                length => bytes.extend(&piece[..length]),
            }
        }
    }

    /// Bytes, 0 at the end of the input.
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Failure> {
        loop {
            self.for_input(None)?;
            match rustix::io::read(stdin(), &mut *bytes) {
                Err(Errno::INTR | Errno::AGAIN) => {}
                // So the system says of a terminal that is not this process's any more.
                Err(Errno::IO) if is_device() => return Err(Failure::cancelled()),
                read => return read.map_err(unreadable),
            }
        }
    }
}

/// Returns what there is to read within that time.
fn look(patience: Duration) -> Result<Option<PollFlags>, Failure> {
    let stdin = stdin();
    let mut input = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut input, Timespec::try_from(patience).ok().as_ref()) {
        Ok(0) | Err(Errno::INTR) => Ok(None),
        Ok(_) => Ok(Some(input[0].revents())),
        Err(error) => Err(unreadable(error)),
    }
}

/// Whether the input was a terminal whose other end is closed. Such a one does not even count as a terminal.
fn has_hung_up() -> Result<bool, Failure> {
    let flags = look(Duration::ZERO)?;
    Ok(is_device() && flags.is_some_and(|flags| flags.contains(PollFlags::HUP)))
}

fn is_device() -> bool {
    let kind = |stat: rustix::fs::Stat| FileType::from_raw_mode(stat.st_mode);
    rustix::fs::fstat(stdin()).is_ok_and(|stat| kind(stat) == FileType::CharacterDevice)
}

fn unreadable(error: Errno) -> Failure {
    let error = io::Error::from(error);
    let could_not = "could not read standard input";
    Failure::because(Exit::Failed, "input_failed", could_not, error)
}

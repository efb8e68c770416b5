//! The terminal's keys, one by one and unseen.

use std::io;
use std::time::Duration;

use super::key::{Decoder, Key};
use crate::look;
use crate::platform::input::Modes;
use crate::stream::to_stderr;
use crate::waiting::Waiting;
use bot_cli_protocol::failure::Failure;

/// A sequence arrives within this time; a key after Esc comes later.
const SEQUENCE: Duration = Duration::from_millis(50);

/// The interval at which the size of the terminal is looked at.
const TICK: Duration = Duration::from_millis(50);

/// The event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Key(Key),
    /// No key, but what is shown may be out of date: the terminal has another size, or a paste has ended.
    Redraw,
    /// Nothing, for as long as one was ready to wait.
    Nothing,
}

/// The keys of the user's terminal, which shows none of them as long as this lives.
pub struct Keyboard<'a, 'w> {
    waiting: &'a mut Waiting<'w>,
    decoder: Decoder,
    size: (usize, usize),
    /// Dropped after the marks of pasted text are off.
    _modes: Modes,
}

impl<'a, 'w> Keyboard<'a, 'w> {
    pub fn begin(waiting: &'a mut Waiting<'w>) -> io::Result<Self> {
        let modes = Modes::keys()?;
        // The terminal marks what is pasted.
        to_stderr("\x1b[?2004h");
        Ok(Self {
            waiting,
            decoder: Decoder::new(),
            size: look::size(),
            _modes: modes,
        })
    }

    /// The next key; with `patience` only one that comes within that time.
    pub fn next(&mut self, patience: Option<Duration>) -> Result<Event, Failure> {
        loop {
            let is_open = self.decoder.is_open();
            let limit = if is_open {
                SEQUENCE
            } else {
                patience.unwrap_or(TICK)
            };
            if !self.waiting.for_input(Some(limit))? {
                if let Some(key) = self.decoder.give_up() {
                    return Ok(Event::Key(key));
                }
                let before = std::mem::replace(&mut self.size, look::size());
                if before != self.size {
                    return Ok(Event::Redraw);
                }
                if patience.is_some() && !is_open {
                    return Ok(Event::Nothing);
                }
                continue;
            }
            let Some(byte) = self.waiting.byte()? else {
                // The terminal has gone, and the user with it.
                return Err(Failure::cancelled());
            };
            match self.decoder.take(byte) {
                Some(key) => return Ok(Event::Key(key)),
                None if self.decoder.is_open() => {}
                None => return Ok(Event::Redraw),
            }
        }
    }

    /// Whether more has arrived already.
    pub fn is_busy(&mut self) -> Result<bool, Failure> {
        self.waiting.for_input(Some(Duration::ZERO))
    }
}

impl Drop for Keyboard<'_, '_> {
    fn drop(&mut self) {
        to_stderr("\x1b[?2004l");
    }
}

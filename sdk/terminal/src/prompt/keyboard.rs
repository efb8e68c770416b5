//! Reads keys, and notices changes of the window's size.

use std::io;
use std::time::Duration;

use super::key::{Decoder, Key};
use crate::look;
use crate::platform::input::Modes;
use crate::stream::to_stderr;
use crate::waiting::Waiting;
use bot_cli_protocol::failure::Failure;

/// The time limit for the rest of an escape sequence. A key that the user presses after Esc arrives later.
const SEQUENCE: Duration = Duration::from_millis(50);

const TICK: Duration = Duration::from_millis(50);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Key(Key),
    /// The display may be outdated, because the terminal was resized or a paste has ended.
    Redraw,
    Nothing,
}

/// A reader for the terminal's keys. The terminal does not echo the keys until this value is dropped.
pub struct Keyboard<'a, 'w> {
    waiting: &'a mut Waiting<'w>,
    decoder: Decoder,
    size: (usize, usize),
    /// The input mode, which is restored last, after bracketed paste is disabled.
    _modes: Modes,
}

impl<'a, 'w> Keyboard<'a, 'w> {
    pub fn begin(waiting: &'a mut Waiting<'w>) -> io::Result<Self> {
        let modes = Modes::keys()?;
        // Makes the terminal mark pasted text.
        to_stderr("\x1b[?2004h");
        Ok(Self {
            waiting,
            decoder: Decoder::new(),
            size: look::size(),
            _modes: modes,
        })
    }

    /// Waits for the next event. Returns [`Event::Nothing`] only if `patience` is set.
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
                // The terminal is gone.
                return Err(Failure::cancelled());
            };
            match self.decoder.take(byte) {
                Some(key) => return Ok(Event::Key(key)),
                None if self.decoder.is_open() => {}
                None => return Ok(Event::Redraw),
            }
        }
    }

    pub fn is_busy(&mut self) -> Result<bool, Failure> {
        self.waiting.for_input(Some(Duration::ZERO))
    }
}

impl Drop for Keyboard<'_, '_> {
    fn drop(&mut self) {
        to_stderr("\x1b[?2004l");
    }
}

//! Writes messages to the host.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use bot_cli_protocol::{MAX_LINE, Message};

/// The output stream to the host. Each message is written as a whole line, so threads can share the stream.
#[derive(Clone)]
pub struct Output(Arc<Mutex<Box<dyn Write + Send>>>);

impl Output {
    pub fn new(stream: Box<dyn Write + Send>) -> Self {
        Self(Arc::new(Mutex::new(stream)))
    }

    /// Sends a message. Returns `false` and sends nothing if the line is too long. Write errors are ignored, because other code detects
    /// that the host has exited.
    pub fn send(&self, message: &Message) -> bool {
        self.write(message.to_line().as_bytes())
    }

    /// Sends a message that may contain secrets, then wipes it from memory.
    pub fn send_wiped(&self, message: &mut Message) -> bool {
        let sent = self.write(&message.to_wiped_line());
        message.wipe();
        sent
    }

    fn write(&self, line: &[u8]) -> bool {
        if line.len() > MAX_LINE + 1 {
            return false;
        }
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(stream.write_all(line).and_then(|()| stream.flush()));
        true
    }
}

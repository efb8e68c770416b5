//! Messages to the host.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use bot_cli_protocol::{MAX_LINE, Message};

/// The stream on which messages go out, whole lines at a time.
#[derive(Clone)]
pub struct Output(Arc<Mutex<Box<dyn Write + Send>>>);

impl Output {
    /// Writes to `stream`.
    pub fn new(stream: Box<dyn Write + Send>) -> Self {
        Self(Arc::new(Mutex::new(stream)))
    }

    /// Sends a message, unless its line is too long: then nothing is sent, and `false` comes back. A host that has gone is noticed
    /// elsewhere.
    pub fn send(&self, message: &Message) -> bool {
        self.write(message.to_line().as_bytes())
    }

    /// The same for a message that may hold secrets: nothing of it stays in memory.
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

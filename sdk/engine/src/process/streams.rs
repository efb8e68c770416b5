//! Reads a process's output as events. A separate thread reads each stream, because Windows can't wait for two pipes at once.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{ChildStderr, ChildStdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use bot_cli_protocol::line::{self, Line};
use bot_cli_terminal::background::spawn;

/// The maximum number of unread events. Beyond this limit, the process blocks on its output.
const BACKLOG: usize = 16;

/// The maximum number of bytes from standard error that are shown as one line.
const STDERR_LINE: u64 = 8 * 1024;

/// An event from a process's output streams.
#[derive(Debug)]
pub enum Event {
    /// A line from standard output.
    Line(Line),
    /// Standard output ended.
    OutputEnded,
    /// A line from standard error.
    Stderr(String),
}

/// Both output streams of a process.
#[derive(Debug)]
pub struct Streams {
    events: Receiver<Event>,
    output_ended: Arc<AtomicBool>,
}

impl Streams {
    /// Starts reading the output streams of a process.
    pub fn new(stdout: Option<ChildStdout>, stderr: Option<ChildStderr>) -> io::Result<Self> {
        let (sender, events) = mpsc::sync_channel(BACKLOG);
        let output_ended = Arc::default();
        if let Some(stdout) = stdout {
            let (sender, ended) = (sender.clone(), Arc::clone(&output_ended));
            spawn(move || read_output(BufReader::new(stdout), &sender, &ended))?;
        }
        if let Some(stderr) = stderr {
            spawn(move || read_stderr(BufReader::new(stderr), &sender))?;
        }
        Ok(Self {
            events,
            output_ended,
        })
    }

    /// Waits at most `patience` for the next event.
    pub fn next(&self, patience: Duration) -> Result<Event, RecvTimeoutError> {
        self.events.recv_timeout(patience)
    }

    /// Reports whether standard output has ended. Some of its lines may still be unread.
    pub fn output_ended(&self) -> bool {
        self.output_ended.load(Ordering::SeqCst)
    }
}

fn read_output(mut stdout: impl BufRead, events: &SyncSender<Event>, ended: &AtomicBool) {
    while let Ok(Some(line)) = line::read(&mut stdout) {
        let too_long = matches!(line, Line::TooLong { .. });
        if events.send(Event::Line(line)).is_err() || too_long {
            return drop_rest(stdout);
        }
    }
    ended.store(true, Ordering::SeqCst);
    drop(events.send(Event::OutputEnded));
}

fn read_stderr(mut stderr: impl BufRead, events: &SyncSender<Event>) {
    let mut line = Vec::new();
    while let Ok(1..) = (&mut stderr).take(STDERR_LINE).read_until(b'\n', &mut line) {
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\n', '\r']).to_owned();
        if events.send(Event::Stderr(text)).is_err() {
            return drop_rest(stderr);
        }
        line.clear();
    }
}

/// Reads and discards the rest of a stream, so that the process does not block on output while it exits.
fn drop_rest(mut stream: impl Read) {
    drop(io::copy(&mut stream, &mut io::sink()));
}

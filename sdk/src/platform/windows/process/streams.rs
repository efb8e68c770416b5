//! The output of a process. A pipe can't be waited for together with another one: a thread reads each.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{ChildStderr, ChildStdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use crate::background::spawn;
use crate::event::{Event, STDERR_LINE};
use crate::line::{self, Line};

/// The number of events that wait to be looked at before the process has to wait.
const BACKLOG: usize = 16;

/// Both streams of a process.
#[derive(Debug)]
pub struct Streams {
    events: Receiver<Event>,
    output_ended: Arc<AtomicBool>,
}

impl Streams {
    /// The streams of a process.
    pub fn new(
        stdout: Option<ChildStdout>,
        stderr: Option<ChildStderr>,
        _: u32,
    ) -> io::Result<Self> {
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

    /// The next event, waited for at most `patience`.
    pub fn next(&mut self, patience: Duration) -> Result<Event, RecvTimeoutError> {
        self.events.recv_timeout(patience)
    }

    /// The same: a wait for an event does not notice the end of the process.
    pub fn next_or_end(&mut self, patience: Duration) -> Result<Event, RecvTimeoutError> {
        self.next(patience)
    }

    /// Whether the end of the process ends a wait for it, which it never does.
    #[expect(clippy::unused_self, reason = "it depends on the system elsewhere")]
    pub const fn tells_the_end(&self) -> bool {
        false
    }

    /// Whether standard output has ended, perhaps with lines that nobody has looked at yet.
    pub fn output_ended(&self) -> bool {
        self.output_ended.load(Ordering::SeqCst)
    }
}

/// Once nobody looks at the events any more, the rest is read and dropped, so that the plugin is not held up on its way out.
fn read_output(mut stdout: impl BufRead, events: &SyncSender<Event>, ended: &AtomicBool) {
    while let Ok(Some(line)) = line::read(&mut stdout) {
        let too_long = matches!(line, Line::TooLong { .. });
        if events.send(Event::Line(line)).is_err() || too_long {
            drop(io::copy(&mut stdout, &mut io::sink()));
            return;
        }
    }
    ended.store(true, Ordering::SeqCst);
    drop(events.send(Event::OutputEnded));
}

fn read_stderr(mut stderr: impl BufRead, events: &SyncSender<Event>) {
    loop {
        let mut line = Vec::new();
        match stderr
            .by_ref()
            .take(STDERR_LINE as u64)
            .read_until(b'\n', &mut line)
        {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
        if events.send(Event::stderr(&line)).is_err() {
            drop(io::copy(&mut stderr, &mut io::sink()));
            return;
        }
    }
}

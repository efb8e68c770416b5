//! A plugin's process with bare pipes, and the end of everything in its group.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use crate::background::spawn;
use crate::line::{self, Line};
use crate::process::{Group, StopSignal};

/// The number of events that wait to be looked at before the plugin has to wait.
const BACKLOG: usize = 64;

/// The amount of standard error that is kept until its line ends.
const STDERR_LINE: usize = 8 * 1024;

/// The interval at which the end of the plugin is looked for.
const TICK: Duration = Duration::from_millis(5);

/// Something that came from the plugin.
#[derive(Debug)]
pub enum Event {
    /// A line of standard output.
    Line(Line),
    /// Lines of standard error.
    Stderr(Vec<u8>),
    /// Standard output ended.
    OutputEnded,
}

/// Whether somebody reads the plugin's standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// It is read to its end.
    Stays,
    /// A stream whose reader is gone from the start.
    Gone,
}

/// A running plugin.
#[derive(Debug)]
pub struct Process {
    group: Group,
    input: Option<Sender<Vec<u8>>>,
    events: Receiver<Event>,
}

impl Process {
    /// Starts `command` as the leader of a process group of its own.
    pub fn start(mut command: Command, reader: Reader) -> io::Result<Self> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut group = Group::start(&mut command)?;
        let (sender, events) = mpsc::sync_channel(BACKLOG);
        let (input, lines) = mpsc::channel::<Vec<u8>>();
        let (stdin, stdout, stderr) = group.take_streams();
        if let Some(stdout) = stdout.filter(|_| reader == Reader::Stays) {
            let sender = sender.clone();
            spawn(move || read_output(BufReader::new(stdout), &sender))?;
        }
        if let Some(stderr) = stderr {
            spawn(move || read_stderr(stderr, &sender))?;
        }
        if let Some(mut stdin) = stdin {
            spawn(move || {
                while let Ok(bytes) = lines.recv() {
                    if write(&mut stdin, &bytes).is_err() {
                        return;
                    }
                }
            })?;
        }
        Ok(Self {
            group,
            input: Some(input),
            events,
        })
    }

    /// Writes `bytes` as soon as the plugin takes them. One whose input has ended shows it by its end.
    pub fn write(&self, bytes: Vec<u8>) {
        if let Some(input) = &self.input {
            drop(input.send(bytes));
        }
    }

    /// Ends the plugin's input after what was written.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The next event; `None` when there is none for a moment.
    pub fn next_event(&self) -> Option<Event> {
        match self.events.recv_timeout(TICK) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                // Nothing comes any more; who waits for the end shall not spin.
                thread::sleep(TICK);
                None
            }
        }
    }

    /// Takes what still comes until `deadline`, or until standard output and standard error have ended.
    pub fn drain(&self, deadline: Instant, hear: &mut dyn FnMut(Event)) {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(event) => hear(event),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Returns how the plugin ended, if it has.
    pub fn end(&mut self) -> Option<ExitStatus> {
        self.group.end()
    }

    /// Signals the plugin and everything in its group.
    pub fn signal(&self, signal: StopSignal) {
        self.group.tell(signal);
    }

    /// Whether the plugin has ended and something in its group has not.
    pub fn leaves_something(&mut self) -> bool {
        self.group.end().is_some() && self.group.is_left()
    }

    /// Ends whatever is left of the group.
    pub fn kill(&mut self) {
        self.group.kill();
    }
}

fn write(stdin: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    stdin.write_all(bytes)?;
    stdin.flush()
}

fn read_output(mut stdout: impl BufRead, events: &SyncSender<Event>) {
    while let Ok(Some(line)) = line::read(&mut stdout) {
        let too_long = matches!(line, Line::TooLong { .. });
        if events.send(Event::Line(line)).is_err() {
            return;
        }
        if too_long {
            break;
        }
    }
    drop(events.send(Event::OutputEnded));
    drop(io::copy(&mut stdout, &mut io::sink()));
}

/// Many short lines come together: some plugins write a million.
fn read_stderr(mut stderr: impl Read, events: &SyncSender<Event>) {
    let mut lines = Vec::new();
    let mut piece = [0; STDERR_LINE];
    while let Ok(count @ 1..) = stderr.read(&mut piece) {
        lines.extend_from_slice(&piece[..count]);
        let end = match lines.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => end + 1,
            None if lines.len() >= STDERR_LINE => lines.len(),
            None => continue,
        };
        let rest = lines.split_off(end);
        let whole = std::mem::replace(&mut lines, rest);
        if events.send(Event::Stderr(whole)).is_err() {
            return;
        }
    }
    if !lines.is_empty() {
        drop(events.send(Event::Stderr(lines)));
    }
}

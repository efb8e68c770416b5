//! The output of a process, read whenever somebody waits for it. No thread is started, and nothing is taken from the process that
//! nobody wants to hear yet.

use std::io;
use std::mem;
use std::os::fd::OwnedFd;
use std::process::{ChildStderr, ChildStdout};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::Pid;

use crate::event::{Event, STDERR_LINE};
use crate::line::{LONGEST, Line};

/// The amount that is read at a time, at least.
const CHUNK: usize = 16 * 1024;

/// Both streams of a process.
#[derive(Debug)]
pub struct Streams {
    stdout: Stream,
    stderr: Stream,
    /// Whether standard output is read only to be dropped, because a line of it was too long.
    deaf: bool,
    /// Whether the end of standard output was told.
    ended: bool,
    /// Becomes readable as soon as the process ends, where the system has such a thing.
    process: Option<OwnedFd>,
}

impl Streams {
    /// The streams of the process `id`.
    #[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
    pub fn new(
        stdout: Option<ChildStdout>,
        stderr: Option<ChildStderr>,
        id: u32,
    ) -> io::Result<Self> {
        Ok(Self {
            stdout: Stream::new(stdout.map(OwnedFd::from)),
            stderr: Stream::new(stderr.map(OwnedFd::from)),
            deaf: false,
            ended: false,
            process: i32::try_from(id)
                .ok()
                .and_then(Pid::from_raw)
                .and_then(watched),
        })
    }

    /// The next event, waited for at most `patience`.
    pub fn next(&mut self, patience: Duration) -> Result<Event, RecvTimeoutError> {
        self.wait(patience, Wanted::Events)
    }

    /// The next event, waited for at most `patience` and, where [`tells_the_end`](Self::tells_the_end), until the process has ended.
    pub fn next_or_end(&mut self, patience: Duration) -> Result<Event, RecvTimeoutError> {
        self.wait(patience, Wanted::EventsAndEnd)
    }

    /// Whether the end of the process ends a wait for it.
    pub const fn tells_the_end(&self) -> bool {
        self.process.is_some()
    }

    /// Whether standard output has ended, perhaps with lines that nobody has looked at yet.
    pub fn output_ended(&self) -> bool {
        let Some(stdout) = &self.stdout.source else {
            return true;
        };
        // Without any flag asked for, only the loss of the writers is reported.
        let mut watched = [PollFd::new(stdout, PollFlags::empty())];
        poll(&mut watched, Some(&Timespec::default())).is_ok_and(|count| count > 0)
    }

    fn wait(&mut self, patience: Duration, wanted: Wanted) -> Result<Event, RecvTimeoutError> {
        let deadline = Instant::now() + patience;
        loop {
            if let Some(event) = self.heard() {
                return Ok(event);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let process = match wanted {
                Wanted::Events => None,
                Wanted::EventsAndEnd => self.process.as_ref(),
            };
            let streams = [&mut self.stderr, &mut self.stdout];
            if process.is_none() && streams.iter().all(|stream| stream.source.is_none()) {
                return Err(RecvTimeoutError::Disconnected);
            }
            let sources = streams.iter().map(|stream| stream.source.as_ref());
            let mut watched: Vec<PollFd<'_>> = sources
                .chain([process])
                .flatten()
                .map(|source| PollFd::new(source, PollFlags::IN))
                .collect();
            // A wait without an end would be none that fails.
            let left = Timespec::try_from(left).unwrap_or_default();
            match poll(&mut watched, Some(&left)) {
                Ok(0) => return Err(RecvTimeoutError::Timeout),
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return Err(RecvTimeoutError::Disconnected),
            }
            let ready: Vec<PollFlags> = watched.iter().map(PollFd::revents).collect();
            let open = streams.into_iter().filter(|stream| stream.source.is_some());
            let mut moved = false;
            for (stream, ready) in open.zip(ready) {
                if !ready.is_empty() {
                    stream.read(ready);
                    moved = true;
                }
            }
            if !moved {
                return Err(RecvTimeoutError::Timeout);
            }
        }
    }

    /// The next event of what was read.
    fn heard(&mut self) -> Option<Event> {
        // It may explain what follows on the other stream.
        if let Some(line) = self.stderr.cut(STDERR_LINE) {
            return Some(Event::stderr(&line));
        }
        if self.deaf {
            self.stdout.forget();
            return None;
        }
        if let Some(line) = self.stdout.cut(LONGEST) {
            let line = Line::of(line);
            self.deaf = matches!(line, Line::TooLong { .. });
            return Some(Event::Line(line));
        }
        (self.stdout.source.is_none() && !mem::replace(&mut self.ended, true))
            .then_some(Event::OutputEnded)
    }
}

/// What a wait is for.
#[derive(Clone, Copy)]
enum Wanted {
    Events,
    EventsAndEnd,
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn watched(process: Pid) -> Option<OwnedFd> {
    // Older systems have none, and sandboxes.
    rustix::process::pidfd_open(process, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn watched(_: Pid) -> Option<OwnedFd> {
    None
}

/// One stream, and what was read of it and is not told yet.
#[derive(Debug)]
struct Stream {
    /// The stream, until its end.
    source: Option<OwnedFd>,
    bytes: Vec<u8>,
    /// The number of bytes that were told.
    told: usize,
    /// The number of bytes among which there is no further line end.
    searched: usize,
}

impl Stream {
    fn new(source: Option<OwnedFd>) -> Self {
        Self {
            source,
            bytes: Vec::new(),
            told: 0,
            searched: 0,
        }
    }

    /// Reads what there is of a stream that is `ready`.
    fn read(&mut self, ready: PollFlags) {
        let Some(source) = &self.source else {
            return;
        };
        if !ready.contains(PollFlags::IN) {
            self.source = None;
            return;
        }
        self.bytes.drain(..self.told);
        self.searched -= self.told;
        self.told = 0;
        self.bytes.reserve(CHUNK);
        match rustix::io::read(source, spare_capacity(&mut self.bytes)) {
            Ok(1..) | Err(Errno::INTR | Errno::AGAIN) => {}
            Ok(0) | Err(_) => self.source = None,
        }
    }

    /// The next line with its end, or so many bytes of it. The last one may lack its end.
    fn cut(&mut self, most: usize) -> Option<Vec<u8>> {
        let rest = self.bytes.len().min(self.told + most);
        let line = memchr::memchr(b'\n', &self.bytes[self.searched..rest]);
        let end = match line {
            Some(at) => self.searched + at + 1,
            None if rest == self.told + most => rest,
            None if self.source.is_none() && rest > self.told => rest,
            None => {
                self.searched = rest;
                return None;
            }
        };
        let line = if self.told == 0 && end == self.bytes.len() {
            // Most often it is all there is, and there is no second copy then.
            mem::take(&mut self.bytes)
        } else {
            self.bytes[self.told..end].to_vec()
        };
        self.told = end;
        if end >= self.bytes.len() {
            self.forget();
        } else {
            self.searched = end;
        }
        Some(line)
    }

    fn forget(&mut self) {
        self.bytes.clear();
        self.told = 0;
        self.searched = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeWriter, Write, pipe};
    use std::sync::mpsc::RecvTimeoutError;
    use std::time::Duration;

    use super::{Stream, Streams};
    use crate::event::{Event, STDERR_LINE};
    use crate::line::{LONGEST, Line};

    /// More than any test takes.
    const LONG: Duration = Duration::from_secs(60);

    fn streams() -> (Streams, PipeWriter, PipeWriter) {
        let (stdout, to_stdout) = pipe().unwrap();
        let (stderr, to_stderr) = pipe().unwrap();
        let streams = Streams {
            stdout: Stream::new(Some(stdout.into())),
            stderr: Stream::new(Some(stderr.into())),
            deaf: false,
            ended: false,
            process: None,
        };
        (streams, to_stdout, to_stderr)
    }

    fn line(event: Result<Event, RecvTimeoutError>) -> String {
        match event {
            Ok(Event::Line(Line::Complete(line))) => String::from_utf8(line).unwrap(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn lines_come_whole_however_they_were_written() {
        let (mut streams, mut stdout, stderr) = streams();
        stdout.write_all(b"one\r\ntwo\n\nthr").unwrap();
        for expected in ["one", "two", "", "Err(Timeout)"] {
            assert_eq!(line(streams.next(Duration::ZERO)), expected);
        }
        stdout.write_all(b"ee\nfo").unwrap();
        assert_eq!(line(streams.next(LONG)), "three");
        assert!(!streams.output_ended());
        stdout.write_all(b"ur").unwrap();
        drop(stdout);
        assert!(streams.output_ended(), "though not all of it was looked at");
        assert_eq!(line(streams.next(LONG)), "four");
        assert!(matches!(streams.next(LONG), Ok(Event::OutputEnded)));
        assert_eq!(line(streams.next(Duration::ZERO)), "Err(Timeout)");
        drop(stderr);
        assert_eq!(line(streams.next(LONG)), "Err(Disconnected)");
    }

    #[test]
    fn standard_error_comes_in_pieces() {
        let (mut streams, stdout, mut stderr) = streams();
        let long = "x".repeat(STDERR_LINE);
        stderr
            .write_all(format!("{long}y\r\nz").as_bytes())
            .unwrap();
        drop(stderr);
        for expected in [&*long, "y", "z"] {
            let event = streams.next(LONG);
            assert!(matches!(event, Ok(Event::Stderr(line)) if line == expected));
        }
        drop(stdout);
        assert!(matches!(streams.next(LONG), Ok(Event::OutputEnded)));
        assert_eq!(line(streams.next(LONG)), "Err(Disconnected)");
    }

    #[test]
    fn what_follows_a_line_that_is_too_long_is_read_and_dropped() {
        let (mut streams, mut stdout, stderr) = streams();
        let writer = std::thread::spawn(move || {
            stdout.write_all(&vec![b'x'; LONGEST + 100]).unwrap();
            stdout.write_all(b"\nmore\n").unwrap();
        });
        let event = streams.next(LONG);
        assert!(matches!(
            event,
            Ok(Event::Line(Line::TooLong { ended: false }))
        ));
        drop(stderr);
        assert_eq!(line(streams.next(LONG)), "Err(Disconnected)");
        writer.join().unwrap();
    }
}

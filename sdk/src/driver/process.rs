//! A plugin's process: its streams as events, its end, and the end of everything it started.

use std::io::{self, Write};
use std::mem;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use super::Launch;
use crate::background::spawn;
use crate::event::Event;
use crate::process::{Group, Stopped, Streams};
use crate::protocol::Message;

/// The number of lines that wait for the plugin to read them.
const BACKLOG: usize = 16;

/// The amount that an empty pipe takes at once on every system.
const PIPE: usize = 4 * 1024;

/// A running plugin.
#[derive(Debug)]
pub struct Process {
    group: Group,
    input: Input,
    streams: Streams,
}

/// The way to a plugin's standard input, which may be left unread. A thread waits for that; for the one short line that most
/// plugins are sent, none is started.
#[derive(Debug, Default)]
struct Input {
    /// The input as long as there is no thread.
    stdin: Option<ChildStdin>,
    /// Whether nothing was written yet.
    empty: bool,
    /// The lines for the thread.
    lines: Option<SyncSender<Outgoing>>,
}

impl Input {
    fn new(stdin: Option<ChildStdin>) -> Self {
        Self {
            stdin,
            empty: true,
            lines: None,
        }
    }

    fn send(&mut self, line: Outgoing) -> Result<(), Outgoing> {
        if mem::take(&mut self.empty)
            && line.len() <= PIPE
            && let Some(stdin) = &mut self.stdin
        {
            let _ = stdin.write_all(&line);
            return Ok(());
        }
        if self.start_thread().is_err() {
            // A system that has no thread left has one later.
            return Err(line);
        }
        match self.lines.as_ref().map(|lines| lines.try_send(line)) {
            Some(Err(TrySendError::Full(line))) => Err(line),
            Some(Ok(()) | Err(TrySendError::Disconnected(_))) | None => Ok(()),
        }
    }

    fn start_thread(&mut self) -> io::Result<()> {
        if self.stdin.is_none() {
            return Ok(());
        }
        let (lines, queue) = mpsc::sync_channel(BACKLOG);
        let (giver, taker) = mpsc::sync_channel(1);
        spawn(move || {
            if let Ok(stdin) = taker.recv() {
                write_input(stdin, &queue);
            }
        })?;
        // Only a thread that is there takes the input away.
        if let Some(stdin) = self.stdin.take() {
            drop(giver.send(stdin));
        }
        self.lines = Some(lines);
        Ok(())
    }
}

/// A line on its way to the plugin. It may hold a password.
pub type Outgoing = Zeroizing<Vec<u8>>;

/// The line of a message.
pub fn outgoing(message: &Message) -> Outgoing {
    message.to_wiped_line()
}

impl Process {
    /// Starts the plugin as the leader of a process group of its own.
    pub fn start(launch: &Launch) -> io::Result<Self> {
        let mut command = Command::new(&launch.program);
        command
            .current_dir(&launch.cwd)
            .envs(launch.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for name in &launch.env_remove {
            command.env_remove(name);
        }
        let mut group = Group::start(&mut command)?;
        let (stdin, stdout, stderr) = group.take_streams();
        let streams = Streams::new(stdout, stderr, group.id())?;
        Ok(Self {
            group,
            input: Input::new(stdin),
            streams,
        })
    }

    /// Sends a line, or gives it back while too many others wait for a plugin that does not read. One whose input has
    /// ended shows it by its end.
    pub fn send(&mut self, line: Outgoing) -> Result<(), Outgoing> {
        self.input.send(line)
    }

    /// Ends the plugin's input.
    pub fn close_input(&mut self) {
        self.input = Input::default();
    }

    /// The next event, waited for at most `patience`.
    pub fn next_event(&mut self, patience: Duration) -> Result<Event, RecvTimeoutError> {
        self.streams.next(patience)
    }

    /// The next event, waited for at most `patience` and, where [`tells_its_end`](Self::tells_its_end), until the plugin has ended.
    pub fn next_event_or_end(&mut self, patience: Duration) -> Result<Event, RecvTimeoutError> {
        self.streams.next_or_end(patience)
    }

    /// Whether the end of the plugin ends a wait for it.
    pub const fn tells_its_end(&self) -> bool {
        self.streams.tells_the_end()
    }

    /// Returns how the plugin ended, if it has.
    pub fn end(&mut self) -> Option<ExitStatus> {
        self.group.end()
    }

    /// The number of the plugin's process.
    pub fn id(&self) -> u32 {
        self.group.id()
    }

    /// Why the plugin is stopped, if it is.
    pub fn stopped(&self) -> Option<Stopped> {
        self.group.stopped()
    }

    /// Whether the plugin can still take an answer.
    pub fn takes_answers(&mut self) -> bool {
        self.end().is_none()
            && !self.streams.output_ended()
            && self.stopped() != Some(Stopped::AtTheTerminal)
    }

    /// Lets a plugin that is stopped go on.
    pub fn resume(&self) {
        self.group.resume();
    }

    /// Tells the plugin, and everything it started that is still in its group, to end.
    pub fn terminate(&self) {
        self.group.terminate();
    }

    /// Ends what is left of the plugin's group: TERM, and KILL after `patience`. What it says meanwhile goes to `hear`: a
    /// plugin that can't get rid of its output would not come to its end.
    pub fn end_group(&mut self, patience: Duration, hear: &mut dyn FnMut(Event)) {
        self.close_input();
        if !self.group.is_left() {
            return self.group.end_orphans(patience);
        }
        self.terminate();
        let deadline = Instant::now() + patience;
        let mut pause = Duration::from_millis(1);
        while Instant::now() < deadline {
            match self.streams.next(pause) {
                Ok(event) => {
                    hear(event);
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => thread::sleep(pause),
            }
            if !self.group.is_left() {
                return self.group.end_orphans(patience);
            }
            pause = (pause * 2).min(Duration::from_millis(16));
        }
        self.group.kill();
    }
}

fn write_input(mut stdin: ChildStdin, lines: &Receiver<Outgoing>) {
    while let Ok(line) = lines.recv() {
        if stdin.write_all(&line).is_err() {
            return;
        }
    }
}

//! Starts a plugin's process, reads the process's output as events, and terminates every process that the plugin started.

use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use super::Launch;
use crate::process::{Event, Group, Stopped, Streams};
use bot_cli_terminal::background::spawn;

/// The maximum number of lines in the queue for the plugin's input.
const BACKLOG: usize = 16;

/// The shortest and the longest pause between checks for a plugin's exit. The first pauses are short, because most plugins exit immediately
/// and the user is waiting.
const PAUSES: [Duration; 2] = [Duration::from_micros(50), Duration::from_millis(16)];

/// A line to send to the plugin. It may contain a password.
pub type Outgoing = Zeroizing<Vec<u8>>;

#[derive(Debug)]
pub struct Process {
    /// The process group that contains the plugin and the processes that it started.
    pub group: Group,
    pub streams: Streams,
    /// The queue of lines for the plugin, or `None` once its input is closed.
    input: Option<SyncSender<Outgoing>>,
}

impl Process {
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
        let (input, lines) = mpsc::sync_channel::<Outgoing>(BACKLOG);
        if let Some(mut stdin) = stdin {
            spawn(move || drop(lines.iter().try_for_each(|line| stdin.write_all(&line))))?;
        }
        Ok(Self {
            group,
            input: Some(input),
            streams: Streams::new(stdout, stderr)?,
        })
    }

    /// Queues a line for the plugin. Returns `false` if the queue is full because the plugin does not read. A closed input is not an error
    /// here, because the plugin's exit is detected separately.
    pub fn send(&self, line: Outgoing) -> bool {
        let sent = self.input.as_ref().map(|input| input.try_send(line));
        !matches!(sent, Some(Err(TrySendError::Full(_))))
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Passes events to `hear` until `done` returns `true` or the deadline passes. Returns `false` at the deadline.
    pub fn hear_until(
        &mut self,
        deadline: Instant,
        mut done: impl FnMut(&mut Group) -> bool,
        hear: &mut dyn FnMut(Event),
    ) -> bool {
        let [shortest, longest] = PAUSES;
        let mut pause = shortest;
        while Instant::now() < deadline {
            if done(&mut self.group) {
                return true;
            }
            match self.streams.next(pause) {
                Ok(event) => {
                    hear(event);
                    pause = shortest;
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => thread::sleep(pause),
            }
            pause = (pause * 2).min(longest);
        }
        false
    }

    pub fn takes_answers(&mut self) -> bool {
        self.group.end().is_none()
            && !self.streams.output_ended()
            && self.group.stopped() != Some(Stopped::AtTheTerminal)
    }

    /// Terminates the remaining processes in the plugin's group with TERM, then with KILL after `patience`. Meanwhile, passes their output
    /// to `hear`, because a process that is blocked on its output can't exit.
    pub fn end_group(&mut self, patience: Duration, hear: &mut dyn FnMut(Event)) {
        self.close_input();
        if self.group.is_left() {
            self.group.terminate();
            let deadline = Instant::now() + patience;
            if !self.hear_until(deadline, |group| !group.is_left(), hear) {
                return self.group.kill();
            }
        }
        self.group.end_orphans(patience);
    }
}

//! A plugin's process: its streams as events, its end, and the end of everything it started.

use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use super::Launch;
use crate::process::{Event, Group, Stopped, Streams};
use bot_cli_terminal::background::spawn;

/// The number of lines that wait for the plugin to read them.
const BACKLOG: usize = 16;

/// The pauses between two looks at a plugin that is to end. Most end at once, and a user is waiting.
const PAUSES: [Duration; 2] = [Duration::from_micros(50), Duration::from_millis(16)];

/// A line on its way to the plugin. It may hold a password.
pub type Outgoing = Zeroizing<Vec<u8>>;

/// A running plugin.
#[derive(Debug)]
pub struct Process {
    /// The plugin, and everything it started that is still in its group.
    pub group: Group,
    /// What it says.
    pub streams: Streams,
    /// The lines for the plugin, until its input ends.
    input: Option<SyncSender<Outgoing>>,
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

    /// Sends a line; `false` where too many others wait for a plugin that does not read. One whose input has ended shows it by its end.
    pub fn send(&self, line: Outgoing) -> bool {
        let sent = self.input.as_ref().map(|input| input.try_send(line));
        !matches!(sent, Some(Err(TrySendError::Full(_))))
    }

    /// Ends the plugin's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Hears the plugin until it is `done`, or until `deadline`; whether it is.
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

    /// Whether the plugin can still take an answer.
    pub fn takes_answers(&mut self) -> bool {
        self.group.end().is_none()
            && !self.streams.output_ended()
            && self.group.stopped() != Some(Stopped::AtTheTerminal)
    }

    /// Ends what is left of the plugin's group: TERM, and KILL after `patience`. What it says meanwhile goes to `hear`: a
    /// plugin that can't get rid of its output would not come to its end.
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

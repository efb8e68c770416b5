//! A plugin's process: its streams as events, its end, and the end of everything it started.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::mem;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use super::Launch;
use crate::background::spawn;
use crate::line::{self, Line};
use crate::process::{Group, Stopped};
use crate::protocol::Message;

/// The number of events that wait to be looked at before the plugin has to wait, and how many lines for the plugin.
const BACKLOG: usize = 16;

/// The amount that an empty pipe takes at once on every system.
const PIPE: usize = 4 * 1024;

/// The amount of a line of standard error that is shown at once.
const STDERR_LINE: u64 = 8 * 1024;

/// Something that happened in the plugin's process.
#[derive(Debug)]
pub enum Event {
    /// A line of standard output.
    Line(Line),
    /// Standard output ended.
    OutputEnded,
    /// A line of standard error.
    Stderr(String),
}

/// A running plugin.
#[derive(Debug)]
pub struct Process {
    group: Group,
    input: Input,
    events: Receiver<Event>,
    /// Whether standard output has ended, perhaps with lines that nobody has looked at yet.
    output_ended: Arc<AtomicBool>,
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
        let (sender, events) = mpsc::sync_channel(BACKLOG);
        // Without its threads it is dropped, which ends the group.
        let process = Self {
            group,
            input: Input::new(stdin),
            events,
            output_ended: Arc::default(),
        };
        if let Some(stdout) = stdout {
            let (sender, ended) = (sender.clone(), Arc::clone(&process.output_ended));
            spawn(move || read_output(BufReader::new(stdout), &sender, &ended))?;
        }
        if let Some(stderr) = stderr {
            spawn(move || read_stderr(BufReader::new(stderr), &sender))?;
        }
        Ok(process)
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
    pub fn next_event(&self, patience: Duration) -> Result<Event, RecvTimeoutError> {
        self.events.recv_timeout(patience)
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
            && !self.output_ended.load(Ordering::SeqCst)
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
            match self.events.recv_timeout(pause) {
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
            .take(STDERR_LINE)
            .read_until(b'\n', &mut line)
        {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
        let text = String::from_utf8_lossy(&line)
            .trim_end_matches(['\n', '\r'])
            .to_owned();
        if events.send(Event::Stderr(text)).is_err() {
            drop(io::copy(&mut stderr, &mut io::sink()));
            return;
        }
    }
}

fn write_input(mut stdin: ChildStdin, lines: &Receiver<Outgoing>) {
    while let Ok(line) = lines.recv() {
        if stdin.write_all(&line).is_err() {
            return;
        }
    }
}

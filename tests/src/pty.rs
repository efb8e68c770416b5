//! Runs an executable in a terminal: sends keys and reads what the user would see on the screen.

use std::fmt;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};

use crate::bench::Bench;
use crate::patience::{self, readable};
use crate::signals::default_in_children;

/// A time limit far above what any step takes. Only a failing test reaches it.
const PATIENCE: Duration = Duration::from_secs(30);

/// The interval at which conditions outside the terminal are checked.
const LOOK: Duration = Duration::from_millis(200);

/// The Down key, which selects the next choice.
pub const DOWN: &str = "\u{1b}[B";
/// The Enter key, which submits an answer.
pub const ENTER: &str = "\r";
/// The Escape key, which goes back.
pub const ESCAPE: &str = "\u{1b}";
/// Ctrl-D, which ends the input.
pub const CTRL_D: &str = "\u{4}";
/// Ctrl-C, which cancels.
pub const CTRL_C: &str = "\u{3}";
/// Ctrl-U, which clears the line.
pub const CTRL_U: &str = "\u{15}";
/// Ctrl-Z, which suspends the process.
pub const CTRL_Z: &str = "\u{1a}";

/// A terminal that runs one process.
pub struct Terminal {
    pty: Pty,
    child: Child,
    screen: vt100::Parser,
    output: Vec<u8>,
    /// The number of bytes written before the last key press.
    answered: usize,
    patience: Duration,
}

/// The result of a process that has ended.
#[derive(Debug)]
pub struct Ended {
    /// The exit status.
    pub status: ExitStatus,
    /// The complete output, including escape sequences.
    pub output: String,
    /// The text on the screen.
    pub screen: String,
}

/// The error if the expected text does not appear in time.
pub struct Unseen {
    wanted: String,
    screen: String,
}

impl Terminal {
    /// Starts `command` in a terminal with these dimensions.
    pub fn start(command: Command, rows: u16, columns: u16) -> Result<Self, Unseen> {
        default_in_children();
        let start = || {
            let (pty, slave) = open()?;
            pty.resize(Size::new(rows, columns))?;
            let child = command.spawn(slave)?;
            Ok::<_, pty_process::Error>((pty, child))
        };
        let (pty, child) = start().map_err(|error| Unseen {
            wanted: format!("a process in a terminal: {error}"),
            screen: String::new(),
        })?;
        Ok(Self {
            pty,
            child,
            screen: vt100::Parser::new(at_least_one(rows), at_least_one(columns), 1000),
            output: Vec::new(),
            answered: 0,
            patience: PATIENCE,
        })
    }

    /// Runs `words` in a bench, in a terminal with these dimensions.
    pub fn in_bench(
        bench: &Bench,
        words: &[&str],
        rows: u16,
        columns: u16,
    ) -> Result<Self, Unseen> {
        let (program, arguments) = words.split_first().unwrap_or((&"", &[]));
        let given = bench.command(Path::new(program));
        let variables = given.get_envs();
        let command = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(variables.filter_map(|(name, value)| Some((name, value?))))
            .current_dir(bench.path("work"));
        Self::start(command, rows, columns)
    }

    /// Runs `words` in a shell. The shell then prints the exit status, and `tidy` if the terminal is back in its normal mode.
    pub fn in_shell(bench: &Bench, words: &[&str]) -> Result<Self, Unseen> {
        let script = "trap : INT; \"$@\"; echo \"status $?\"; stty -a | grep -w icanon | grep -wq echo && echo tidy";
        let shell = ["/bin/sh", "-c", script, "sh"];
        Self::in_bench(bench, &[&shell, words].concat(), 60, 100)
    }

    /// Sets the time limit for later waits, for steps that take longer than usual.
    pub fn be_patient(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Returns the output since the last key press, including escape sequences.
    pub fn answer(&self) -> String {
        String::from_utf8_lossy(&self.output[self.answered..]).into_owned()
    }

    /// Waits until the output since the last key press satisfies `seen`. Calls `seen` regularly, so it can also check conditions outside
    /// the terminal.
    pub fn wait_for_answer(
        &mut self,
        wanted: &str,
        mut seen: impl FnMut(&str) -> bool,
    ) -> Result<(), Unseen> {
        self.read_until(wanted, |terminal| seen(&terminal.answer()))
    }

    /// Waits until `text` appears anywhere on the screen.
    pub fn wait_for(&mut self, text: &str) -> Result<(), Unseen> {
        self.wait_until(text, |screen| screen.contains(text))
    }

    /// Waits until the question `message` is active. The active question is the last line that starts with a question mark.
    pub fn wait_for_question(&mut self, message: &str) -> Result<(), Unseen> {
        self.wait_until(&format!("the question {message}"), |screen| {
            let asked = screen.lines().rfind(|line| line.starts_with("? "));
            asked.is_some_and(|line| line.contains(message) && !line.contains("(back)"))
        })
    }

    /// Waits until the output since the last key press ends with `text`.
    pub fn wait_for_last(&mut self, text: &str) -> Result<(), Unseen> {
        self.wait_for_answer(text, |said| said.ends_with(text))
    }

    /// Types `keys`.
    pub fn press(&mut self, keys: &str) -> Result<(), Unseen> {
        self.answered = self.output.len();
        self.pty
            .write_all(keys.as_bytes())
            .map_err(|error| self.unseen(&format!("{keys:?} could be typed: {error}")))
    }

    /// Returns the text on the screen.
    pub fn screen(&self) -> String {
        self.screen.screen().contents()
    }

    /// Waits until the process ends.
    pub fn end(mut self) -> Result<Ended, Unseen> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.read(deadline) {
                Progress::More => {}
                Progress::Closed => break,
                Progress::Late => {
                    return Err(self.unseen("the end of every process at the terminal"));
                }
            }
        }
        let screen = self.screen();
        let output = String::from_utf8_lossy(&self.output).into_owned();
        let status = wait(self.child, &screen)?;
        Ok(Ended {
            status,
            output,
            screen,
        })
    }

    /// Closes the terminal, as closing its window does, and waits until the process ends.
    pub fn hang_up(self) -> Result<ExitStatus, Unseen> {
        let screen = self.screen();
        drop(self.pty);
        wait(self.child, &screen)
    }

    fn wait_until(&mut self, wanted: &str, seen: impl Fn(&str) -> bool) -> Result<(), Unseen> {
        self.read_until(wanted, |terminal| seen(&terminal.screen()))
    }

    fn read_until(
        &mut self,
        wanted: &str,
        mut done: impl FnMut(&Self) -> bool,
    ) -> Result<(), Unseen> {
        let deadline = Instant::now() + self.patience;
        while !done(self) {
            let moment = Instant::now() + LOOK;
            match self.read(moment.min(deadline)) {
                Progress::More => {}
                Progress::Late if Instant::now() < deadline => {}
                Progress::Closed | Progress::Late => return Err(self.unseen(wanted)),
            }
        }
        Ok(())
    }

    fn read(&mut self, deadline: Instant) -> Progress {
        let left = deadline.saturating_duration_since(Instant::now());
        if !patience::wait(&mut [readable(&self.pty)], left) {
            return Progress::Late;
        }
        let mut bytes = [0; 4096];
        match self.pty.read(&mut bytes) {
            // Linux says EIO once no process holds the terminal any more.
            Ok(0) | Err(_) => Progress::Closed,
            Ok(length) => {
                self.screen.process(&bytes[..length]);
                self.output.extend(&bytes[..length]);
                Progress::More
            }
        }
    }

    fn unseen(&self, wanted: &str) -> Unseen {
        Unseen {
            wanted: wanted.to_owned(),
            screen: self.screen(),
        }
    }
}

fn at_least_one(length: u16) -> NonZero<u16> {
    NonZero::new(length).unwrap_or(NonZero::<u16>::MIN)
}

/// The result of a read.
enum Progress {
    More,
    Closed,
    Late,
}

fn wait(mut child: Child, screen: &str) -> Result<ExitStatus, Unseen> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait()));
    match receiver.recv_timeout(PATIENCE) {
        Ok(Ok(status)) => Ok(status),
        Ok(Err(_)) | Err(_) => Err(Unseen {
            wanted: "the end of the process".to_owned(),
            screen: screen.to_owned(),
        }),
    }
}

/// Formats the error for the output of a failed test.
impl fmt::Debug for Unseen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wanted, screen } = self;
        write!(formatter, "waited for {wanted}; on the screen:\n{screen}")
    }
}

//! A program that runs alongside a test. Its output is recorded, and it never outlives the test.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// The time limit for a program to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// A child process in its own process group.
pub(crate) struct Running {
    child: Child,
    lines: Receiver<String>,
    log: String,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            // Where `CI` is set, some tools colour what goes into a pipe.
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let (sender, lines) = mpsc::channel();
        forward(child.stdout.take().unwrap(), sender.clone());
        forward(child.stderr.take().unwrap(), sender);
        let log = format!("{command:?}\n");
        Self { child, lines, log }
    }

    /// Returns the process ID, for sending signals.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Returns all output read so far.
    pub(crate) fn log(&self) -> &str {
        &self.log
    }

    /// Reads what there is by now, and returns all output.
    pub(crate) fn read(&mut self) -> &str {
        for line in self.lines.try_iter() {
            let _ = writeln!(self.log, "{line}");
        }
        &self.log
    }

    /// Waits for the next line that contains `needle`, and returns it.
    pub(crate) fn line_with(&mut self, needle: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    let _ = writeln!(self.log, "{line}");
                    if line.contains(needle) {
                        return line;
                    }
                }
                Err(RecvTimeoutError::Timeout) => panic!("nothing with `{needle}` in {PATIENCE:?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("it ended before `{needle}`"),
            }
        }
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn stop(mut self) {
        kill_process_group(Pid::from_child(&self.child), Signal::TERM).unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
        if thread::panicking() {
            // The frameworks' own steps would hide the test's message.
            let told: Vec<&str> = (self.read().lines())
                .filter(|line| !line.contains("| DEBUG "))
                .collect();
            eprintln!("---- log of {}", told.join("\n"));
        }
    }
}

fn forward(pipe: impl Read + Send + 'static, lines: Sender<String>) {
    thread::spawn(move || {
        for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
            if lines
                .send(String::from_utf8_lossy(&line).into_owned())
                .is_err()
            {
                return;
            }
        }
    });
}

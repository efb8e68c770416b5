//! Starts the bot and the web client, reads their output, and ends them.

use std::io::{BufRead, BufReader, Read, Write as _};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use bot_cli_engine::process::Group;
use bot_cli_protocol::failure::{Exit, Failure, OrFail as _};
use bot_cli_terminal::background::{no_thread, spawn};

use crate::changes::Touched;

/// The time limit for processes to exit after a termination request. After Ctrl-C, the total limit is 5 seconds.
const PATIENCE: Duration = Duration::from_secs(3);

const TICK: Duration = Duration::from_millis(20);

/// The maximum length of an output line, in bytes.
const LONGEST: u64 = 64 * 1024;

/// A line of output from a process.
#[derive(Debug)]
pub struct Said {
    pub by: &'static str,
    pub line: String,
}

/// What the command waits for.
#[derive(Debug)]
pub enum Heard {
    Said(Said),
    /// The system has reported a change of the files.
    Touched(Touched),
    /// An output has ended, or the user wants to stop.
    Woken,
}

#[derive(Debug)]
pub struct Running {
    pub name: &'static str,
    group: Group,
    /// Shared with the threads that still read its output.
    readers: Arc<()>,
}

impl Running {
    /// Starts a command and sends its output to `heard`, line by line. If the command's input is piped, it is `input`.
    pub fn start(
        name: &'static str,
        command: &mut Command,
        input: &str,
        heard: &Sender<Heard>,
    ) -> Result<Self, Failure> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let program = command.get_program().display().to_string();
        let mut group = Group::start(command).or_fail_with(
            Exit::Failed,
            "not_started",
            format!("could not start `{program}`"),
        )?;
        let (stdin, stdout, stderr) = group.take_streams();
        // The input fits into the pipe. A program that ended early is reported when its end is noticed.
        drop(stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
        let readers = Arc::new(());
        let read = |stream: Option<Box<dyn Read + Send>>| {
            let (heard, reader) = (heard.clone(), Arc::clone(&readers));
            stream.map_or(Ok(()), |stream| {
                let pass_on = move || {
                    pass_on(name, stream, &heard);
                    drop(reader);
                    // The program ends right after its output. The receiver may be gone.
                    thread::sleep(TICK);
                    let _ = heard.send(Heard::Woken);
                };
                spawn(pass_on).map_err(no_thread)
            })
        };
        read(stdout.map(|stream| Box::new(stream) as _))?;
        read(stderr.map(|stream| Box::new(stream) as _))?;
        Ok(Self {
            name,
            group,
            readers,
        })
    }

    pub fn end(&mut self) -> Option<ExitStatus> {
        self.group.end()
    }

    /// Reports whether all output has been read.
    pub fn is_read(&self) -> bool {
        Arc::strong_count(&self.readers) == 1
    }
}

fn pass_on(by: &'static str, stream: impl Read, heard: &Sender<Heard>) {
    let mut stream = BufReader::new(stream);
    let mut bytes = Vec::new();
    while let Ok(1..) = (&mut stream).take(LONGEST).read_until(b'\n', &mut bytes) {
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches(['\n', '\r']).to_owned();
        if heard.send(Heard::Said(Said { by, line })).is_err() {
            return;
        }
        bytes.clear();
    }
}

/// Asks the processes and their children to exit. Kills the remaining processes at the time limit, or as soon as `is_urgent` returns
/// `true`.
pub fn stop(mut running: Vec<Running>, is_urgent: impl Fn() -> bool) {
    for one in &running {
        one.group.terminate();
    }
    let since = Instant::now();
    while running.iter_mut().any(|one| one.group.is_left())
        && since.elapsed() < PATIENCE
        && !is_urgent()
    {
        thread::sleep(TICK);
    }
    for one in &mut running {
        one.group.kill();
    }
}

//! A conversation with a plugin, in raw lines.

mod heard;

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::rc::Rc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::bench::{Bench, Held, Stop, failed};
use super::report::CANARY;
use bot_cli_engine::platform::folders;
use bot_cli_engine::platform::process::INDISPENSABLE;
use bot_cli_engine::process::{Event, Group, Streams};
use bot_cli_protocol::failure::{Exit, Failure, reason};
use bot_cli_protocol::question::{Question, QuestionKind};
use bot_cli_protocol::{DEPTH, codes, methods, shape};
use bot_cli_terminal::background::spawn;
use bot_cli_terminal::process::StopSignal;
pub use heard::files;
use heard::has_canary;

/// The interval at which the end of the plugin is checked.
const TICK: Duration = Duration::from_millis(5);

/// The time in which a plugin may end by itself after its last check.
const LEAVING: Duration = Duration::from_millis(300);

/// The delay of an answer while another request is open, so that a plugin that does not wait for it shows it.
const KEPT_BACK: Duration = Duration::from_millis(300);

/// The number of questions of one run that are answered.
const ANSWERED: usize = 20;

/// The number of lines of a conversation that are kept.
const KEPT: usize = 200;

/// The way a plugin is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// By a host.
    Hosted,
    /// By a host that does not read its standard output.
    Unread,
    /// As a command, which prints what it likes.
    Command,
}

/// A running plugin that is spoken to.
pub struct Dialogue<'a> {
    bench: &'a Bench<'a>,
    group: Group,
    streams: Streams,
    input: Option<Sender<Vec<u8>>>,
    /// Whether both of its streams have ended.
    is_silent: bool,
    /// The folder with its `work`, `home` and `tmp`.
    pub folder: Rc<TempDir>,
    messages: Vec<String>,
    /// The last number of a request.
    pub last_id: i64,
    /// The requests without a reply, with their methods.
    pub open: Vec<(Value, String)>,
    used: Use,
    offers: bool,
    /// The answer to all questions, instead of their defaults and a made-up password.
    pub answer: Option<Value>,
    pub asked: Vec<Question>,
    /// The methods of its messages that are no replies; of a command, all messages.
    pub heard: Vec<String>,
    faults: Vec<(&'static str, String)>,
    /// Whether the made-up password was given.
    told: bool,
    /// The last line of its standard error.
    complaint: String,
}

impl<'a> Dialogue<'a> {
    /// Starts the plugin in an empty folder, or where it was before, with the words of a step: `unread`, or `with` and arguments.
    pub fn start(
        bench: &'a Bench<'a>,
        folder: Option<Rc<TempDir>>,
        words: &[&str],
    ) -> Result<Self, Stop> {
        bench.check_wanted()?;
        let folder = folder.map_or_else(empty_folder, Ok).map_err(|error| {
            let what = "could not make an empty folder";
            let failure = Failure::because(Exit::Failed, "no_folder", what, error);
            Stop::Ended(Box::new(failure))
        })?;
        let (used, arguments) = match words {
            ["with", arguments @ ..] => (Use::Command, arguments),
            ["unread"] => (Use::Unread, &[][..]),
            _ => (Use::Hosted, &[][..]),
        };
        let started = Group::start(&mut command(bench, folder.path(), arguments));
        let started = started.and_then(|mut group| {
            let (stdin, stdout, stderr) = group.take_streams();
            let streams = Streams::new(stdout.filter(|_| used != Use::Unread), stderr)?;
            Ok((streams, writer(stdin)?, group))
        });
        let (streams, input, group) =
            started.or_else(|error| failed(format!("it can't be started: {}", reason(&error))))?;
        Ok(Self {
            bench,
            group,
            streams,
            input: Some(input),
            is_silent: false,
            folder,
            messages: Vec::new(),
            last_id: 0,
            open: Vec::new(),
            used,
            offers: false,
            answer: None,
            asked: Vec::new(),
            heard: Vec::new(),
            faults: Vec::new(),
            told: false,
            complaint: String::new(),
        })
    }

    /// Writes lines as they are. The requests among them are open from now on.
    pub fn write(&mut self, bytes: Vec<u8>) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.note("->", line);
            let message: Value = serde_json::from_slice(line).unwrap_or_default();
            if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
                self.open.push((id.clone(), method.to_owned()));
            }
            if let Some(offered) = message["params"].get("capabilities") {
                self.offers = offered.get("ask").is_some();
            }
        }
        self.told |= has_canary(&bytes);
        if let Some(input) = &self.input {
            drop(input.send(bytes));
        }
    }

    /// Ends the plugin's input after what was written.
    pub fn close_input(&mut self) {
        self.note("--", b"end of input");
        self.input = None;
    }

    /// Signals the plugin's group.
    pub fn signal(&mut self, signal: StopSignal, name: &str) {
        self.note("--", format!("signal {name}").as_bytes());
        self.group.tell(signal);
    }

    /// Returns the next reply, or `None` at the deadline. Questions are answered until then.
    pub fn reply(&mut self, deadline: Instant) -> Result<Option<Value>, Stop> {
        while let Some(message) = self.next(deadline)? {
            self.check_turn(&message)?;
            match (message.get("method"), message.get("id")) {
                (None, id) => {
                    let at = self.open.iter().position(|(open, _)| Some(open) == id);
                    at.map(|at| self.open.remove(at));
                    self.look_around();
                    return Ok(Some(message));
                }
                (Some(_), None) => {}
                (Some(method), Some(_)) => {
                    if self.open.len() > 1 {
                        self.keep_back(method)?;
                    }
                    self.answer(&message);
                }
            }
        }
        Ok(None)
    }

    /// Returns the next message, or `None` at the deadline. The end of the plugin is a failure.
    pub fn next(&mut self, deadline: Instant) -> Result<Option<Value>, Stop> {
        while Instant::now() < deadline {
            self.bench.check_wanted()?;
            match self.next_event() {
                Some(Event::OutputEnded) => return Err(self.early_end()),
                Some(event) => {
                    if let Some(message) = self.hear(event)? {
                        return Ok(Some(message));
                    }
                }
                None => self.look_around(),
            }
        }
        Ok(None)
    }

    /// Waits until the plugin has ended and all its output is read.
    pub fn ended(&mut self, patience: Duration) -> Result<ExitStatus, Stop> {
        let has_ended = |it: &mut Self| it.group.end().is_some();
        self.listen(Instant::now() + patience, has_ended)?;
        let Some(status) = self.group.end() else {
            let seconds = patience.as_secs_f32();
            return failed(format!("it had not ended after {seconds} s"));
        };
        self.look_behind()?;
        self.note("--", status.to_string().as_bytes());
        if self.used == Use::Hosted && !self.open.is_empty() {
            return failed(format!("it ended with {status} and without a reply"));
        }
        Ok(status)
    }

    /// Returns the first fault, which may be why a reply is missing.
    pub fn first_fault(&self) -> String {
        let first = self.faults.first();
        first.map_or_else(String::new, |(_, what)| format!(": {what}"))
    }

    /// Returns the next event, or `None` when there is none for a moment.
    fn next_event(&mut self) -> Option<Event> {
        let event = self.streams.next(TICK);
        if matches!(event, Err(RecvTimeoutError::Disconnected)) {
            self.is_silent = true;
            // A wait for the end must not spin.
            thread::sleep(TICK);
        }
        event.ok()
    }

    /// Handles messages until the deadline, or until it `is_over` in a moment without an event.
    fn listen(&mut self, deadline: Instant, mut is_over: impl FnMut(&mut Self) -> bool) -> Held {
        while Instant::now() < deadline {
            self.bench.check_wanted()?;
            let Some(event) = self.next_event() else {
                if is_over(self) {
                    break;
                }
                continue;
            };
            if let Some(message) = self.hear(event)? {
                match (message.get("method"), message.get("id")) {
                    (Some(_), Some(_)) => self.answer(&message),
                    (None, Some(id)) => self.open.retain(|(open, _)| open != id),
                    (_, None) => {}
                }
            }
        }
        Ok(())
    }

    /// Fails at a message for a request that has to wait for its turn.
    fn check_turn(&self, message: &Value) -> Held {
        let of = message["params"].get("id");
        let waits = |(id, _): &(Value, String)| of == Some(id);
        if message.get("id").is_none() && self.open.iter().skip(1).any(waits) {
            return failed(
                "the second of two requests in one write began before the first one ended",
            );
        }
        Ok(())
    }

    /// Lets the plugin wait for an answer. Until then neither another request nor a reply may come.
    fn keep_back(&mut self, method: &Value) -> Held {
        while let Some(next) = self.next(Instant::now() + KEPT_BACK)? {
            self.check_turn(&next)?;
            if next.get("id").is_some() || next.get("method").is_none() {
                let method = method.as_str().unwrap_or_default();
                return failed(format!(
                    "with two runs in one write, it did not wait for the answer to its `{method}`"
                ));
            }
        }
        Ok(())
    }

    /// Replies to a request of the plugin.
    fn answer(&mut self, message: &Value) {
        let unknown = json!({ "code": codes::METHOD_NOT_FOUND, "message": "no such method" });
        let (kind, reply) = match message["method"].as_str() {
            Some(methods::ASK) if self.offers => ("result", self.answer_to(&message["params"])),
            Some(methods::STDIN) if self.offers => ("result", json!({ "text": "" })),
            _ => ("error", unknown),
        };
        let reply = json!({ "jsonrpc": "2.0", "id": message["id"], kind: reply });
        self.write(format!("{reply}\n").into_bytes());
    }

    fn answer_to(&mut self, params: &Value) -> Value {
        let cancel = json!({ "action": "cancel" });
        let Ok(question) = shape::read::<Question>("params", params.clone()) else {
            return cancel;
        };
        let again = question.problem.is_some() || self.asked.len() >= ANSWERED;
        let password = (question.kind == QuestionKind::Password).then(|| CANARY.into());
        let value = password.or_else(|| question.default.clone());
        self.asked.push(question);
        match (&self.answer, value) {
            (Some(answer), _) => answer.clone(),
            (None, Some(value)) if !again => json!({ "action": "accept", "value": value }),
            (None, _) => cancel,
        }
    }

    /// Ends the processes that a plugin has left behind, and reads what is still in its pipes.
    fn look_behind(&mut self) -> Held {
        // One such process is enough for the verdict.
        let seen = self.bench.check_unseen("process").is_err();
        let least = self.bench.least_patience();
        let patience = if seen { Duration::ZERO } else { least };
        self.listen(Instant::now() + patience, |it| !it.group.is_left())?;
        if self.group.is_left() {
            let what = "it has ended, and a process of its group has not";
            self.fault("process", what);
            self.group.kill();
        }
        // A process that left the group may keep the pipes open.
        self.listen(Instant::now() + least, |it| it.is_silent)
    }

    fn early_end(&mut self) -> Stop {
        let deadline = Instant::now() + self.bench.least_patience();
        let heard = self.listen(deadline, |it| it.is_silent && it.group.end().is_some());
        if let Err(stop @ Stop::Ended(_)) = heard {
            return stop;
        }
        let how = match self.group.end() {
            Some(status) => format!("it ended ({status}) instead of replying"),
            None => "it closed its standard output instead of replying".to_owned(),
        };
        self.note("--", how.as_bytes());
        Stop::Failed(how + &self.complaint + &self.first_fault())
    }
}

impl Drop for Dialogue<'_> {
    fn drop(&mut self) {
        // Killing is the last resort.
        self.input = None;
        let deadline = Instant::now() + LEAVING;
        drop(self.listen(deadline, |it| it.group.end().is_some()));
        if self.group.end().is_some() {
            drop(self.look_behind());
        }
        let mut faults = self.bench.faults.borrow_mut();
        for (kind, what) in self.faults.drain(..) {
            faults.push((kind, what, self.messages.clone()));
        }
        self.bench.messages.borrow_mut().append(&mut self.messages);
    }
}

fn empty_folder() -> io::Result<Rc<TempDir>> {
    let folder = folders::temporary("bot-cli-check-")?;
    for place in ["work", "home", "tmp"] {
        fs::create_dir(folder.path().join(place))?;
    }
    Ok(Rc::new(folder))
}

/// Returns the plugin's command, with little of our environment.
fn command(bench: &Bench, folder: &Path, arguments: &[&str]) -> Command {
    let program = &bench.kit.program;
    let mut command = Command::new(fs::canonicalize(program).as_deref().unwrap_or(program));
    let indispensable = INDISPENSABLE.iter();
    command
        .args(arguments)
        .current_dir(folder.join("work"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .env_clear()
        .envs(indispensable.filter_map(|name| Some((name, std::env::var_os(name)?))))
        .envs(bench.kit.variables.iter().cloned())
        .env(DEPTH, "1")
        .env("NO_COLOR", "1");
    for (name, place) in [
        ("HOME", "home"),
        ("TMPDIR", "tmp"),
        ("XDG_CACHE_HOME", "home/.cache"),
        ("XDG_CONFIG_HOME", "home/.config"),
        ("XDG_DATA_HOME", "home/.local/share"),
        ("XDG_STATE_HOME", "home/.local/state"),
    ] {
        command.env(name, folder.join(place));
    }
    command
}

/// Starts the thread that writes to the plugin, which may be slow to read.
fn writer(stdin: Option<ChildStdin>) -> io::Result<Sender<Vec<u8>>> {
    let (input, lines) = mpsc::channel::<Vec<u8>>();
    spawn(move || {
        let Some(mut stdin) = stdin else { return };
        drop(lines.iter().try_for_each(|line| stdin.write_all(&line)));
    })?;
    Ok(input)
}

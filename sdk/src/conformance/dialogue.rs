//! A conversation with a plugin, in raw lines.

mod heard;

use std::fs;
use std::process::ExitStatus;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::bench::{Bench, Fault, Stop};
use super::process::{Event, Process};
use super::transcript::{CANARY, Transcript, shown};
use crate::process::StopSignal;
use crate::protocol::{ErrorObject, Id, Message, codes, methods, shape};
use crate::question::{Question, QuestionKind};

/// The time that a plugin may take to leave that nobody speaks to any more.
const LEAVING: Duration = Duration::from_millis(300);

/// The number of questions of one run that are answered.
const ANSWERED: usize = 20;

/// The way questions are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// By their defaults; a password by made-up text; `cancel` where there is none.
    Defaults,
    /// By `cancel`.
    Cancel,
    /// By an action that the protocol does not know.
    Unknown,
}

/// The capabilities that the host offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// Everything.
    All,
    /// Nothing.
    Nothing,
}

/// A reply to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// It was served.
    Result(Value),
    /// It was not served.
    Error(ErrorObject),
}

/// A running plugin that is spoken to.
pub struct Dialogue<'a> {
    bench: &'a Bench<'a>,
    process: Process,
    folder: Rc<TempDir>,
    transcript: Transcript,
    last_id: i64,
    open: Vec<Id>,
    unreadable: usize,
    refused: Vec<ErrorObject>,
    offer: Offer,
    answers: Answers,
    asked: Vec<Question>,
    faults: Vec<(Fault, String)>,
    told: bool,
}

impl<'a> Dialogue<'a> {
    /// With a plugin that was just started in `folder`.
    pub fn new(bench: &'a Bench<'a>, process: Process, folder: Rc<TempDir>) -> Self {
        Self {
            bench,
            process,
            folder,
            transcript: Transcript::default(),
            last_id: 0,
            open: Vec::new(),
            unreadable: 0,
            refused: Vec::new(),
            offer: Offer::Nothing,
            answers: Answers::Defaults,
            asked: Vec::new(),
            faults: Vec::new(),
            told: false,
        }
    }

    /// Offers to ask, to hand over input and to show output, and answers questions this way.
    pub fn offering(mut self, answers: Answers) -> Self {
        self.offer = Offer::All;
        self.answers = answers;
        self
    }

    /// Offers nothing from now on.
    pub fn offer_nothing(&mut self) {
        self.offer = Offer::Nothing;
    }

    /// Returns where the plugin was started.
    pub fn folder(&self) -> Rc<TempDir> {
        Rc::clone(&self.folder)
    }

    /// Sends a request and at once the request to cancel it. Returns its number.
    pub fn send_and_cancel(&mut self, method: &str, params: Value) -> i64 {
        let line = self.line(method, params);
        let id = self.last_id;
        let cancel = json!({ "jsonrpc": "2.0", "method": methods::CANCEL, "params": { "id": id, "reason": "user" } });
        self.write(format!("{line}{cancel}\n"));
        id
    }

    /// The line of the next request, which is open from now on.
    pub fn line(&mut self, method: &str, params: Value) -> String {
        self.last_id += 1;
        self.line_as(&json!(self.last_id), method, params)
    }

    /// The line of a request with an id of its own.
    pub fn line_as(&mut self, id: &Value, method: &str, params: Value) -> String {
        if let Ok(id) = Id::deserialize(id) {
            self.open.push(id);
        }
        let mut request = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        request["params"] = params;
        format!("{request}\n")
    }

    /// The parameters of a `run` of `argv` with what this host offers.
    pub fn run_params(&self, argv: &[impl AsRef<str>]) -> Value {
        let argv: Vec<&str> = argv.iter().map(AsRef::as_ref).collect();
        let capabilities = match self.offer {
            Offer::All => json!({
                "ask": { "kinds": QuestionKind::ALL.map(QuestionKind::name) },
                "stdin": {}, "progress": {}, "output": {},
            }),
            Offer::Nothing => json!({}),
        };
        json!({
            "protocol": "1.0",
            "argv": argv,
            "capabilities": capabilities,
            "context": {
                "cwd": self.folder.path().join("work"),
                "interactive": self.offer == Offer::All,
                "color": "never",
                "width": 100,
                "format": "text",
                "verbosity": 0,
                "host": { "name": "bot-cli", "version": env!("CARGO_PKG_VERSION") },
            },
        })
    }

    /// Writes bytes as they are.
    pub fn write(&mut self, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        self.transcript.sent(&bytes);
        self.process.write(bytes);
    }

    /// Writes a line that nobody can read; the plugin shall say so.
    pub fn write_unreadable(&mut self, bytes: impl Into<Vec<u8>>) {
        self.unreadable += 1;
        self.write(bytes);
    }

    /// Ends the plugin's input.
    pub fn close_input(&mut self) {
        self.transcript.happened("end of input");
        self.process.close_input();
    }

    /// Signals the plugin's group.
    pub fn signal(&mut self, signal: StopSignal, name: &str) {
        self.transcript.happened(&format!("signal {name}"));
        self.process.signal(signal);
    }

    /// Sends a request and waits for its reply.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Reply, Stop> {
        let line = self.line(method, params);
        self.write(line);
        self.reply(&Id::Number(self.last_id))
    }

    /// Waits for the reply to a request. Questions are answered meanwhile.
    pub fn reply(&mut self, id: &Id) -> Result<Reply, Stop> {
        self.reply_within(id, self.bench.patience())
    }

    /// Waits this long for the reply to a request.
    pub fn reply_within(&mut self, id: &Id, patience: Duration) -> Result<Reply, Stop> {
        let deadline = Instant::now() + patience;
        loop {
            match self.next(deadline)? {
                Some(Message::Result { id: of, result }) if of == *id => {
                    return Ok(Reply::Result(result));
                }
                Some(Message::Error {
                    id: Some(of),
                    error,
                }) if of == *id => {
                    return Ok(Reply::Error(error));
                }
                Some(Message::Error { id: None, error }) if self.unreadable == 0 => {
                    return Err(Stop::Failed(format!(
                        "it replied with the id `null` to a line that it must be able to read: {}",
                        shown(error.message.as_bytes())
                    )));
                }
                Some(Message::Request { id, method, params }) => self.answer(&id, &method, params),
                Some(_) => {}
                None => {
                    return Err(Stop::Failed(format!(
                        "no reply within {} s{}",
                        patience.as_secs_f32(),
                        self.first_fault()
                    )));
                }
            }
        }
    }

    /// The next message, or `None` at the deadline. The end of the plugin is a failure.
    pub fn next(&mut self, deadline: Instant) -> Result<Option<Message>, Stop> {
        while Instant::now() < deadline {
            self.bench.check_wanted()?;
            match self.process.next_event() {
                Some(Event::OutputEnded) => return Err(self.early_end()),
                Some(event) => {
                    if let Some(message) = self.hear(event)? {
                        return Ok(Some(message));
                    }
                }
                None => {}
            }
        }
        Ok(None)
    }

    /// Ends the input, and waits until the plugin has ended and everything it said is heard.
    pub fn finish(&mut self) -> Result<(ExitStatus, Vec<Message>), Stop> {
        self.close_input();
        self.ended(self.bench.patience())
    }

    /// Waits until the plugin has ended and everything it said is heard.
    pub fn ended(&mut self, patience: Duration) -> Result<(ExitStatus, Vec<Message>), Stop> {
        let deadline = Instant::now() + patience;
        let mut messages = Vec::new();
        while Instant::now() < deadline {
            self.bench.check_wanted()?;
            if let Some(event) = self.process.next_event() {
                match self.hear(event)? {
                    Some(Message::Request { id, method, params }) => {
                        self.answer(&id, &method, params);
                    }
                    Some(message) => messages.push(message),
                    None => {}
                }
            } else if let Some(status) = self.process.end() {
                self.look_behind(&mut messages)?;
                self.transcript.happened(&status.to_string());
                return Ok((status, messages));
            }
        }
        Err(Stop::Failed(format!(
            "it had not ended after {} s",
            patience.as_secs_f32()
        )))
    }

    /// Waits until a command has ended, which may print whatever it likes; counts the messages among its lines.
    pub fn ended_as_command(&mut self, patience: Duration) -> Result<(ExitStatus, usize), Stop> {
        let line = self.line("no-such-method", json!({ "protocol": "1.0" }));
        self.write(line);
        self.close_input();
        let ended = self.ended(patience);
        self.faults.retain(|(fault, _)| *fault == Fault::LeftBehind);
        let (status, messages) = ended?;
        Ok((status, messages.len()))
    }

    /// The ids of the requests without a reply.
    pub fn open(&self) -> &[Id] {
        &self.open
    }

    /// Returns what it said about lines that nobody can read.
    pub fn refused(&self) -> &[ErrorObject] {
        &self.refused
    }

    /// The questions so far.
    pub fn asked(&self) -> &[Question] {
        &self.asked
    }

    /// Whether the made-up password was given.
    pub fn told_password(&self) -> bool {
        self.told
    }

    /// The names of what the plugin has put into its folder.
    pub fn made(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path().join("work"));
        let entries = entries.into_iter().flatten().flatten();
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    }

    /// Replies to a request of the plugin.
    pub fn answer(&mut self, id: &Id, method: &str, params: Value) {
        let offered = self.offer == Offer::All;
        let reply = match method {
            methods::ASK if offered => {
                let result = self.answer_to(params);
                json!({ "jsonrpc": "2.0", "id": id, "result": result })
            }
            methods::STDIN if offered => {
                json!({ "jsonrpc": "2.0", "id": id, "result": { "text": "" } })
            }
            _ => {
                let error = json!({ "code": codes::METHOD_NOT_FOUND, "message": "no such method" });
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        };
        self.write(format!("{reply}\n"));
    }

    fn answer_to(&mut self, params: Value) -> Value {
        let Ok(question) = shape::read::<Question>("params", params) else {
            return json!({ "action": "cancel" });
        };
        let again = question.problem.is_some() || self.asked.len() >= ANSWERED;
        let answer = match self.answers {
            Answers::Unknown => json!({ "action": "shrug" }),
            Answers::Cancel => json!({ "action": "cancel" }),
            Answers::Defaults if again => json!({ "action": "cancel" }),
            Answers::Defaults if question.kind == QuestionKind::Password => {
                self.told = true;
                json!({ "action": "accept", "value": CANARY })
            }
            Answers::Defaults => match &question.default {
                Some(value) => json!({ "action": "accept", "value": value }),
                None => json!({ "action": "cancel" }),
            },
        };
        self.asked.push(question);
        answer
    }

    /// Returns what is left in the group of a plugin that has ended.
    fn look_behind(&mut self, messages: &mut Vec<Message>) -> Result<(), Stop> {
        // One such process is enough for the verdict.
        let seen = self.bench.has_seen(Fault::LeftBehind);
        let least = self.bench.least_patience();
        let lingering = if seen { Duration::ZERO } else { least };
        let deadline = Instant::now() + lingering;
        while self.process.leaves_something() {
            if Instant::now() >= deadline {
                let what = "it has ended, and a process of its group has not".to_owned();
                self.faults.push((Fault::LeftBehind, what));
                self.process.kill();
                break;
            }
            if let Some(event) = self.process.next_event() {
                messages.extend(self.hear(event)?);
            }
        }
        // What is still in the pipes; a process that left the group may keep them open.
        let mut rest = Vec::new();
        let deadline = Instant::now() + least;
        self.process.drain(deadline, &mut |event| rest.push(event));
        for event in rest {
            messages.extend(self.hear(event)?);
        }
        Ok(())
    }

    fn early_end(&mut self) -> Stop {
        let deadline = Instant::now() + self.bench.least_patience();
        let mut rest = Vec::new();
        self.process.drain(deadline, &mut |event| rest.push(event));
        while self.process.end().is_none() && Instant::now() < deadline {
            rest.extend(self.process.next_event());
        }
        for event in rest {
            let _ = self.hear(event);
        }
        let how = match self.process.end() {
            Some(status) => format!("it ended ({status}) instead of replying"),
            None => "it closed its standard output instead of replying".to_owned(),
        };
        self.transcript.happened(&how);
        Stop::Failed(how + &self.first_fault())
    }

    /// Returns what may be the reason that a reply is missing.
    fn first_fault(&self) -> String {
        let first = self.faults.first();
        first.map_or_else(String::new, |(_, what)| format!(": {what}"))
    }
}

impl Drop for Dialogue<'_> {
    fn drop(&mut self) {
        // To be killed is the last resort, also for a plugin that is in order.
        self.process.close_input();
        let deadline = Instant::now() + LEAVING;
        while self.process.end().is_none() && Instant::now() < deadline {
            drop(self.process.next_event());
        }
        let lines = std::mem::take(&mut self.transcript).into_lines();
        for (fault, what) in std::mem::take(&mut self.faults) {
            self.bench.add_fault(fault, what, lines.clone());
        }
        self.bench.add_messages(lines);
    }
}

//! The exchange of raw lines with a plugin.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::rc::Rc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use memchr::memmem;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::bench::{Bench, Held, Stop, failed};
use super::folder;
use super::pattern::shaped;
use super::report::{CANARY, shown};
use bot_cli_engine::platform::process::INDISPENSABLE;
use bot_cli_engine::process::{Event, Group, Streams};
use bot_cli_protocol::failure::{Exit, Failure, reason};
use bot_cli_protocol::line::Line;
use bot_cli_protocol::question::{Question, QuestionKind};
use bot_cli_protocol::{DEPTH, Message, Role, codes, methods, shape, unique_members};
use bot_cli_secrets::messages::methods as of_sets;
use bot_cli_terminal::background::spawn;
use bot_cli_terminal::process::StopSignal;

/// The interval at which the dialogue checks whether the plugin has exited.
const TICK: Duration = Duration::from_millis(5);

/// The time limit for a plugin to exit by itself after its last check.
const LEAVING: Duration = Duration::from_millis(300);

/// The maximum number of questions answered in a run.
const ANSWERED: usize = 20;

/// The maximum number of recorded lines in a conversation.
const KEPT: usize = 200;

/// Whether anything reads the standard output of a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    Present,
    Gone,
}

#[derive(PartialEq, Eq)]
enum Output {
    Open,
    Ended,
    /// Both standard output and standard error are closed.
    Silent,
}

pub struct Dialogue<'a> {
    bench: &'a Bench<'a>,
    group: Group,
    streams: Streams,
    input: Option<Sender<Vec<u8>>>,
    output: Output,
    reader: Reader,
    /// The folder with the subfolders `work`, `home` and `tmp`.
    pub folder: Rc<TempDir>,
    messages: Vec<String>,
    pub last_id: i64,
    /// The ids and methods of requests that have no reply yet.
    pub open: Vec<(Value, String)>,
    /// The received replies that no check has read yet.
    pub replies: VecDeque<Value>,
    offers: bool,
    /// The answer to every question, in place of the question's default or a made-up password. `null` leaves questions unanswered.
    pub answer: Option<Value>,
    pub asked: Vec<Question>,
    /// The methods of all received messages that are not replies.
    pub heard: Vec<String>,
    faults: Vec<(&'static str, String)>,
    /// Whether the plugin received the made-up password.
    told: bool,
    /// The last line from standard error.
    complaint: String,
}

impl<'a> Dialogue<'a> {
    /// Starts the plugin in the given folder, or in a new one.
    pub fn start(
        bench: &'a Bench<'a>,
        folder: Option<Rc<TempDir>>,
        reader: Reader,
    ) -> Result<Self, Stop> {
        bench.check_wanted()?;
        let original = bench.original.as_ref().map(|it| it.path().join("work"));
        let folder = folder.map_or_else(|| folder::create(original.as_deref()), Ok);
        let folder = folder.map_err(|error| {
            let what = "could not make a folder for the plugin";
            let failure = Failure::because(Exit::Failed, "no_folder", what, error);
            Stop::Ended(Box::new(failure))
        })?;
        let started = Group::start(&mut command(bench, folder.path()));
        let started = started.and_then(|mut group| {
            let (stdin, stdout, stderr) = group.take_streams();
            let stdout = stdout.filter(|_| reader == Reader::Present);
            Ok((Streams::new(stdout, stderr)?, writer(stdin)?, group))
        });
        let (streams, input, group) =
            started.or_else(|error| failed(format!("it can't be started: {}", reason(&error))))?;
        Ok(Self {
            bench,
            group,
            streams,
            input: Some(input),
            output: Output::Open,
            reader,
            folder,
            messages: Vec::new(),
            last_id: 0,
            open: Vec::new(),
            replies: VecDeque::new(),
            offers: false,
            answer: None,
            asked: Vec::new(),
            heard: Vec::new(),
            faults: Vec::new(),
            told: false,
            complaint: String::new(),
        })
    }

    /// Writes the lines unchanged, and records the requests among them as open.
    pub fn write(&mut self, bytes: Vec<u8>) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.note("->", line);
            let message: Value = serde_json::from_slice(line).unwrap_or_default();
            if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str())
                && self.reader == Reader::Present
            {
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

    /// Closes the plugin's standard input once the pending lines are written.
    pub fn close_input(&mut self) {
        self.note("--", b"end of input");
        self.input = None;
    }

    pub fn signal(&mut self, signal: StopSignal, name: &str) {
        self.note("--", format!("signal {name}").as_bytes());
        self.group.tell(signal);
    }

    /// Waits until `wanted` returns a value, and returns that value. Returns `None` at the deadline. Fails if the plugin closes its output
    /// first.
    pub fn wait<T>(
        &mut self,
        deadline: Instant,
        mut wanted: impl FnMut(&mut Self) -> Option<T>,
    ) -> Result<Option<T>, Stop> {
        let found = self.until(deadline, |it| match wanted(it) {
            None => (it.output != Output::Open).then_some(None),
            found => Some(found),
        });
        match found? {
            Some(None) => Err(self.early_end()),
            found => Ok(found.flatten()),
        }
    }

    /// Waits for the plugin to exit and reads the rest of its output. Fails after `patience`, or if a request has no reply.
    pub fn ended(&mut self, patience: Duration) -> Result<ExitStatus, Stop> {
        let Some(status) = self.until(Instant::now() + patience, |it| it.group.end())? else {
            let seconds = patience.as_secs_f32();
            return failed(format!("it had not ended after {seconds} s"));
        };
        self.look_behind()?;
        self.note("--", status.to_string().as_bytes());
        if self.open.is_empty() {
            return Ok(status);
        }
        failed(format!("it ended with {status} and without a reply"))
    }

    /// Returns the first problem as a suffix for an error message, or an empty string if there is none. The problem may explain a missing
    /// reply.
    pub fn first_fault(&self) -> String {
        let first = self.faults.first();
        first.map_or_else(String::new, |(_, what)| format!(": {what}"))
    }

    /// Handles messages until `is_there` returns a value, and returns that value. Returns `None` at the deadline.
    fn until<T>(
        &mut self,
        deadline: Instant,
        mut is_there: impl FnMut(&mut Self) -> Option<T>,
    ) -> Result<Option<T>, Stop> {
        loop {
            if let Some(found) = is_there(self) {
                return Ok(Some(found));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            self.bench.check_wanted()?;
            match self.streams.next(TICK) {
                Ok(event) => self.hear(event)?,
                Err(RecvTimeoutError::Timeout) => self.look_around(),
                Err(RecvTimeoutError::Disconnected) => {
                    self.output = Output::Silent;
                    thread::sleep(TICK);
                }
            }
        }
    }

    fn hear(&mut self, event: Event) -> Held {
        let bytes = match event {
            Event::OutputEnded => {
                self.output = Output::Ended;
                return Ok(());
            }
            Event::Stderr(line) => {
                self.note("!!", line.as_bytes());
                self.look_for_password(line.as_bytes(), "standard error");
                if !line.trim().is_empty() {
                    self.complaint = format!(": `{}`", shown(line.trim().as_bytes()));
                }
                return Ok(());
            }
            Event::Line(Line::TooLong { .. }) => {
                let what = "it sent a line of more than 8 MiB";
                self.fault("line", what);
                return failed(what);
            }
            Event::Line(Line::Complete(bytes)) => bytes,
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        self.note("<-", &bytes);
        if Message::from_line(&bytes).is_err() {
            let line = shown(&bytes);
            let what = format!("it printed a line that is not a message: `{line}`");
            self.fault("line", what);
            self.look_for_password(&bytes, "standard output");
            return Ok(());
        }
        if let Err(error) = unique_members(&bytes) {
            let line = shown(&bytes);
            self.fault("twice", format!("{error}, in the line `{line}`"));
        }
        let message: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let request = self
            .open
            .iter()
            .find(|(id, _)| message.get("id") == Some(id));
        let returned = request.map_or("", |(_, method)| method);
        if ![of_sets::VALUES, of_sets::CREDENTIALS].contains(&returned) {
            self.look_for_password(&bytes, "standard output");
        }
        self.judge(&message);
        match (message.get("method"), message.get("id")) {
            (Some(_), Some(_)) => self.answer(&message),
            (Some(_), None) => {}
            (None, id) => {
                self.open.retain(|(open, _)| Some(open) != id);
                self.replies.push_back(message);
                self.look_around();
            }
        }
        Ok(())
    }

    fn judge(&mut self, message: &Value) {
        let id = &message["id"];
        let Some(method) = message["method"].as_str() else {
            if !id.is_null() && !self.open.iter().any(|(open, _)| open == id) {
                let what = format!("it replied to {id}, which no open request has as its id");
                self.fault("reply", what);
            }
            return;
        };
        self.heard.push(method.to_owned());
        let offered = [methods::ASK, methods::STDIN, methods::OUTPUT];
        if !self.offers && offered.contains(&method) {
            let what = format!("it sent `{method}`, which the host did not offer");
            self.fault("unoffered", what);
        }
        let is_formed = offered.contains(&method) && method != methods::STDIN;
        if is_formed || [methods::PROGRESS, methods::LOG].contains(&method) {
            self.bench.seen.borrow_mut().insert("message");
            if let Err(problem) = shaped(method, "params", &message["params"]) {
                let what = format!("its `{method}` has another shape: {problem}");
                self.fault("shape", what);
            }
        }
    }

    /// Records a line of the conversation, up to a maximum number of lines.
    fn note(&mut self, mark: &str, line: &[u8]) {
        if self.messages.len() < KEPT {
            self.messages.push(format!("{mark} {}", shown(line)));
        }
    }

    fn fault(&mut self, kind: &'static str, what: impl Into<String>) {
        self.faults.push((kind, what.into()));
    }

    fn look_for_password(&mut self, bytes: &[u8], place: &str) {
        if has_canary(bytes) {
            self.fault("password", format!("it repeated a password in {place}"));
        }
    }

    /// Searches for the made-up password in files and processes that the user's other programs can read.
    fn look_around(&mut self) {
        if !self.told || self.bench.role != Role::SecretsBackend {
            return;
        }
        let folder = Rc::clone(&self.folder);
        let places = ["tmp", "work"].map(|place| folder.path().join(place));
        let mut files = places.iter().flat_map(|place| folder::entries(place));
        if files.any(|(file, kind)| kind.is_file() && holds_canary(&file)) {
            self.fault("password", "it left a value in a temporary file");
        }
        let home = folder.path().to_string_lossy();
        let own = self.group.id();
        // Other systems do not have this folder.
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let parents: Vec<(u32, u32)> = processes.filter_map(|it| parent(&it.path())).collect();
        let parent = |of: &u32| parents.iter().find(|it| it.0 == *of).map(|it| it.1);
        for process in parents.iter().map(|it| it.0).filter(|it| *it != own) {
            let read = |name| fs::read(format!("/proc/{process}/{name}")).unwrap_or_default();
            let variables = read("environ");
            let above = std::iter::successors(Some(process), parent);
            let is_below = above.take(parents.len()).any(|it| it == own);
            if is_below || memmem::find(&variables, home.as_bytes()).is_some() {
                self.bench.seen.borrow_mut().insert("program");
                if has_canary(&variables) || has_canary(&read("cmdline")) {
                    let place = "in the arguments or the environment of a program";
                    self.fault("program", format!("it left a value {place}"));
                }
            }
        }
    }

    fn answer(&mut self, message: &Value) {
        let unknown = json!({ "code": codes::METHOD_NOT_FOUND, "message": "no such method" });
        let (kind, reply) = match message["method"].as_str() {
            Some(methods::ASK) if self.answer == Some(Value::Null) => return,
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

    /// Waits briefly for the processes that the plugin left running, then kills them and reads the rest of their output.
    fn look_behind(&mut self) -> Held {
        // One such process is enough for the verdict.
        let seen = self.bench.check_unseen("process").is_err();
        let least = self.bench.least_patience();
        let patience = if seen { Duration::ZERO } else { least };
        let alone = |it: &mut Self| (!it.group.is_left()).then_some(());
        if self.until(Instant::now() + patience, alone)?.is_none() {
            let what = "it has ended, and a process of its group has not";
            self.fault("process", what);
            self.group.kill();
        }
        // A process that left the group may keep the pipes open.
        let silent = |it: &mut Self| (it.output == Output::Silent).then_some(());
        self.until(Instant::now() + least, silent).map(drop)
    }

    fn early_end(&mut self) -> Stop {
        let deadline = Instant::now() + self.bench.least_patience();
        let ended = |it: &mut Self| it.group.end().filter(|_| it.output == Output::Silent);
        let how = match self.until(deadline, ended) {
            Err(stop @ Stop::Ended(_)) => return stop,
            Ok(Some(status)) => format!("it ended ({status}) instead of replying"),
            _ => "it closed its standard output instead of replying".to_owned(),
        };
        self.note("--", how.as_bytes());
        Stop::Failed(how + &self.complaint + &self.first_fault())
    }
}

impl Drop for Dialogue<'_> {
    fn drop(&mut self) {
        // Lets the plugin end by itself before it is killed.
        self.input = None;
        let deadline = Instant::now() + LEAVING;
        if let Ok(Some(_)) = self.until(deadline, |it| it.group.end()) {
            drop(self.look_behind());
        }
        let mut faults = self.bench.faults.borrow_mut();
        for (kind, what) in self.faults.drain(..) {
            faults.push((kind, what, self.messages.clone()));
        }
        self.bench.messages.borrow_mut().append(&mut self.messages);
    }
}

/// Returns the command that starts the plugin with a reduced environment.
fn command(bench: &Bench, folder: &Path) -> Command {
    let program = &bench.kit.program;
    let mut command = Command::new(fs::canonicalize(program).as_deref().unwrap_or(program));
    let indispensable = INDISPENSABLE.iter();
    command
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

/// Starts a thread that writes to the plugin, because the plugin may be slow to read.
fn writer(stdin: Option<ChildStdin>) -> io::Result<Sender<Vec<u8>>> {
    let (input, lines) = mpsc::channel::<Vec<u8>>();
    spawn(move || {
        let Some(mut stdin) = stdin else { return };
        drop(lines.iter().try_for_each(|line| stdin.write_all(&line)));
    })?;
    Ok(input)
}

/// Returns the ids of a process and of its parent, given its folder in `/proc`.
fn parent(process: &Path) -> Option<(u32, u32)> {
    let id = process.file_name()?.to_str()?.parse().ok()?;
    let text = fs::read_to_string(process.join("stat")).ok()?;
    // The name in parentheses may contain anything, even parentheses.
    let (_, rest) = text.rsplit_once(')')?;
    Some((id, rest.split_whitespace().nth(1)?.parse().ok()?))
}

pub fn has_canary(bytes: &[u8]) -> bool {
    memmem::find(bytes, CANARY.as_bytes()).is_some()
}

fn holds_canary(file: &Path) -> bool {
    fs::read(file).is_ok_and(|bytes| has_canary(&bytes))
}

//! Plugins with configurable faults. Rules, in the notation of the protocol checks, map incoming messages to actions.
//! `sdk/protocol/checks/README.md` documents the format.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Stdin, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio, exit};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use std::{env, fs};

use serde_json::{Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::patience::wait_for_file;

/// The delay before a late message.
const LATER: Duration = Duration::from_millis(200);

/// A correct plugin, to which rules add faults.
pub trait Plugin {
    /// Replies to a request.
    fn serve(&mut self, wire: &mut Wire, id: &Value, method: &str, params: &Value);
}

/// A plugin's standard streams and the rules that apply to them.
pub struct Wire {
    rules: Vec<Rule>,
    input: BufReader<Stdin>,
    waiting: VecDeque<Value>,
    /// The ID of the run that is waiting for an answer.
    open: Arc<Mutex<Option<Value>>>,
    /// Whether to suppress the output for the current request.
    is_quiet: bool,
    quietly: Option<Vec<String>>,
    held: Option<Value>,
}

/// An incoming event and the actions it triggers.
#[derive(Clone)]
struct Rule {
    on: String,
    actions: Vec<String>,
}

/// Serves requests until the input ends, following the rules in the file next to the executable.
pub fn main(plugin: &mut impl Plugin) {
    let text = fs::read_to_string(beside("fault")).unwrap_or_default();
    let mut wire = Wire {
        rules: rules(&text),
        input: BufReader::new(io::stdin()),
        waiting: VecDeque::new(),
        open: Arc::default(),
        is_quiet: false,
        quietly: None,
        held: None,
    };
    if env::args_os().len() > 1 {
        print("Usage: bot-cli NAME");
        return;
    }
    let (open, at_signal) = (Arc::clone(&wire.open), wire.on("-- signal"));
    let heard = move |signal: i32| {
        let asking = open.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(rule) = &at_signal {
            if rule.actions.is_empty() {
                return;
            }
        } else if let Some(id) = asking {
            print(&error(&id, 130, "cancelled", &json!({})));
        }
        exit(128 + signal);
    };
    if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) {
        thread::spawn(move || signals.forever().for_each(heard));
    }
    if let Some(rule) = wire.on("-- start") {
        wire.act(&rule, &Value::Null, "");
    }
    while let Some(message) = wire.next() {
        wire.take(plugin, &message);
    }
    if let Some(rule) = wire.on("-- close") {
        wire.act(&rule, &Value::Null, "");
    }
    // What comes later comes.
    thread::sleep(2 * LATER * u32::from(text.contains("-- later")));
}

impl Wire {
    fn take(&mut self, plugin: &mut impl Plugin, message: &Value) {
        let (id, Some(method)) = (&message["id"], message["method"].as_str()) else {
            return;
        };
        let after = self.quietly.take();
        self.is_quiet = after.is_some();
        if !id.is_null() {
            plugin.serve(self, id, method, &message["params"]);
        }
        self.is_quiet = false;
        let rule = Rule {
            on: String::new(),
            actions: after.unwrap_or_default(),
        };
        self.act(&rule, message, "");
    }

    pub fn result(&self, id: &Value, result: &Value) {
        self.say(&json!({"jsonrpc":"2.0","id":id,"result":result}).to_string());
    }

    pub fn fail(&self, id: &Value, code: i64, message: &str, data: &Value) {
        self.say(&error(id, code, message, data));
    }

    fn say(&self, line: &str) {
        if self.is_quiet {
            return;
        }
        print(line);
    }

    /// Asks a question during the run `id`. Returns `None` if the input ends before the answer.
    pub fn ask(&mut self, id: &Value, question: &Value) -> Option<Value> {
        let key = &question["key"];
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(id.clone());
        self.say(&json!({"jsonrpc":"2.0","id":key,"method":"ask","params":question}).to_string());
        let answer = loop {
            let Some(message) = self.read() else {
                if let Some(rule) = self.on("-- close") {
                    self.act(&rule, &Value::Null, "");
                }
                break None;
            };
            if message.get("method").is_some() && !message["id"].is_null() {
                self.waiting.push_back(message);
            } else if message["id"] == *key {
                break Some(message["result"].clone());
            }
        };
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
        answer
    }

    fn on(&self, event: &str) -> Option<Rule> {
        self.rules.iter().find(|rule| rule.on == event).cloned()
    }

    fn next(&mut self) -> Option<Value> {
        self.waiting.pop_front().or_else(|| self.read())
    }

    /// Returns the next message after applying the rules.
    fn read(&mut self) -> Option<Value> {
        loop {
            let mut line = Vec::new();
            if self.input.read_until(b'\n', &mut line).ok()? == 0 {
                return None;
            }
            let latin: String = line.iter().copied().map(char::from).collect();
            let message = serde_json::from_slice::<Value>(&line);
            let fits = |rule: &&Rule| match (rule.on.split_at(2), &message) {
                (("->", pattern), Ok(message)) => serde_json::from_str(pattern)
                    .is_ok_and(|pattern: Value| fits(&pattern, message)),
                (("~>", bytes), _) => {
                    serde_json::from_str(bytes).is_ok_and(|bytes: String| latin.contains(&bytes))
                }
                _ => false,
            };
            if let Some(rule) = self.rules.iter().find(fits).cloned() {
                let text = String::from_utf8_lossy(&line);
                let message = message.unwrap_or_default();
                match self.act(&rule, &message, text.trim_end()) {
                    Some(message) => return Some(message),
                    None => continue,
                }
            }
            match message {
                _ if line.trim_ascii().is_empty() => {}
                Err(_) => self.fail(&Value::Null, -32700, "not JSON", &json!({})),
                Ok(message)
                    if message["jsonrpc"] == "2.0"
                        && ["method", "result", "error"]
                            .iter()
                            .any(|member| message.get(member).is_some()) =>
                {
                    return Some(message);
                }
                Ok(_) => self.fail(&Value::Null, -32600, "no message", &json!({})),
            }
        }
    }

    /// Performs the actions of a rule. Returns the message that the plugin must still handle, if any.
    fn act(&mut self, rule: &Rule, message: &Value, line: &str) -> Option<Value> {
        for (at, action) in rule.actions.iter().enumerate() {
            let words = action.strip_prefix("-- ").unwrap_or_default();
            let (name, rest) = words.split_once(' ').unwrap_or((words, ""));
            let parsed = || serde_json::from_str(rest).unwrap_or_else(|_| unknown(action));
            match name {
                "pass" => return Some(message.clone()),
                "quietly" => {
                    self.quietly = Some(rule.actions[at + 1..].to_vec());
                    return Some(message.clone());
                }
                "hold" => self.held = Some(message.clone()),
                "resume" => return self.held.take(),
                "read" => {
                    let text = rest.replace("$id", &message["id"].to_string());
                    return serde_json::from_str(&text).ok();
                }
                "with" => {
                    let mut message = message.clone();
                    merge(&mut message, parsed());
                    return Some(message);
                }
                "later" => {
                    let (rest, message) = (rule.actions[at + 1..].to_vec(), message.clone());
                    thread::spawn(move || {
                        thread::sleep(LATER);
                        for action in &rest {
                            do_one(action, &message, "");
                        }
                    });
                    return None;
                }
                _ => do_one(action, message, line),
            }
        }
        None
    }
}

/// Performs one action for a message, whose original text is `line`.
pub fn do_one(action: &str, message: &Value, line: &str) {
    let (mark, rest) = action.split_at(2);
    let text = rest.trim_start().replace("$id", &message["id"].to_string());
    let text = text.replace("$line", line);
    let (name, rest) = text.split_once(' ').unwrap_or((&text, ""));
    let folder = || env::current_dir().unwrap_or_default().join("..");
    match (mark, name) {
        ("<-", _) if text == "\\xff" => drop(io::stdout().write_all(b"\xff\xfe\n")),
        ("<-", _) => print(&text),
        ("!!", _) => drop(writeln!(io::stderr(), "{text}")),
        (_, "exit") => exit(rest.parse().unwrap_or_default()),
        (_, "sleep") => thread::sleep(Duration::from_secs(rest.parse().unwrap_or_default())),
        (_, "cling") => {
            // A reader skips empty lines. Without a reader, the process stays nevertheless.
            let written = io::stdout()
                .write_all(b"\n")
                .and_then(|()| io::stdout().flush());
            if written.is_err() {
                thread::sleep(Duration::from_secs(rest.parse().unwrap_or_default()));
            }
        }
        (_, "folder") => drop(fs::create_dir(folder().join(rest))),
        (_, "child") => child(&mut Command::new("sleep"), "60"),
        // Another program gets it as an argument, for a moment.
        (_, "tell") => {
            child(Command::new("/bin/sh").args(["-c", "sleep 1; :"]), rest);
            thread::sleep(LATER);
        }
        (_, "file") => {
            let (name, text) = rest.split_once(' ').unwrap_or((rest, ""));
            drop(fs::write(folder().join(name), text));
        }
        (_, "await") => wait_for_file(&beside(rest)),
        (_, "mark") => drop(fs::write(beside(rest), std::process::id().to_string())),
        (_, "remove") => drop(fs::remove_file(folder().join(rest))),
        _ => unknown(action),
    }
}

/// Returns the executable's path with the extension `ending`.
fn beside(ending: &str) -> PathBuf {
    let file = env::current_exe().unwrap_or_default();
    file.with_extension(ending)
}

fn child(command: &mut Command, last: &str) {
    let silent = command.arg(last).stdin(Stdio::null());
    let silent = silent.stdout(Stdio::null()).stderr(Stdio::null());
    drop(silent.spawn());
}

/// Parses rules. Each rule consists of a line for the event and one line per action.
fn rules(text: &str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for line in text.lines().filter(|line| line.len() > 2) {
        let events = ["-- start", "-- close", "-- signal"];
        let is_event = line.starts_with("->") || line.starts_with("~>") || events.contains(&line);
        match rules.last_mut().filter(|_| !is_event) {
            Some(rule) => rule.actions.push(line.to_owned()),
            None => rules.push(Rule {
                on: line.to_owned(),
                actions: Vec::new(),
            }),
        }
    }
    rules
}

/// Reports whether `value` matches `pattern`. `$any` matches any value except null, and `null` matches a missing member.
fn fits(pattern: &Value, value: &Value) -> bool {
    match pattern {
        Value::String(text) if text == "$any" => !value.is_null(),
        Value::Object(members) => members
            .iter()
            .all(|(name, inner)| fits(inner, value.get(name).unwrap_or(&Value::Null))),
        Value::Array(items) => value.as_array().is_some_and(|values| {
            items.len() == values.len() && items.iter().zip(values).all(|(one, it)| fits(one, it))
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => pattern == value,
    }
}

fn unknown<T>(action: &str) -> T {
    drop(writeln!(io::stderr(), "unknown: {action}"));
    exit(99);
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

fn error(id: &Value, code: i64, message: &str, data: &Value) -> String {
    let error = json!({"code":code,"message":message,"data":data});
    json!({"jsonrpc":"2.0","id":id,"error":error}).to_string()
}

fn print(line: &str) {
    let mut stdout = io::stdout().lock();
    let sent = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
    if sent.is_err() {
        // The host has gone.
        exit(1);
    }
}

/// Returns the file in which a backend stores its sets.
pub fn kept(params: &Value, name: &str) -> PathBuf {
    let data = env::var_os("XDG_DATA_HOME").map_or_else(env::temp_dir, PathBuf::from);
    let file = params["settings"]["file"].as_str();
    file.map_or_else(|| data.join(name), PathBuf::from)
}

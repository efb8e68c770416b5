//! Runs the steps of a check: sends lines and compares the replies with patterns.

mod words;

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use regex_lite::{Captures, Regex};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::bench::{Bench, Held, Stop, failed, not_run};
use super::checks::{File, Rule};
use super::dialogue::{Dialogue, Reader};
use super::folder::{self, Snapshot};
use super::pack;
use super::pattern::Known;
use super::report::shown;
use super::schema;
use crate::named::is_for;
use bot_cli_engine::discovery::PREFIX;
use bot_cli_engine::platform::files::is_executable;
use bot_cli_protocol::words as arguments;
use bot_cli_protocol::{Manifest, shape};
use bot_cli_secrets::messages::OpenResult;
use bot_cli_terminal::process::{StopSignal, shell_status};
use words::Words;
pub use words::wrong_place;

/// The word that fills a line up to the maximum length. Such a line has a longer time limit, because shells read byte by byte.
const FILLER: &str = "$filler";
const LONG_LINE: Duration = Duration::from_secs(60);

struct Script<'a> {
    bench: &'a Bench<'a>,
    file: &'a File,
    check: &'a Rule,
    plugin: Option<Dialogue<'a>>,
    /// The values of the `$` words that the check's file doesn't define.
    words: Words,
    known: Known,
    unsent: Vec<u8>,
    replies: Vec<Value>,
    /// The backend's reply to the last `open` request.
    opened: OpenResult,
    patience: Duration,
    /// The contents of the plugin's folder when the check last looked at it.
    seen: Snapshot,
}

/// The subfolders in which a plugin may leave files.
const PLACES: [&str; 3] = ["work", "home", "tmp"];

pub fn hold<'a>(bench: &'a Bench<'a>, file: &'a File, check: &'a Rule) -> Held {
    let mut script = Script {
        bench,
        file,
        check,
        plugin: None,
        words: words::of(bench, check)?,
        known: Known::default(),
        unsent: Vec::new(),
        replies: Vec::new(),
        opened: OpenResult::default(),
        patience: bench.patience.get(),
        seen: Snapshot::new(),
    };
    if check.needs.iter().any(|need| need == "place") {
        script.hold_in_place()
    } else {
        script.take(&check.steps)
    }
}

impl<'a> Script<'a> {
    /// Returns the plugin, starting it on first use.
    fn plugin(&mut self) -> Result<&mut Dialogue<'a>, Stop> {
        if self.plugin.is_none() {
            self.start(None, Reader::Present)?;
        }
        self.plugin.as_mut().ok_or_else(|| mistake("nothing runs"))
    }

    /// Runs steps, one per line.
    fn take(&mut self, steps: &str) -> Held {
        for line in steps.lines() {
            let (mark, rest) = line.split_at_checked(2).unwrap_or_default();
            let rest = rest.trim();
            let words: Vec<&str> = rest.split(' ').collect();
            match (mark, words.as_slice()) {
                ("->", _) => self.send(rest)?,
                ("~>", _) => {
                    let text: String = json(rest)?;
                    let byte = |character| u8::try_from(u32::from(character)).unwrap_or(b'?');
                    self.unsent.extend(text.chars().map(byte));
                }
                ("<-", _) => self.expect(rest)?,
                ("==", _) => self.check_subject(rest)?,
                ("??", _) => {
                    let (step, reason) = rest.split_once(" else ").unwrap_or((rest, ""));
                    match self.check_subject(step) {
                        Err(Stop::Failed(_)) if reason.is_empty() => break,
                        Err(Stop::Failed(_)) => return not_run(reason),
                        held => held?,
                    }
                }
                ("--", words) => self.act(words)?,
                _ => {}
            }
        }
        self.flush()
    }

    /// Opens the backend's scope, runs the check's steps, and restores the scope afterwards.
    fn hold_in_place(&mut self) -> Held {
        let place = &self.file.place;
        self.take(&place.enter).inspect_err(|stop| {
            if let Stop::Failed(_) = stop {
                let reason = "the place can't be opened".to_owned();
                *self.bench.shut.borrow_mut() = Some(reason);
            }
        })?;
        let held = self.take(&self.check.steps);
        let left = self.take(&place.leave).or_else(|_| {
            self.start_again()?;
            self.take(&place.enter)?;
            self.take(&place.leave)
        });
        match (held, left) {
            (Ok(()) | Err(Stop::NotRun(_)), Err(Stop::Failed(reason))) => {
                failed(format!("a set may be left behind: {reason}"))
            }
            (Err(Stop::Failed(first)), Err(Stop::Failed(reason))) => {
                failed(format!("{first}; a set may be left behind: {reason}"))
            }
            (held, left) => left.and(held),
        }
    }

    fn start_again(&mut self) -> Held {
        let folder = Rc::clone(&self.plugin()?.folder);
        self.start(Some(folder), Reader::Present)
    }

    fn start(&mut self, folder: Option<Rc<TempDir>>, reader: Reader) -> Held {
        // Two running plugins could interfere with each other.
        self.plugin = None;
        let plugin = Dialogue::start(self.bench, folder, reader)?;
        let work = json!(plugin.folder.path().join("work")).to_string();
        self.words.insert("work", work.trim_matches('"').to_owned());
        self.plugin = Some(plugin);
        Ok(())
    }

    /// Runs a step that begins with `--`.
    fn act(&mut self, words: &[&str]) -> Held {
        self.flush()?;
        match words {
            ["start"] => self.start(None, Reader::Present)?,
            ["start", "unheard"] => self.start(None, Reader::Gone)?,
            ["start", "again"] => self.start_again()?,
            ["close"] => self.plugin()?.close_input(),
            ["signal", name] => match signal(name) {
                Some(signal) if !signal.is_ignored() => self.plugin()?.signal(signal, name),
                // The plugin inherits ignored signals, and not every language can change that.
                _ => return not_run("the signal is ignored here"),
            },
            ["end", statuses @ .., "within", seconds] => {
                let seconds: u64 = json(seconds)?;
                // The plugin starts first, which may take extra time.
                self.end(statuses, Duration::from_secs(seconds) + self.patience / 2)?;
            }
            ["end", statuses @ ..] => self.end(statuses, self.patience)?,
            ["answer", answer] => self.plugin()?.answer = Some(json(answer)?),
            ["enter"] => self.take(&self.file.place.enter)?,
            ["opened"] => self.open()?,
            ["look"] => {
                let folder = Rc::clone(&self.plugin()?.folder);
                self.seen = folder::look(folder.path(), &PLACES);
            }
            ["unchanged", places @ ..] => {
                let folder = Rc::clone(&self.plugin()?.folder);
                let now = folder::look(folder.path(), &PLACES);
                folder::difference(&self.seen, &now, places).map_or(Ok(()), failed)?;
            }
            ["ran"] => *self.bench.ran.borrow_mut() = self.replies.last().cloned(),
            ["never", kind] => {
                self.plugin = None;
                self.bench.check_unseen(kind)?;
            }
            ["executable"] => self.check_executable()?,
            ["named"] => self.check_named()?,
            ["described"] => self.check_described()?,
            ["declared"] => self.check_declared()?,
            ["services"] => pack::check_services(self.bench)?,
            ["framework"] => pack::check_framework(self.bench)?,
            _ => return Err(mistake(&words.join(" "))),
        }
        Ok(())
    }

    /// Compares a value such as the manifest with patterns, as in `manifest {"name":"$text"}`.
    fn check_subject(&mut self, step: &str) -> Held {
        let (subject, patterns) = step.split_once(' ').unwrap_or((step, ""));
        let patterns = self.patterns(patterns)?;
        let value = match subject {
            "reply" => return self.compare_reply(patterns),
            "replies" => json!(self.replies[self.replies.len().saturating_sub(2)..]),
            "manifest" => json!(self.bench.manifest()?),
            "commands" => json!(words::commands(self.bench.manifest()?)),
            "required" => json!(self.bench.manifest()?.requires.keys().collect::<Vec<_>>()),
            "asked" => json!(self.plugin()?.asked),
            "heard" => json!(self.plugin()?.heard),
            "opened" => json!(self.opened),
            "seen" => json!(*self.bench.seen.borrow()),
            "ran" => self.bench.ran.borrow().clone().unwrap_or_else(|| json!({})),
            _ => return Err(mistake(subject)),
        };
        self.compare(patterns, &value, subject)
    }

    /// Adds a line to the next write: a complete message, or a request built from a method and its parameters.
    fn send(&mut self, rest: &str) -> Held {
        self.plugin()?;
        let mut line = self.fill(rest);
        if !line.starts_with('{') {
            let (method, own) = line.split_once(' ').unwrap_or((&line, "{}"));
            let shared = format!("{{{}}}", self.fill(&self.file.params));
            let mut params: Map<String, Value> = json(&shared)?;
            params.extend(json::<Map<String, Value>>(own)?);
            params.retain(|_, value| !value.is_null());
            let plugin = self.plugin()?;
            plugin.last_id += 1;
            let id = plugin.last_id;
            line = json!({"jsonrpc":"2.0","id":id,"method":method,"params":params}).to_string();
        }
        if line.contains(FILLER) {
            let longest = self.bench.kit.longest_line + FILLER.len();
            line = line.replace(FILLER, &"x".repeat(longest.saturating_sub(line.len())));
            self.patience = self.patience.max(LONG_LINE);
        }
        self.unsent.extend((line + "\n").into_bytes());
        Ok(())
    }

    fn flush(&mut self) -> Held {
        if !self.unsent.is_empty() {
            let bytes = std::mem::take(&mut self.unsent);
            self.plugin()?.write(bytes);
        }
        Ok(())
    }

    /// Waits for a reply or a request from the plugin, and compares it with the patterns in `rest`.
    fn expect(&mut self, rest: &str) -> Held {
        self.flush()?;
        let mut patterns = self.patterns(rest)?;
        let deadline = Instant::now() + self.patience;
        let plugin = self.plugin()?;
        if let Some(method) = patterns.first().and_then(|it| it["method"].as_str()) {
            let heard = |it: &mut Dialogue| it.heard.iter().any(|it| it == method).then_some(());
            return plugin.wait(deadline, heard)?.ok_or_else(|| self.too_late());
        }
        let (id, method) = plugin.open.first().cloned().unwrap_or_default();
        let reply = plugin.wait(deadline, |it| it.replies.pop_front())?;
        let reply = reply.ok_or_else(|| self.too_late())?;
        for pattern in patterns.iter_mut().filter_map(Value::as_object_mut) {
            pattern.entry("id").or_insert(id.clone());
        }
        self.known.method = method;
        self.replies.push(reply);
        self.compare_reply(patterns)
    }

    fn compare_reply(&mut self, patterns: Vec<Value>) -> Held {
        let reply = self.replies.last().cloned().unwrap_or_default();
        self.compare(patterns, &reply, "reply")
            .map_err(|stop| match stop {
                Stop::Failed(reason) => {
                    let (method, got) = (&self.known.method, in_words(&reply));
                    Stop::Failed(format!("`{method}` got {got}: {reason}"))
                }
                stop @ (Stop::NotRun(_) | Stop::Ended(_)) => stop,
            })
    }

    /// Checks that a value matches at least one of the patterns.
    fn compare(&mut self, patterns: Vec<Value>, value: &Value, what: &str) -> Held {
        let mut reasons = Vec::new();
        for pattern in patterns {
            match self.known.compare(&pattern, Some(value), what) {
                Ok(()) => return Ok(()),
                Err(reason) => reasons.push(reason.replace(&format!("`{what}."), "`")),
            }
        }
        failed(reasons.join(", or "))
    }

    fn patterns(&self, rest: &str) -> Result<Vec<Value>, Stop> {
        let alternatives = self
            .fill(rest)
            .replace("} or {", "}\n{")
            .replace("] or [", "]\n[");
        alternatives.lines().map(json).collect()
    }

    fn too_late(&self) -> Stop {
        let fault = self.plugin.as_ref().map(Dialogue::first_fault);
        let (fault, seconds) = (fault.unwrap_or_default(), self.patience.as_secs_f32());
        Stop::Failed(format!(
            "no reply within {seconds} s (`--timeout` waits longer){fault}"
        ))
    }

    /// Waits for the plugin to exit, and checks that its exit status is one of `statuses`.
    fn end(&mut self, statuses: &[&str], limit: Duration) -> Held {
        let status = self.plugin()?.ended(limit)?;
        let is_it = |word: &&str| match signal(word) {
            Some(signal) => shell_status(status) == i32::from(signal.status()),
            None => *word == "any" || word.parse() == Ok(shell_status(status)),
        };
        if statuses.iter().any(is_it) {
            return Ok(());
        }
        failed(format!("it ended with {status}"))
    }

    /// Stores the last reply as the result of the backend's `open` request.
    fn open(&mut self) -> Held {
        let result = self.replies.last().map(|reply| reply["result"].clone());
        let opened = shape::read::<OpenResult>("result", result.unwrap_or_default());
        self.opened = opened.or_else(failed)?;
        let folder = Rc::clone(&self.plugin()?.folder);
        words::add_place(&mut self.words, &self.opened, folder.path());
        Ok(())
    }

    fn check_executable(&self) -> Held {
        let program = &self.bench.kit.program;
        match fs::metadata(program) {
            Ok(facts) if facts.is_file() && is_executable(program, &facts) => {}
            _ => return failed("it is no file that can be executed"),
        }
        // On every system, the first bytes of an executable contain a zero.
        let mut head = Vec::new();
        let read = fs::File::open(program).and_then(|file| file.take(512).read_to_end(&mut head));
        let is_program = head.starts_with(b"#!") || head.contains(&0);
        if read.is_ok() && !is_program && !is_batch(program) {
            return failed("it is neither an executable nor a script that begins with `#!`");
        }
        Ok(())
    }

    /// Checks that the name of the file is not that of another plugin.
    fn check_named(&self) -> Held {
        let (file, name) = (&self.bench.kit.file_name, &self.bench.manifest()?.name);
        match is_for(file, name) {
            Some(true) => Ok(()),
            Some(false) => failed(format!(
                "its file is named `{file}`, and its manifest is that of a plugin `{name}`"
            )),
            None => not_run(format!(
                "a file `{file}` names no plugin: `plugin add` makes it `{PREFIX}{name}`, as the manifest says"
            )),
        }
    }

    /// Checks that the last reply equals the manifest in the file. Ignores the command trees, because either manifest may lack one.
    fn check_described(&mut self) -> Held {
        let Some(result) = self.replies.last().and_then(|reply| reply.get("result")) else {
            return Ok(());
        };
        let declared = self.bench.manifest()?;
        let mut described: Manifest = shape::read("result", result.clone()).or_else(failed)?;
        described.command.clone_from(&declared.command);
        self.compare(vec![json!(declared)], &json!(described), "describe")
    }

    /// Compares the `data` of the last reply with the schema of the command that `argv` selects.
    fn check_declared(&self) -> Held {
        let words = self.bench.kit.argv.as_deref().unwrap_or_default();
        let root = self.bench.manifest()?.command.as_ref();
        let command = root.map(|root| arguments::Reader::after(root, words).command());
        let Some(schema) = command.and_then(|it| it.result.as_ref()) else {
            return not_run("the command of `--argv` declares no `result`");
        };
        let reply = self.replies.last();
        schema::compare(
            schema,
            reply.map_or(&Value::Null, |it| &it["result"]["data"]),
        )
    }

    /// Replaces words such as `$set` with their values.
    fn fill(&self, text: &str) -> String {
        let Ok(words) = Regex::new(r"\$(\$?[A-Za-z_]+)") else {
            return text.to_owned();
        };
        let filled = words.replace_all(text, |word: &Captures<'_>| {
            self.word(&word[1]).unwrap_or_else(|| word[0].to_owned())
        });
        filled.into_owned()
    }

    fn word(&self, name: &str) -> Option<String> {
        if let Some(word) = self.words.get(name) {
            return Some(word.clone());
        }
        match self.known.names.get(&format!("${name}")) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => Some(self.fill(self.file.words.get(name)?)),
        }
    }
}

/// Reports whether Windows runs the file with its own interpreter.
fn is_batch(program: &Path) -> bool {
    let ending = program.extension().unwrap_or_default();
    cfg!(windows)
        && ["bat", "cmd"]
            .iter()
            .any(|it| ending.eq_ignore_ascii_case(it))
}

fn in_words(reply: &Value) -> String {
    let Some(error) = reply.get("error") else {
        return "a result".to_owned();
    };
    let message = shown(error["message"].as_str().unwrap_or_default().as_bytes());
    format!("the error {} (`{message}`)", error["code"])
}

fn signal(name: &str) -> Option<StopSignal> {
    match name {
        "TERM" => Some(StopSignal::Terminate),
        "INT" => Some(StopSignal::Interrupt),
        "HUP" => Some(StopSignal::HangUp),
        _ => None,
    }
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, Stop> {
    serde_json::from_str(text).map_err(|error| mistake(&error.to_string()))
}

/// Returns the failure for an error in the check data. Tests ensure that the data has no such errors.
fn mistake(what: &str) -> Stop {
    Stop::Failed(format!("the steps can't be read: {what}"))
}

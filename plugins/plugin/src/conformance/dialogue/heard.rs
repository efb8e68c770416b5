//! The messages of a plugin, and their faults.

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use memchr::memmem;
use serde_json::Value;

use super::super::bench::{Stop, failed};
use super::super::pattern::shaped;
use super::super::report::{CANARY, shown};
use super::{Dialogue, KEPT, Use};
use bot_cli_engine::process::Event;
use bot_cli_protocol::line::Line;
use bot_cli_protocol::{Message, Role, methods};

impl Dialogue<'_> {
    /// Records an event, and returns the message in it.
    pub(super) fn hear(&mut self, event: Event) -> Result<Option<Value>, Stop> {
        let bytes = match event {
            Event::OutputEnded => return Ok(None),
            Event::Stderr(line) => {
                self.note("!!", line.as_bytes());
                self.look_for_password(line.as_bytes(), "standard error");
                if !line.trim().is_empty() {
                    self.complaint = format!(": `{}`", shown(line.trim().as_bytes()));
                }
                return Ok(None);
            }
            Event::Line(Line::TooLong { .. }) => {
                let what = "it sent a line of more than 8 MiB";
                self.fault("line", what);
                return failed(what);
            }
            Event::Line(Line::Complete(bytes)) => bytes,
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        self.note("<-", &bytes);
        let is_message = Message::from_line(&bytes).is_ok();
        if self.used == Use::Command {
            self.heard.extend(is_message.then(|| shown(&bytes)));
            return Ok(None);
        }
        self.look_for_password(&bytes, "standard output");
        if !is_message {
            let line = shown(&bytes);
            let what = format!("it printed a line that is not a message: `{line}`");
            self.fault("line", what);
            return Ok(None);
        }
        let message: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        self.judge(&message);
        Ok(Some(message))
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
        if (is_formed || [methods::PROGRESS, methods::LOG].contains(&method))
            && let Err(problem) = shaped(method, "params", &message["params"])
        {
            let what = format!("its `{method}` has another shape: {problem}");
            self.fault("shape", what);
        }
    }

    /// Keeps a line of the conversation, unless there are too many.
    pub(super) fn note(&mut self, mark: &str, line: &[u8]) {
        if self.messages.len() < KEPT {
            self.messages.push(format!("{mark} {}", shown(line)));
        }
    }

    pub(super) fn fault(&mut self, kind: &'static str, what: impl Into<String>) {
        self.faults.push((kind, what.into()));
    }

    fn look_for_password(&mut self, bytes: &[u8], place: &str) {
        if has_canary(bytes) {
            self.fault("password", format!("it repeated a password in {place}"));
        }
    }

    /// Looks for a value that a backend was given in places where other programs of the user may read it.
    pub(super) fn look_around(&mut self) {
        if !self.told || self.bench.role != Role::SecretsBackend {
            return;
        }
        let folder = Rc::clone(&self.folder);
        let files = ["tmp", "work"].map(|place| files(&folder.path().join(place)));
        if files.iter().flatten().any(|it| holds_canary(it)) {
            self.fault("password", "it left a value in a temporary file");
        }
        let home = folder.path().to_string_lossy();
        // Other systems do not have this folder.
        let mut processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let is_seen = processes.any(|process| {
            let variables = fs::read(process.path().join("environ")).unwrap_or_default();
            let is_ours = memmem::find(&variables, home.as_bytes()).is_some();
            is_ours && (has_canary(&variables) || holds_canary(&process.path().join("cmdline")))
        });
        if is_seen {
            let place = "in the arguments or the environment of a program";
            self.fault("password", format!("it left a value {place}"));
        }
    }
}

/// The files below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let below = entries.flat_map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => files(&entry.path()),
        _ => vec![entry.path()],
    });
    below.collect()
}

/// Whether the made-up password is in it.
pub fn has_canary(bytes: &[u8]) -> bool {
    memmem::find(bytes, CANARY.as_bytes()).is_some()
}

fn holds_canary(file: &Path) -> bool {
    fs::read(file).is_ok_and(|bytes| has_canary(&bytes))
}

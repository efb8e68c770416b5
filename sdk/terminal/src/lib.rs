//! The terminal interface of the host, and of plugins that run without a host: prompts, progress, results and cancellation.

pub mod background;
pub mod cancel;
mod look;
pub mod platform;
mod printable;
pub mod process;
mod progress;
mod prompt;
pub mod report;
pub mod shell;
mod signal;
pub mod standard_input;
mod stream;
mod table;
pub mod ui;
mod waiting;

pub use look::{Look, PROMPTS, Prompts, Verbosity};
pub use printable::LONGEST_TEXT;
pub use printable::{one_line, printable, short_line};
pub use process::{core_dump, file_size};
pub use table::{cut, table};

use crate::cancel::Cancel;
use crate::ui::{Capabilities, Context, Level, Ui};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::{Format, Json, Outcome};
use bot_cli_protocol::question::{Answer, Question};
use progress::Progress;
use serde_json::{Value, json};
use stream::{is_read, to_stderr, to_stdout};
use waiting::Waiting;

const HOST: &str = "bot-cli";

/// The user's terminal, or the files and pipes that replace it. Clones share one progress line.
#[derive(Debug, Clone)]
#[must_use]
pub struct Terminal {
    look: Look,
    verbosity: Verbosity,
    json: Option<Json>,
    progress: Progress,
    cancel: Cancel,
    /// Whether the last output ended without a line feed.
    within_line: bool,
    trail: prompt::Trail,
}

impl Terminal {
    /// Creates a terminal that prints JSON in the form `json`, or text.
    pub fn new(look: Look, verbosity: Verbosity, json: Option<Json>) -> Self {
        Self {
            look,
            verbosity,
            json,
            progress: Progress::default(),
            cancel: Cancel::new(),
            within_line: false,
            trail: prompt::Trail::default(),
        }
    }

    /// Makes prompts end when `cancel` receives a request, so that they restore the terminal before the process exits.
    pub fn watching(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Returns the context for a command in the folder `cwd`, including the properties of the terminal.
    pub fn context(&self, cwd: std::path::PathBuf) -> Context {
        Context {
            cwd,
            project: None,
            interactive: self.look.interactive,
            color: self.look.stdout_color,
            width: self.look.width,
            format: self.json.map_or(Format::Text, |_| Format::Json),
            verbosity: self.verbosity.count(),
            quiet: self.verbosity == Verbosity::Quiet,
            terminal: self.look.stdout_terminal,
            host: None,
        }
    }

    /// Shows a command's outcome and returns the exit status.
    pub fn report(&self, outcome: &Outcome) -> u8 {
        self.progress.clear();
        let shown = match self.json {
            Some(Json::Document) => to_stdout(&report::document(outcome)),
            Some(Json::Lines) => to_stdout(&last_line(outcome)),
            None => self.report_text(outcome),
        };
        let Err(error) = shown else {
            return outcome.status;
        };
        let failure = match &outcome.result {
            // A document with an error is a failure that also has data.
            Ok(reply) if outcome.status != 0 && reply.data.get("error").is_some() => {
                let message = reply.data["error"]["message"].as_str().unwrap_or_default();
                let failure = Failure::new(Exit::Failed, "failed", message);
                to_stderr(&report::failure(&failure, self.look.stderr_color));
                return outcome.status;
            }
            // The command succeeded and only its result was lost. The status must not be mistaken for the command's own, such as 1.
            Ok(_) => Failure::because(
                Exit::Unwritten,
                "output_failed",
                "the command ran to its end, but its result could not be written",
                error,
            ),
            Err(failure) => failure.clone(),
        };
        to_stderr(&report::failure(&failure, self.look.stderr_color));
        failure.exit.status()
    }

    fn prints_lines(&self) -> bool {
        self.json == Some(Json::Lines)
    }

    /// Prints a message of `--json=lines`, without the members that are `null`.
    fn line(&self, name: &str, mut message: Value) {
        if let Some(members) = message.as_object_mut() {
            members.retain(|_, value| !value.is_null());
        }
        self.show_part(&report::line(name, &message));
    }

    /// Prints output before the command ends. If nobody reads it any more, cancels the work, which could otherwise go on without end. It
    /// continues after other errors, because `report` fails with them again.
    fn show_part(&self, text: &str) {
        if !is_read(text) {
            self.cancel.terminate();
        }
    }

    fn report_text(&self, outcome: &Outcome) -> std::io::Result<()> {
        match &outcome.result {
            Ok(reply) => {
                to_stdout(&report::text(&reply.text, self.look.stdout_color))?;
                if self.verbosity != Verbosity::Quiet {
                    to_stderr(&report::next(
                        &possible(&reply.next),
                        self.look.stderr_color,
                    ));
                }
            }
            Err(failure) => to_stderr(&report::failure(failure, self.look.stderr_color)),
        }
        Ok(())
    }
}

/// Returns the last line of `--json=lines`.
fn last_line(outcome: &Outcome) -> String {
    match outcome.clone().on_wire() {
        Ok(mut result) => {
            result.text = printable(&result.text, false);
            report::line("result", &json!(result))
        }
        Err(mut error) => {
            error.message = one_line(&error.message);
            report::line("error", &json!(error))
        }
    }
}

/// Returns the commands that a new shell could run. Omits the host's commands if a new shell would not find the host.
fn possible(commands: &[String]) -> Vec<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has_host = shell::will_find(HOST, &path);
    let is_of_host = |command: &String| command.split_whitespace().next() == Some(HOST);
    let possible = commands.iter().filter(|it| has_host || !is_of_host(it));
    possible.cloned().collect()
}

impl Ui for Terminal {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            ask: if self.look.interactive {
                prompt::KINDS.to_vec()
            } else {
                Vec::new()
            },
            stdin: true,
            progress: (self.look.stderr_terminal || self.prints_lines())
                && self.verbosity != Verbosity::Quiet,
            output: self.json != Some(Json::Document),
        }
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, Failure> {
        self.ask_while(question, &mut || true)
    }

    fn ask_while(
        &mut self,
        question: &Question,
        wanted: &mut dyn FnMut() -> bool,
    ) -> Result<Answer, Failure> {
        self.progress.clear();
        if std::mem::take(&mut self.within_line) {
            to_stderr("\n");
        }
        let cancel = &self.cancel;
        let mut waiting = Waiting { cancel, wanted };
        let answer = prompt::ask(question, &self.look, &mut waiting, &mut self.trail)?;
        // The answer may have been read first if it arrived together with the signal.
        if self.cancel.requested() {
            return Err(self.cancel.explain(Failure::cancelled()));
        }
        Ok(answer)
    }

    fn progress(&mut self, message: &str, current: Option<u64>, total: Option<u64>) {
        if !self.capabilities().progress {
        } else if self.prints_lines() {
            let step = json!({ "message": one_line(message), "current": current, "total": total });
            self.line("progress", step);
        } else {
            self.progress
                .show(&printable(message, false), current, total);
        }
    }

    fn clear_progress(&mut self) {
        self.progress.clear();
    }

    fn log(&mut self, level: Level, message: &str, data: &Value) {
        if self.verbosity.shows(level) {
            if self.prints_lines() {
                let line = json!({ "level": level, "message": one_line(message), "data": data });
                return self.line("log", line);
            }
            self.trail.end();
            let line = report::log(level, message, self.look.stderr_color);
            self.progress.pause(|| to_stderr(&line));
        }
    }

    fn output(&mut self, text: &str, data: &Value) {
        match self.json {
            // Standard output contains only the document, even if a plugin ignores that.
            Some(Json::Document) => return,
            Some(Json::Lines) => {
                let text = printable(text, false);
                return self.line("output", json!({ "text": text, "data": data }));
            }
            None => {}
        }
        self.trail.end();
        let text = printable(text, self.look.stdout_color);
        self.within_line = !text.ends_with('\n');
        if self.within_line {
            // The progress line would overwrite the text.
            self.progress.clear();
        }
        self.progress.pause(|| self.show_part(&text));
    }

    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        self.stdin_while(&mut || true)
    }

    fn stdin_while(&mut self, wanted: &mut dyn FnMut() -> bool) -> Result<Vec<u8>, Failure> {
        let cancel = &self.cancel;
        Waiting { cancel, wanted }.everything()
    }

    fn waits_for(&mut self, plugin: &str) {
        if self.look.stderr_terminal {
            let line = format!("waiting for `{plugin}` to stop; Ctrl-C again ends it");
            self.log(Level::Note, &line, &Value::Null);
        }
    }

    fn plugin_stderr(&mut self, line: &str) {
        self.trail.end();
        let line = printable(line, self.look.stderr_color);
        self.progress.pause(|| to_stderr(&format!("{line}\n")));
    }
}

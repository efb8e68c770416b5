//! Shares a command's user interface with a plugin that the command runs.

use std::rc::Rc;

use super::{Context, Shown, wants};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::question::{Answer, Question, QuestionKind};
use bot_cli_terminal::cancel::{Cancel, Guard};
use bot_cli_terminal::ui::{Capabilities, Level, Ui};
use bot_cli_terminal::{LONGEST_TEXT, short_line};
use serde_json::Value;

/// The maximum number of log lines shown per plugin without `-v`.
const MOST_LINES: u32 = 20;

/// A user interface that a command shares with another plugin while running that plugin. The plugin's questions, logs and progress appear
/// in the command's session, at any nesting depth. The result and the piped input still belong to the command.
///
/// Question keys start with the plugin's name and a dot, so that scripted answers to the command's questions never answer the plugin's
/// questions. Log lines also start with the plugin's name, to distinguish them from the command's log lines.
#[must_use]
pub struct Relay {
    shown: Rc<Shown>,
    name: String,
    context: Context,
    cancel: Cancel,
    /// A guard that keeps a cancellation from ending this process before the plugin has ended.
    _held: Guard,
    lines: u32,
}

impl Relay {
    pub(super) fn new(shown: Rc<Shown>, name: String, context: Context, cancel: Cancel) -> Self {
        Self {
            shown,
            name,
            context,
            _held: cancel.hold(),
            cancel,
            lines: 0,
        }
    }

    /// Returns the command's context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the command's cancellation state.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Prefixes the question's key with the plugin's name, and removes the flag because the command has no such option.
    fn renamed(&self, question: &Question) -> Question {
        let mut question = question.clone();
        question.key = format!("{}.{}", self.name, question.key);
        question.flag = None;
        question
    }
}

impl Ui for Relay {
    fn capabilities(&self) -> Capabilities {
        let mut capabilities = self.shown.capabilities();
        if !self.shown.answers.is_empty() {
            // A scripted answer may exist even if the user cannot be prompted.
            capabilities.ask = QuestionKind::ALL.to_vec();
        }
        capabilities.stdin = false;
        capabilities.output = false;
        capabilities
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, Failure> {
        self.shown
            .ask(&self.renamed(question), |ui, question| ui.ask(question))
    }

    fn ask_while(
        &mut self,
        question: &Question,
        wanted: &mut dyn FnMut() -> bool,
    ) -> Result<Answer, Failure> {
        self.shown.ask(&self.renamed(question), |ui, question| {
            ui.ask_while(question, wanted)
        })
    }

    fn progress(&mut self, message: &str, current: Option<u64>, total: Option<u64>) {
        self.shown
            .progress(&short_line(message, LONGEST_TEXT), current, total);
    }

    fn clear_progress(&mut self) {
        self.shown.ui.borrow_mut().clear_progress();
    }

    fn log(&mut self, level: Level, message: &str, data: &Value) {
        if !wants(&self.context, level) {
            return;
        }
        self.lines = self.lines.saturating_add(1);
        let shown = match self.lines {
            over if over > MOST_LINES && self.context.verbosity == 0 => {
                if over > MOST_LINES + 1 {
                    return;
                }
                "its further lines are not shown".to_owned()
            }
            _ => short_line(message, LONGEST_TEXT),
        };
        let line = format!("{}: {shown}", self.name);
        let data = if shown == message { data } else { &Value::Null };
        self.shown.ui.borrow_mut().log(level, &line, data);
    }

    fn output(&mut self, _text: &str, _data: &Value) {}

    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        let message = "the piped input belongs to the command";
        Err(Failure::new(Exit::Usage, "no_stdin", message))
    }

    fn plugin_stderr(&mut self, line: &str) {
        self.log(Level::Info, line, &Value::Null);
    }
}

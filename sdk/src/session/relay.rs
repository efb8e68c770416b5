//! A command's user interface, lent to a plugin that the command drives.

use std::rc::Rc;

use super::{Context, Shown, wants};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::question::{Answer, Question, QuestionKind};
use bot_cli_terminal::cancel::{Cancel, Guard};
use bot_cli_terminal::ui::{Capabilities, Level, Ui};
use bot_cli_terminal::{LONGEST_TEXT, short_line};

/// The most lines of a plugin that are shown without `-v`.
const MOST_LINES: u32 = 20;

/// The user interface of a session for a plugin that its command drives: the plugin's questions, logs and progress go to
/// whoever shows the session, at any depth. The result and the piped input stay the command's own.
///
/// The keys of questions begin with the plugin's name and a dot, so that a script's answers to the command's own questions are never
/// taken for the plugin's. Its log lines begin with its name, so that they are not taken for the command's.
#[must_use]
pub struct Relay {
    shown: Rc<Shown>,
    name: String,
    context: Context,
    cancel: Cancel,
    /// The plugin is to be ended before this process is.
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

    /// Returns where and for whom the command runs.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The request to stop.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// The question as the user knows it: the command has no option that would answer it.
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
            // A script may answer what nobody could be asked.
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

    fn log(&mut self, level: Level, message: &str) {
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
        self.shown.ui.borrow_mut().log(level, &line);
    }

    fn output(&mut self, _text: &str) {}

    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        let message = "the piped input belongs to the command";
        Err(Failure::new(Exit::Usage, "no_stdin", message))
    }

    fn plugin_stderr(&mut self, line: &str) {
        self.log(Level::Info, line);
    }
}

//! A running command's session: questions, output and input.

mod relay;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::{Map, Value};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Format;
use bot_cli_protocol::question::{Answer, Question, QuestionKind};
use bot_cli_protocol::secret::Secret;
use bot_cli_terminal::Verbosity;
use bot_cli_terminal::cancel::{Cancel, Guard};
use bot_cli_terminal::ui::Ui;
pub use bot_cli_terminal::ui::{Capabilities, Context, Level};
pub use relay::Relay;

/// A command's interface to the user, which works the same with a host and at a terminal.
pub struct Session {
    shown: Rc<Shown>,
    context: Context,
    cancel: Cancel,
    held_output: RefCell<String>,
    status: Cell<u8>,
}

struct Shown {
    ui: RefCell<Box<dyn Ui>>,
    answers: Map<String, Value>,
    asked_for_secret: Cell<bool>,
}

impl Session {
    /// Creates a session with the given context and user interface. `answers` contains the scripted answers by question key.
    pub fn new(
        ui: Box<dyn Ui>,
        context: Context,
        answers: Map<String, Value>,
        cancel: Cancel,
    ) -> Self {
        let shown = Shown {
            ui: RefCell::new(ui),
            answers,
            asked_for_secret: Cell::default(),
        };
        Self {
            shown: Rc::new(shown),
            context,
            cancel,
            held_output: RefCell::default(),
            status: Cell::default(),
        }
    }

    /// Creates a session without a user, which shows nothing and can't ask.
    pub fn silent() -> Self {
        let context = Context::new(PathBuf::new());
        Self::new(Box::new(Nobody), context, Map::new(), Cancel::new())
    }

    /// Returns a relay that gives the plugin `name` access to the session's user interface. Keep the relay only while this command runs
    /// that plugin.
    pub fn relay(&self, name: impl Into<String>) -> Relay {
        Relay::new(
            Rc::clone(&self.shown),
            name.into(),
            self.context.clone(),
            self.cancel.clone(),
        )
    }

    /// Reports whether the user can be prompted.
    pub fn interactive(&self) -> bool {
        !self.shown.capabilities().ask.is_empty()
    }

    /// Reports whether there are any scripted answers.
    pub fn has_answers(&self) -> bool {
        !self.shown.answers.is_empty()
    }

    /// Reports whether the question `key` has a scripted answer. Asking the question again returns the same answer.
    pub fn has_answer(&self, key: &str) -> bool {
        self.shown.answers.contains_key(key)
    }

    /// Returns the command's context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the user's working directory.
    pub fn cwd(&self) -> &Path {
        &self.context.cwd
    }

    /// Asks the user a question and returns the answer. A scripted answer takes precedence.
    ///
    /// If the user cannot be prompted, returns the default, or fails with `input_required` if there is no default. If the user cancels,
    /// fails with [`Exit::Cancelled`].
    pub fn ask(&self, question: &Question) -> Result<Answer, Failure> {
        self.heard(|shown| shown.ask(question, |ui, question| ui.ask(question)))
    }

    /// Asks for a line of text or for one of the choices. The user cannot go back.
    pub fn ask_text(&self, question: &Question) -> Result<String, Failure> {
        self.ask_typed(question, |answer| answer.as_text().map(str::to_owned))
    }

    /// Asks for any number of the choices. The user cannot go back.
    pub fn choose_many(&self, question: &Question) -> Result<Vec<String>, Failure> {
        self.ask_typed(question, |answer| answer.as_many().map(<[String]>::to_vec))
    }

    /// Asks a yes-or-no question. The user cannot go back.
    pub fn confirm(&self, question: &Question) -> Result<bool, Failure> {
        self.ask_typed(question, Answer::as_bool)
    }

    /// Asks for text that is not echoed. The user cannot go back.
    pub fn ask_secret(&self, question: &Question) -> Result<Secret, Failure> {
        self.ask_typed(question, |answer| answer.as_secret().cloned())
    }

    fn ask_typed<T>(
        &self,
        question: &Question,
        read: impl Fn(&Answer) -> Option<T>,
    ) -> Result<T, Failure> {
        let mut question = question.clone();
        question.back = false;
        let answer = self.ask(&question)?;
        read(&answer).ok_or_else(|| {
            let message = format!("`{}` is a question of another kind", question.key);
            Failure::new(Exit::Failed, "internal", message)
        })
    }

    /// Asks several questions and returns the answers by question key. If the user cannot be prompted, the failure lists all unanswered
    /// questions. The user can go back to the previous question, but not from the first question.
    pub fn ask_all(&self, questions: &[Question]) -> Result<HashMap<String, Answer>, Failure> {
        let answers = self.ask_all_until(questions, |_, answer| Ok(answer.clone()))?;
        let keys = questions.iter().map(|question| question.key.clone());
        Ok(keys.zip(answers).collect())
    }

    /// Works like [`ask_all`](Self::ask_all), but repeats each question until `parse` accepts the answer. Answers are checked as in
    /// [`ask_until`](Self::ask_until). Returns the parsed answers in the order of the questions.
    pub fn ask_all_until<T>(
        &self,
        questions: &[Question],
        mut parse: impl FnMut(&Question, &Answer) -> Result<T, String>,
    ) -> Result<Vec<T>, Failure> {
        let mut parsed = self.known(questions, &mut parse)?;
        let open = parsed.iter().enumerate();
        let open: Vec<usize> = open
            .filter_map(|(at, it)| it.is_none().then_some(at))
            .collect();
        let mut turn = 0;
        let mut refused = None;
        while let Some(&at) = open.get(turn) {
            let mut question = questions[at].clone();
            question.back = turn > 0;
            question.problem = refused.take().or(question.problem);
            let answer = self.heard(|shown| shown.ui.borrow_mut().ask(&question))?;
            if answer == Answer::Back {
                turn = turn.saturating_sub(1);
                continue;
            }
            match parse(&question, &answer) {
                Ok(value) => {
                    parsed[at] = Some(value);
                    turn += 1;
                }
                Err(problem) => refused = Some(problem),
            }
        }
        Ok(parsed.into_iter().flatten().collect())
    }

    /// Returns the parsed answer to each question, or `None` if the user must be prompted for it.
    fn known<T>(
        &self,
        questions: &[Question],
        parse: &mut impl FnMut(&Question, &Answer) -> Result<T, String>,
    ) -> Result<Vec<Option<T>>, Failure> {
        let (mut known, mut open, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        for question in questions {
            let asks = self.shown.can_ask(question);
            let answer = self.shown.scripted(question);
            let answer = answer.map(|it| it.or_else(|| fallback(question).filter(|_| !asks)));
            let parsed = answer.and_then(|answer| {
                let parsed = answer.map(|answer| parse(question, &answer)).transpose();
                parsed.map_err(|problem| invalid(question, &problem))
            });
            match parsed {
                Ok(None) if !asks => open.push(question.clone()),
                Ok(parsed) => known.push(parsed),
                Err(failure) => wrong.push(failure),
            }
        }
        let all = |mut first: Failure, next: Failure| {
            first.fields.extend(next.fields);
            first
        };
        match wrong.into_iter().reduce(all) {
            Some(failure) => Err(failure),
            None if open.is_empty() => Ok(known),
            None => Err(input_required(open)),
        }
    }

    /// Asks a question until `parse` accepts the answer. After a rejected answer, the question shows the error from `parse`. If `parse`
    /// rejects a scripted answer, or a default used without prompting, fails with `invalid_input`.
    pub fn ask_until<T>(
        &self,
        question: &Question,
        mut parse: impl FnMut(&Answer) -> Result<T, String>,
    ) -> Result<T, Failure> {
        let fixed = self.has_answer(&question.key) || !self.shown.can_ask(question);
        let mut question = question.clone();
        loop {
            match parse(&self.ask(&question)?) {
                Ok(parsed) => return Ok(parsed),
                Err(problem) if fixed => return Err(invalid(&question, &problem)),
                Err(problem) => question.problem = Some(problem),
            }
        }
    }

    /// Shows the progress of the work. `current` is the number of completed steps, and `total` is the total number, if known. The display
    /// appears immediately, but only at a terminal. Call this only for work that takes a noticeable amount of time.
    pub fn progress(&self, message: &str, current: Option<u64>, total: Option<u64>) {
        self.held(|shown| shown.progress(message, current, total));
    }

    /// Removes the progress display. Questions, output and the end of the command remove it automatically. A command that replaces itself
    /// with another program must call this first.
    pub fn clear_progress(&self) {
        self.held(|shown| shown.ui.borrow_mut().clear_progress());
    }

    /// Logs a line to stderr, if the verbosity permits.
    pub fn log(&self, level: Level, message: &str) {
        self.log_with(level, message, || Value::Null);
    }

    /// Logs a line like [`log`](Self::log). `data` returns the same for programs: `--json=lines` prints both.
    pub fn log_with(&self, level: Level, message: &str, data: impl FnOnce() -> Value) {
        if wants(&self.context, level) {
            let data = self.wanted(data);
            self.held(|shown| shown.ui.borrow_mut().log(level, message, &data));
        }
    }

    /// Logs a warning, as [`log`](Self::log) does.
    pub fn warn(&self, message: &str) {
        self.log(Level::Warn, message);
    }

    /// Logs a note, as [`log`](Self::log) does.
    pub fn note(&self, message: &str) {
        self.log(Level::Note, message);
    }

    /// Logs a line for `-v`, as [`log`](Self::log) does.
    pub fn info(&self, message: &str) {
        self.log(Level::Info, message);
    }

    /// Prints part of the result to stdout before the rest is ready. If the host cannot show output immediately, prepends `text` to the
    /// reply's text.
    pub fn output(&self, text: &str) {
        self.output_with(text, || Value::Null);
    }

    /// Prints part of the result like [`output`](Self::output). `data` returns the same for programs: `--json=lines` prints both.
    pub fn output_with(&self, text: &str, data: impl FnOnce() -> Value) {
        if self.shows_output() {
            let data = self.wanted(data);
            self.held(|shown| shown.ui.borrow_mut().output(text, &data));
        } else {
            self.held_output.borrow_mut().push_str(text);
        }
    }

    /// Returns the data if it will be printed. Otherwise it would only take time, and might not fit into a message.
    fn wanted(&self, data: impl FnOnce() -> Value) -> Value {
        match self.context.format {
            Format::Json => data(),
            Format::Text => Value::Null,
        }
    }

    /// Reports whether output is shown before the command ends. If not, a command that never ends shows nothing.
    pub fn shows_output(&self) -> bool {
        self.shown.capabilities().output
    }

    /// Returns the user's piped input, or fails if there is none.
    pub fn stdin(&self) -> Result<Vec<u8>, Failure> {
        if !self.shown.capabilities().stdin {
            return Err(no_stdin());
        }
        self.heard(|shown| shown.ui.borrow_mut().stdin())
    }

    /// Sets the exit status to use if the command succeeds, such as the status of a program that the command ran.
    pub fn exit_with(&self, status: u8) {
        self.status.set(status);
    }

    /// Returns the exit status to use if the command succeeds.
    pub fn status(&self) -> u8 {
        self.status.get()
    }

    /// Returns a guard for a step that must be completed or undone. Without a guard, a cancellation stops the work immediately and replies
    /// with `cancelled`. While a guard exists, the work continues and must check [`cancelled`](Self::cancelled).
    pub fn guard(&self) -> Guard {
        self.cancel.guard()
    }

    /// Reports whether the user has cancelled. Guarded work must check this regularly.
    pub fn cancelled(&self) -> bool {
        self.cancel.requested()
    }

    /// Returns the cancellation state, for use in other threads.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Runs `show` to completion before a cancellation can end the work.
    fn held<T>(&self, show: impl FnOnce(&Shown) -> T) -> T {
        let held = self.cancel.hold();
        let shown = show(&self.shown);
        drop(held);
        self.cancel.heed();
        shown
    }

    /// Runs `ask`, which waits for the user. If the user cancels, returns the failure instead of ending the work.
    fn heard<T>(&self, ask: impl FnOnce(&Shown) -> Result<T, Failure>) -> Result<T, Failure> {
        let held = self.cancel.hold();
        let answer = ask(&self.shown);
        let is_told = |failure: &Failure| failure.exit == Exit::Cancelled;
        if answer.as_ref().is_err_and(is_told) {
            self.cancel.tell();
        } else {
            drop(held);
            self.cancel.heed();
        }
        answer
    }

    /// Removes and returns the output that has not been shown yet.
    pub fn take_output(&self) -> String {
        self.held_output.take()
    }

    pub(crate) fn has_asked_for_secret(&self) -> bool {
        self.shown.asked_for_secret.get()
    }
}

impl Shown {
    fn capabilities(&self) -> Capabilities {
        self.ui.borrow().capabilities()
    }

    fn progress(&self, message: &str, current: Option<u64>, total: Option<u64>) {
        if self.capabilities().progress {
            self.ui.borrow_mut().progress(message, current, total);
        }
    }

    /// Returns the scripted answer, the user's answer, or the default if the user cannot be prompted.
    fn ask(
        &self,
        question: &Question,
        ask: impl FnOnce(&mut dyn Ui, &Question) -> Result<Answer, Failure>,
    ) -> Result<Answer, Failure> {
        if let Some(answer) = self.scripted(question)? {
            return Ok(answer);
        }
        if self.can_ask(question) {
            return ask(&mut **self.ui.borrow_mut(), question);
        }
        fallback(question).ok_or_else(|| input_required(vec![question.clone()]))
    }

    fn can_ask(&self, question: &Question) -> bool {
        self.capabilities().ask.contains(&question.kind)
    }

    fn scripted(&self, question: &Question) -> Result<Option<Answer>, Failure> {
        if question.kind == QuestionKind::Password {
            self.asked_for_secret.set(true);
        }
        self.answers
            .get(&question.key)
            .map(|value| {
                question
                    .check(value)
                    .map_err(|problem| invalid(question, &problem))
            })
            .transpose()
    }
}

/// The user interface of a silent session.
struct Nobody;

impl Ui for Nobody {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, Failure> {
        Err(input_required(vec![question.clone()]))
    }

    fn progress(&mut self, _: &str, _: Option<u64>, _: Option<u64>) {}

    fn log(&mut self, _: Level, _: &str, _: &Value) {}

    fn output(&mut self, _: &str, _: &Value) {}

    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        Err(no_stdin())
    }
}

fn no_stdin() -> Failure {
    Failure::new(Exit::Usage, "no_stdin", "there is no piped input to read")
}

fn wants(context: &Context, level: Level) -> bool {
    Verbosity::new(context.quiet, context.verbosity).shows(level)
}

fn fallback(question: &Question) -> Option<Answer> {
    question
        .default
        .as_ref()
        .and_then(|value| question.check(value).ok())
}

fn invalid(question: &Question, problem: &str) -> Failure {
    Failure::new(
        Exit::Usage,
        "invalid_input",
        format!("the answer to `{}` is invalid", question.key),
    )
    .field(&question.key, question.flag.as_deref(), problem)
}

fn input_required(open: Vec<Question>) -> Failure {
    // Other yes-or-no questions may be about anything.
    let is_consent = matches!(open.as_slice(), [question]
        if question.kind == QuestionKind::Confirm && question.key == "confirm");
    let message = match open.as_slice() {
        [_] if is_consent => {
            "this needs confirmation, and there is no terminal to ask on".to_owned()
        }
        [question] => format!(
            "`{}` is missing, and there is no terminal to ask on",
            question.flag.as_ref().unwrap_or(&question.key)
        ),
        _ => format!(
            "{} answers are missing, and there is no terminal to ask on",
            open.len()
        ),
    };
    let mut failure = Failure::new(Exit::Usage, "input_required", message);
    for question in &open {
        failure = failure.field(&question.key, question.flag.as_deref(), "missing");
    }
    let mut flags: Vec<&str> = open
        .iter()
        .filter_map(|question| question.flag.as_deref())
        .collect();
    flags.dedup();
    if !flags.is_empty() {
        let flags = flags.join(", ");
        failure = failure.hint(if is_consent {
            format!("use {flags} to go ahead")
        } else {
            format!("answer with {flags}")
        });
    }
    failure.with_inputs(open)
}

//! What a command may do while it runs: ask, report, read the user's input.

mod relay;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use serde_json::{Map, Value};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::question::{Answer, Question, QuestionKind};
use bot_cli_protocol::secret::Secret;
use bot_cli_terminal::Verbosity;
use bot_cli_terminal::cancel::{Cancel, Guard};
use bot_cli_terminal::ui::Ui;
pub use bot_cli_terminal::ui::{Capabilities, Context, Level};
pub use relay::Relay;

/// The command's side of a run, the same through the host and in a terminal of its own.
pub struct Session {
    shown: Rc<Shown>,
    context: Context,
    cancel: Cancel,
    held_output: String,
    status: u8,
}

/// The user interface of a session, and what was asked there: the command's own questions, and those of plugins that it drives.
struct Shown {
    ui: RefCell<Box<dyn Ui>>,
    answers: Map<String, Value>,
    asked_for_secret: Cell<bool>,
}

impl Session {
    /// A run in `context` that is shown by `ui`. `answers` are the scripted ones, by the key of their question.
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
            held_output: String::new(),
            status: 0,
        }
    }

    /// The user interface of this session for a plugin that the command drives, which is called `name`. It can be kept for
    /// as long as that plugin runs.
    pub fn relay(&self, name: impl Into<String>) -> Relay {
        Relay::new(
            Rc::clone(&self.shown),
            name.into(),
            self.context.clone(),
            self.cancel.clone(),
        )
    }

    /// Whether the user can be asked.
    pub fn interactive(&self) -> bool {
        !self.shown.capabilities().ask.is_empty()
    }

    /// Whether some questions are answered already, by a script.
    pub fn has_answers(&self) -> bool {
        !self.shown.answers.is_empty()
    }

    /// Whether a script answers the question `key`, each time the same.
    pub fn has_answer(&self, key: &str) -> bool {
        self.shown.answers.contains_key(key)
    }

    /// Returns where and for whom the command runs.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The folder the command was called in.
    pub fn cwd(&self) -> &Path {
        &self.context.cwd
    }

    /// Asks the user. A scripted answer comes first; without a user the default is taken, and without a default it is a
    /// failure `input_required`. Cancelling is a failure with `Exit::Cancelled`.
    pub fn ask(&mut self, question: &Question) -> Result<Answer, Failure> {
        self.heard(|shown| shown.ask(question, |ui, question| ui.ask(question)))
    }

    /// Asks for a line of text, or for one of the choices. There is no way back from it.
    pub fn ask_text(&mut self, question: &Question) -> Result<String, Failure> {
        self.ask_typed(question, |answer| answer.as_text().map(str::to_owned))
    }

    /// Asks for any number of the choices. There is no way back from it.
    pub fn choose_many(&mut self, question: &Question) -> Result<Vec<String>, Failure> {
        self.ask_typed(question, |answer| answer.as_many().map(<[String]>::to_vec))
    }

    /// Asks for yes or no. There is no way back from it.
    pub fn confirm(&mut self, question: &Question) -> Result<bool, Failure> {
        self.ask_typed(question, Answer::as_bool)
    }

    /// Asks for text that is not shown. There is no way back from it.
    pub fn ask_secret(&mut self, question: &Question) -> Result<Secret, Failure> {
        self.ask_typed(question, |answer| answer.as_secret().cloned())
    }

    fn ask_typed<T>(
        &mut self,
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

    /// Asks several questions, so that without a user all open ones are named at once. Returns the answers by the keys of the
    /// questions. Going back leads to the question
    /// before; at the first there is no way back.
    pub fn ask_all(&mut self, questions: &[Question]) -> Result<HashMap<String, Answer>, Failure> {
        let answers = self.ask_all_until(questions, |_, answer| Ok(answer.clone()))?;
        let keys = questions.iter().map(|question| question.key.clone());
        Ok(keys.zip(answers).collect())
    }

    /// Asks several questions as [`ask_all`](Self::ask_all) does, each until `parse` accepts its answer, as
    /// [`ask_until`](Self::ask_until) does. Returns what was parsed, in the order of the questions.
    pub fn ask_all_until<T>(
        &mut self,
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

    /// The answers that need no user; `None` for each question that is still to be asked.
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

    /// Asks until `parse` accepts the answer; its error is shown with the question. An answer that is not the user's own
    /// words of the moment, a scripted one or the default, is not asked again but fails as `invalid_input`.
    pub fn ask_until<T>(
        &mut self,
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

    /// Says how far the work is; `total` as far as it is known. It is shown at once, on a terminal only: whether the work lasts
    /// long enough for that is the command's to know.
    pub fn progress(&mut self, message: &str, current: Option<u64>, total: Option<u64>) {
        self.held(|shown| shown.progress(message, current, total));
    }

    /// Takes away what was shown of the progress. Questions, output and the end of the command do so by themselves; a command
    /// that becomes another program does it first.
    pub fn clear_progress(&mut self) {
        self.held(|shown| shown.ui.borrow_mut().clear_progress());
    }

    /// A line for the user beside the result, on stderr, if the user wants to hear that much.
    pub fn log(&mut self, level: Level, message: &str) {
        if wants(&self.context, level) {
            self.held(|shown| shown.ui.borrow_mut().log(level, message));
        }
    }

    /// A part of the result that is ready before the rest, on stdout. Where nobody shows it early it becomes the
    /// beginning of the text.
    pub fn output(&mut self, text: &str) {
        if self.shown.capabilities().output {
            self.held(|shown| shown.ui.borrow_mut().output(text));
        } else {
            self.held_output.push_str(text);
        }
    }

    /// The user's own piped input.
    pub fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        if !self.shown.capabilities().stdin {
            return Err(Failure::new(
                Exit::Usage,
                "no_stdin",
                "there is no piped input to read",
            ));
        }
        self.heard(|shown| shown.ui.borrow_mut().stdin())
    }

    /// Ends with `status` although nothing failed, as a command that runs another one does.
    pub fn exit_with(&mut self, status: u8) {
        self.status = status;
    }

    /// The status to exit with when nothing fails.
    pub fn status(&self) -> u8 {
        self.status
    }

    /// Begins a step that must be finished or undone. Where the user cancels, work is ended at once and `cancelled` is its reply; as
    /// long as a guard is held, it goes on instead and has to look at [`cancelled`](Self::cancelled).
    pub fn guard(&self) -> Guard {
        self.cancel.guard()
    }

    /// Whether the user has cancelled; guarded work looks now and then.
    pub fn cancelled(&self) -> bool {
        self.cancel.requested()
    }

    /// The request to stop, for work in other threads.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Shows something whole, before a request to stop ends the work.
    fn held<T>(&self, show: impl FnOnce(&Shown) -> T) -> T {
        let held = self.cancel.hold();
        let shown = show(&self.shown);
        drop(held);
        self.cancel.heed();
        shown
    }

    /// Waits for the user, whose request to stop is the failure that comes back.
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

    /// Returns what was put out and not shown yet.
    pub fn take_output(&mut self) -> String {
        std::mem::take(&mut self.held_output)
    }

    /// Whether the user, or a script, has typed something that must not be seen.
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

    /// A scripted answer, or that of `ask`, or without a user the default.
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

/// Whether the user wants to hear that much.
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
    // Other questions of this kind may be about anything.
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

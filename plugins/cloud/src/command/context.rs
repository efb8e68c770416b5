//! The context of a command: the session with its user, and the environment.

use std::cell::RefCell;
use std::path::PathBuf;

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Format;
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_sdk::session::{Level, Relay, Session};
use bot_cli_terminal::cancel::Cancel;

use crate::auth::credentials;
use crate::environment::Environment;
use crate::secret_file::SecretFile;
use crate::watch::Watch;

/// The session, to be used from several places in turn; the environment.
pub struct CommandContext<'a> {
    session: RefCell<&'a mut Session>,
    /// The user's request to stop.
    pub cancel: Cancel,
    /// The environment of the process.
    pub environment: Environment,
}

impl<'a> CommandContext<'a> {
    /// The context of a command in `session`.
    pub fn new(session: &'a mut Session, environment: Environment) -> Self {
        Self {
            cancel: session.cancel().clone(),
            session: RefCell::new(session),
            environment,
        }
    }

    /// See [`Session::ask_text`].
    pub fn ask_text(&self, question: &Question) -> Result<String, Failure> {
        self.session.borrow_mut().ask_text(question)
    }

    /// See [`Session::confirm`].
    pub fn confirm(&self, question: &Question) -> Result<bool, Failure> {
        self.session.borrow_mut().confirm(question)
    }

    /// See [`Session::ask_all_until`].
    pub fn ask_all<T>(
        &self,
        questions: &[Question],
        parse: impl FnMut(&Question, &Answer) -> Result<T, String>,
    ) -> Result<Vec<T>, Failure> {
        self.session.borrow_mut().ask_all_until(questions, parse)
    }

    /// The same with what to do instead where nobody can be asked.
    pub fn ask_all_or<T>(
        &self,
        questions: &[Question],
        instead: &str,
        parse: impl FnMut(&Question, &Answer) -> Result<T, String>,
    ) -> Result<Vec<T>, Failure> {
        self.ask_all(questions, parse).map_err(|failure| {
            if failure.code == "input_required" {
                failure.hint(instead)
            } else {
                failure
            }
        })
    }

    /// See [`Session::ask_until`].
    pub fn ask_until<T>(
        &self,
        question: &Question,
        parse: impl FnMut(&Answer) -> Result<T, String>,
    ) -> Result<T, Failure> {
        self.session.borrow_mut().ask_until(question, parse)
    }

    /// Whether somebody or some script answers questions.
    pub fn has_answers(&self) -> bool {
        self.session.borrow().has_answers()
    }

    /// Whether a script answers the question `key`.
    pub fn has_answer(&self, key: &str) -> bool {
        self.session.borrow().has_answer(key)
    }

    /// Whether a set can be chosen, by the user or by a script.
    pub fn can_choose(&self, key: &str) -> bool {
        self.interactive() || self.has_answer(key)
    }

    /// Whether somebody can be asked.
    pub fn interactive(&self) -> bool {
        self.session.borrow().interactive()
    }

    /// A line that everybody sees.
    pub fn warn(&self, message: &str) {
        self.session.borrow_mut().log(Level::Warn, message);
    }

    /// A line that is good to know and nothing to worry about.
    pub fn note(&self, message: &str) {
        self.session.borrow_mut().log(Level::Note, message);
    }

    /// The columns of the terminal that the result is shown on; a pipe has none.
    pub fn columns(&self) -> Option<usize> {
        use std::io::IsTerminal;
        let session = self.session.borrow();
        let context = session.context();
        // Behind a host, only colour tells a terminal from a pipe.
        let terminal = if self.environment.own_streams {
            std::io::stdout().is_terminal()
        } else {
            context.color
        };
        (terminal && context.format == Format::Text).then_some(context.width)
    }

    /// A line for `-v`.
    pub fn tell(&self, message: &str) {
        self.session.borrow_mut().log(Level::Info, message);
    }

    pub fn progress(&self, message: &str) {
        self.session.borrow_mut().progress(message, None, None);
    }

    /// A part of the result that is ready.
    pub fn output(&self, text: &str) {
        self.session.borrow_mut().output(text);
    }

    /// Ends with another status than 0 although nothing failed.
    pub fn exit_with(&self, status: u8) {
        self.session.borrow_mut().exit_with(status);
    }

    /// The user's piped input.
    pub fn stdin(&self) -> Result<Vec<u8>, Failure> {
        self.session.borrow_mut().stdin()
    }

    /// The folder the command was called in.
    pub fn cwd(&self) -> PathBuf {
        self.session.borrow().cwd().to_owned()
    }

    /// Whether the user wants to see more.
    pub fn is_verbose(&self) -> bool {
        self.session.borrow().context().verbosity > 0
    }

    /// The form of the result.
    pub fn format(&self) -> Format {
        self.session.borrow().context().format
    }

    /// See [`Session::relay`].
    pub fn relay(&self, plugin: &str) -> Relay {
        self.session.borrow().relay(plugin)
    }

    /// Returns the path of the credentials file.
    pub fn credentials(&self) -> Result<SecretFile<'_>, Failure> {
        Ok(SecretFile::new(credentials::path(&self.environment)?, self))
    }

    /// Returns the folder of the vault.
    pub fn vault_folder(&self) -> Result<PathBuf, Failure> {
        self.environment
            .vault_folder()
            .ok_or_else(crate::config::homeless)
    }
}

impl Watch for CommandContext<'_> {
    fn cancelled(&self) -> bool {
        self.cancel.requested()
    }

    fn warn(&self, line: &str) {
        Self::warn(self, line);
    }

    fn requested(&self, line: &str) {
        self.session.borrow_mut().log(Level::Debug, line);
    }

    fn waiting(&self, line: &str) {
        self.progress(line);
    }

    fn note(&self, line: &str) {
        Self::note(self, line);
    }

    fn detail(&self, line: &str) {
        self.tell(line);
    }
}

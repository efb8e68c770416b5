//! Where a command sits: the user in front, the environment around.

use std::cell::RefCell;
use std::future::Future;
use std::path::PathBuf;

use bot_cli_sdk::cancel::Cancel;
use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::outcome::Format;
use bot_cli_sdk::question::{Answer, Question};
use bot_cli_sdk::session::{Level, Session};

use crate::auth::credentials;
use crate::environment::Environment;
use crate::secret_file::SecretFile;
use crate::watch::Watch;

/// The session, to be used from several places in turn; the environment.
pub struct Desk<'a> {
    session: RefCell<&'a mut Session>,
    /// The user's wish to stop.
    pub cancel: Cancel,
    /// What was found at the start.
    pub environment: Environment,
}

impl<'a> Desk<'a> {
    /// Before a session.
    pub fn new(session: &'a mut Session, environment: Environment) -> Self {
        Self {
            cancel: session.cancel().clone(),
            session: RefCell::new(session),
            environment,
        }
    }

    /// Runs what speaks with a service. The runtime begins here, so that nothing else pays for it.
    pub fn wait<T>(&self, future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        match runtime {
            Ok(runtime) => runtime.block_on(future),
            Err(error) => Err(Failure::new(
                Exit::Failed,
                "no_runtime",
                format!("could not prepare for the network: {error}"),
            )),
        }
    }

    /// See [`Session::ask`].
    pub fn ask(&self, question: &Question) -> Result<Answer, Failure> {
        self.session.borrow_mut().ask(question)
    }

    /// See [`Session::ask_all`]; the first question offers no way back.
    pub fn ask_all(&self, questions: &[Question]) -> Result<Vec<Answer>, Failure> {
        let answers = self.session.borrow_mut().ask_all(questions)?;
        Ok(answers.unwrap_or_default())
    }

    /// The same with what to do instead where nobody can be asked.
    pub fn ask_all_or(
        &self,
        questions: &[Question],
        instead: &str,
    ) -> Result<Vec<Answer>, Failure> {
        self.ask_all(questions).map_err(|failure| {
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

    /// Whether somebody can be asked.
    pub fn interactive(&self) -> bool {
        self.session.borrow().interactive()
    }

    /// A line that everybody sees.
    pub fn warn(&self, message: &str) {
        self.session.borrow_mut().log(Level::Warn, message);
    }

    /// A line for `-v`.
    pub fn tell(&self, message: &str) {
        self.session.borrow_mut().log(Level::Info, message);
    }

    /// How far the work is.
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

    /// The form of the result.
    pub fn format(&self) -> Format {
        self.session.borrow().context().format
    }

    /// Where credentials are kept.
    pub fn credentials(&self) -> Result<SecretFile<'_>, Failure> {
        Ok(SecretFile::new(credentials::path(&self.environment)?, self))
    }

    /// Where the vault is.
    pub fn vault_folder(&self) -> Result<PathBuf, Failure> {
        self.environment
            .vault_folder()
            .ok_or_else(crate::config::homeless)
    }
}

impl Watch for Desk<'_> {
    fn cancelled(&self) -> bool {
        self.cancel.requested()
    }

    fn retrying(&self, line: &str) {
        self.warn(&crate::words::theirs(line));
    }

    fn requested(&self, line: &str) {
        self.session.borrow_mut().log(Level::Debug, line);
    }

    fn notice(&self, line: &str) {
        self.warn(line);
    }

    fn detail(&self, line: &str) {
        self.tell(line);
    }
}

use std::cell::{RefCell, RefMut};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Failure, reason};
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_sdk::session::{Level, Session};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::standard_input;

use crate::auth::credentials;
use crate::environment::Environment;
use crate::input::LONGEST;
use crate::secret_file::SecretFile;
use crate::watch::Watch;

/// The problem reported for a missing file. The path is not quoted, because the path may be a misplaced secret value.
pub const NO_FILE: &str = "there is no such file (what is given is not shown: it may be a value)";

/// The user's session and the environment of a command. Only one caller at a time can borrow the session.
pub struct CommandContext<'a> {
    session: RefCell<&'a mut Session>,
    pub cancel: Cancel,
    pub environment: Environment,
}

impl<'a> CommandContext<'a> {
    pub fn new(session: &'a mut Session, environment: Environment) -> Self {
        Self {
            cancel: session.cancel().clone(),
            session: RefCell::new(session),
            environment,
        }
    }

    /// Borrows the session. Panics if the session is already borrowed.
    pub fn session(&self) -> RefMut<'_, &'a mut Session> {
        self.session.borrow_mut()
    }

    /// Asks several questions. If prompting is impossible, fails with `instead` as a hint.
    pub fn ask_all_or<T>(
        &self,
        questions: &[Question],
        instead: &str,
        parse: impl FnMut(&Question, &Answer) -> Result<T, String>,
    ) -> Result<Vec<T>, Failure> {
        let answers = self.session().ask_all_until(questions, parse);
        answers.map_err(|failure| match failure.code.as_str() {
            "input_required" => failure.hint(instead),
            _ => failure,
        })
    }

    /// Shows the plan and asks for consent, with a default answer, if any. Fails if the user does not agree.
    pub fn consent(
        &self,
        question: &str,
        plan: String,
        default: Option<bool>,
    ) -> Result<(), Failure> {
        let question = Question::confirm("confirm", question.to_owned());
        let mut question = question.details(plan).flag("--skip");
        if let Some(default) = default {
            question = question.default(default);
        }
        if self.session().confirm(&question)? {
            Ok(())
        } else {
            Err(Failure::cancelled())
        }
    }

    pub fn interactive(&self) -> bool {
        self.session().interactive()
    }

    pub fn warn(&self, message: &str) {
        self.session().log(Level::Warn, message);
    }

    pub fn note(&self, message: &str) {
        self.session().log(Level::Note, message);
    }

    /// Shows a line in verbose mode (`-v`).
    pub fn tell(&self, message: &str) {
        self.session().log(Level::Info, message);
    }

    pub fn progress(&self, message: &str) {
        self.session().progress(message, None, None);
    }

    pub fn stdin(&self) -> Result<Vec<u8>, Failure> {
        self.session().stdin()
    }

    /// Reads a file, or standard input if the path is `-`. The inner error describes a problem with the file.
    pub fn read(&self, path: &Path) -> Result<Result<Vec<u8>, String>, Failure> {
        if standard_input::is_named_by(path) {
            return self.stdin().map(Ok);
        }
        let read = || {
            let file = fs::File::open(self.cwd().join(path))?;
            if file.metadata()?.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            let mut bytes = Vec::new();
            file.take(LONGEST as u64 + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        Ok(read().map_err(|error: io::Error| {
            if error.kind() == io::ErrorKind::NotFound {
                NO_FILE.to_owned()
            } else if error.kind() == io::ErrorKind::IsADirectory {
                "is a directory".to_owned()
            } else {
                format!("could not be read: {}", reason(&error))
            }
        }))
    }

    pub fn cwd(&self) -> PathBuf {
        self.session().cwd().to_owned()
    }

    pub fn credentials(&self) -> Result<SecretFile<'_>, Failure> {
        Ok(SecretFile::new(credentials::path(&self.environment)?, self))
    }

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
        self.session().log(Level::Debug, line);
    }

    fn waiting(&self, line: &str) {
        self.progress(line);
    }

    fn progress(&self, line: &str, done: u64, total: u64) {
        self.session().progress(line, Some(done), Some(total));
    }

    fn note(&self, line: &str) {
        Self::note(self, line);
    }
}

//! Test helpers for plugin authors. They run a command with a scripted user and record everything that the user sees.
//!
//! ```
//! use bot_cli_sdk::plugin::{Command, Failure, Question, Reply, Session};
//! use bot_cli_sdk::testing::Run;
//!
//! /// Greets a person
//! #[derive(clap::Parser)]
//! #[command(name = "bot-cli-greet")]
//! struct Greet {}
//!
//! impl Command for Greet {
//!     fn run(self, session: &Session) -> Result<Reply, Failure> {
//!         let name = session.ask_text(&Question::text("name", "Who to greet"))?;
//!         Ok(Reply::text(format!("Hello, {name}\n")))
//!     }
//! }
//! # impl bot_cli_sdk::plugin::Declared for Greet { const MANIFEST: &'static str = ""; }
//!
//! let ran = Run::of::<Greet>([]).answer("name", "ada").run();
//! assert_eq!(ran.text, "Hello, ada\n");
//!
//! let ran = Run::of::<Greet>([]).run();
//! assert_eq!(ran.failure.unwrap().code, "input_required");
//! ```

#[cfg(test)]
mod tests;
mod user;

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::plugin::work::carry_out;
use crate::plugin::{self, Command, surface, usage};
use crate::session::{Context, Level, Session};
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Outcome;
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::ui::Ui;
use user::User;

/// A test run of a command. Without answers, the user cannot be prompted. With answers, the user accepts the default for any other
/// question, or cancels if there is no default.
#[must_use]
pub struct Run {
    command: fn(&[String], User, Context, Map<String, Value>) -> Outcome,
    words: Vec<String>,
    context: Context,
    scripted: Map<String, Value>,
    user: User,
}

/// The outcome of a run and everything that the user saw.
#[derive(Debug, Clone)]
pub struct Ran {
    /// The exit status.
    pub status: u8,
    /// The human-readable text: early output followed by the reply's text.
    pub text: String,
    /// The machine-readable document that `--json` prints.
    pub data: Value,
    /// The suggested next commands.
    pub next: Vec<String>,
    /// The failure, if the command failed.
    pub failure: Option<Failure>,
    /// The questions asked, in order.
    pub asked: Vec<Question>,
    /// The log lines.
    pub logs: Vec<(Level, String)>,
    /// The progress messages.
    pub progress: Vec<String>,
}

impl Run {
    /// Creates a run of the command `C` with the given arguments, in this process and without a terminal or host.
    pub fn of<C: Command>(words: impl IntoIterator<Item = &'static str>) -> Self {
        let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let mut context = Context::new(cwd);
        context.verbosity = 2;
        Self {
            command: here::<C>,
            words: words.into_iter().map(str::to_owned).collect(),
            context,
            scripted: Map::new(),
            user: User::default(),
        }
    }

    /// Adds a command-line argument.
    pub fn word(mut self, word: impl Into<String>) -> Self {
        self.words.push(word.into());
        self
    }

    /// Adds an answer, in its JSON form, to the question `key`. If a question is asked repeatedly, its answers are used in order.
    pub fn answer(mut self, key: &str, answer: impl Into<Value>) -> Self {
        self.user.answer(key, Some(answer.into()));
        self
    }

    /// Makes the user go back from the question `key`.
    pub fn go_back(mut self, key: &str) -> Self {
        self.user.answer(key, None);
        self
    }

    /// Adds a scripted answer to the question `key`, equivalent to an entry in the `answers` of a `run` request.
    pub fn scripted(mut self, key: &str, answer: impl Into<Value>) -> Self {
        self.scripted.insert(key.to_owned(), answer.into());
        self
    }

    /// Sets the user's piped input.
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.user.piped = Some(input.into());
        self
    }

    /// Sets the working directory. The default is the process's working directory.
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.context.cwd = cwd.into();
        self
    }

    /// Modifies the context with `change`.
    pub fn context(mut self, change: impl FnOnce(&mut Context)) -> Self {
        change(&mut self.context);
        self
    }

    /// Runs the command.
    pub fn run(mut self) -> Ran {
        self.context.interactive = self.user.is_there();
        let user = self.user.clone();
        let outcome = (self.command)(&self.words, self.user, self.context, self.scripted);
        user.tell(outcome)
    }
}

fn here<C: Command>(
    words: &[String],
    user: User,
    mut context: Context,
    scripted: Map<String, Value>,
) -> Outcome {
    let name = format!("bot-cli {}", plugin::manifest::<C>().name);
    let command = surface::of(C::command(), &name).term_width(context.width);
    match command.try_get_matches_from(words) {
        Err(error) => usage::outcome(&error, &name, &plugin::tree::<C>(), words, context.color),
        Ok(matches) => {
            surface::heed(&matches, &mut context);
            let session = Session::new(Box::new(user), context, scripted, Cancel::new());
            carry_out::<C>(&matches, &name, &session)
        }
    }
}

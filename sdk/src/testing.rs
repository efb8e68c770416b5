//! Test support for plugin authors: runs a command with a scripted user and records what the user sees.
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
//!     fn run(self, session: &mut Session) -> Result<Reply, Failure> {
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
use bot_cli_protocol::outcome::{Format, Outcome};
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::ui::Ui;
use user::User;

/// A command run that a test sets up. Without answers, the user cannot be prompted. With answers, the user accepts the defaults of
/// other questions and cancels questions without a default.
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
    /// The text for people: early output, then the text of the reply.
    pub text: String,
    /// The document for programs, printed by `--json`.
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
    /// Creates a run in this process, without a terminal and without a host.
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

    /// Adds an argument.
    pub fn word(mut self, word: impl Into<String>) -> Self {
        self.words.push(word.into());
        self
    }

    /// Answers the question `key` with the JSON form of an answer. Several answers to the same question are used in turn.
    pub fn answer(mut self, key: &str, answer: impl Into<Value>) -> Self {
        self.user.answer(key, Some(answer.into()));
        self
    }

    /// Goes back from the question `key`.
    pub fn go_back(mut self, key: &str) -> Self {
        self.user.answer(key, None);
        self
    }

    /// Adds a scripted answer, like `answers` in the protocol.
    pub fn scripted(mut self, key: &str, answer: impl Into<Value>) -> Self {
        self.scripted.insert(key.to_owned(), answer.into());
        self
    }

    /// Sets the user's piped input.
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.user.piped = Some(input.into());
        self
    }

    /// Sets the working folder. The default is the folder of the process.
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.context.cwd = cwd.into();
        self
    }

    /// Changes any other part of the context.
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
            if context.format == Format::Text {
                context.format = surface::format_of(&matches);
            }
            let mut session = Session::new(Box::new(user), context, scripted, Cancel::new());
            carry_out::<C>(&matches, &name, &mut session)
        }
    }
}

//! For authors' tests: runs a command with a user who answers, and tells all that the user saw.
//!
//! ```
//! use bot_cli_sdk::plugin::{Command, Failure, Question, Reply, Session};
//! use bot_cli_sdk::testing::Run;
//!
//! /// Greets somebody
//! #[derive(clap::Parser)]
//! #[command(name = "bot-cli-greet")]
//! struct Greet {}
//!
//! impl Command for Greet {
//!     fn run(self, session: &mut Session) -> Result<Reply, Failure> {
//!         let name = session.ask_text(&Question::text("name", "Whom"))?;
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

/// A run of a command, as a test sets it up. Without an answer nobody can be asked; with one there is a user, who accepts the
/// defaults of other questions and cancels at one that has none.
#[must_use]
pub struct Run {
    command: fn(&[String], User, Context, Map<String, Value>) -> Outcome,
    words: Vec<String>,
    context: Context,
    scripted: Map<String, Value>,
    user: User,
}

/// The outcome of a run, and what the user saw.
#[derive(Debug, Clone)]
pub struct Ran {
    /// The exit status.
    pub status: u8,
    /// For people: what was put out early, then the text of the reply.
    pub text: String,
    /// For programs: the document of `--json`.
    pub data: Value,
    /// The commands that may come next.
    pub next: Vec<String>,
    /// The failure, if there was one.
    pub failure: Option<Failure>,
    /// The questions that were asked, in their order.
    pub asked: Vec<Question>,
    /// The lines beside the result.
    pub logs: Vec<(Level, String)>,
    /// The progress that was shown.
    pub progress: Vec<String>,
}

impl Run {
    /// A run in this process, without a terminal and without a host.
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

    /// Adds a word to those of the user.
    pub fn word(mut self, word: impl Into<String>) -> Self {
        self.words.push(word.into());
        self
    }

    /// Answers the question `key`, in the answer's JSON form; several answers to one question come in turn.
    pub fn answer(mut self, key: &str, answer: impl Into<Value>) -> Self {
        self.user.answer(key, Some(answer.into()));
        self
    }

    /// The user goes back from the question `key`.
    pub fn go_back(mut self, key: &str) -> Self {
        self.user.answer(key, None);
        self
    }

    /// An answer that a script has given beforehand, as in `answers` of the protocol.
    pub fn scripted(mut self, key: &str, answer: impl Into<Value>) -> Self {
        self.scripted.insert(key.to_owned(), answer.into());
        self
    }

    /// Gives the user piped input.
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.user.piped = Some(input.into());
        self
    }

    /// The folder it runs in, instead of that of the process.
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.context.cwd = cwd.into();
        self
    }

    /// Changes anything else about where and for whom it runs.
    pub fn context(mut self, change: impl FnOnce(&mut Context)) -> Self {
        change(&mut self.context);
        self
    }

    /// Runs it.
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

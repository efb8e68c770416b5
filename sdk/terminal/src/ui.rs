//! The interface between a command and its display: the terminal, or a host on the other side of the protocol.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::question::{Answer, Question};
pub use bot_cli_protocol::{Capabilities, Context, Level};
use serde_json::Value;

/// A user interface for a command's output and questions.
pub trait Ui {
    /// Returns the capabilities of this user interface.
    fn capabilities(&self) -> Capabilities;

    /// Asks `question` until [`Question::check`] accepts the answer. Never called for a kind that is missing from [`Capabilities::ask`].
    /// The answer to a password question is an [`Answer::Secret`]. Returns [`Answer::Back`] only if [`Question::back`] allows it. If the
    /// user cancels, fails with [`Exit::Cancelled`](bot_cli_protocol::failure::Exit).
    fn ask(&mut self, question: &Question) -> Result<Answer, Failure>;

    /// Does the same as [`ask`](Self::ask), but only while `wanted` returns `true`. The interface calls `wanted` repeatedly while it waits
    /// for the user. Once `wanted` returns `false`, removes the question from the screen and fails with [`withdrawn`]. An interface that
    /// can't withdraw a question waits for the answer.
    fn ask_while(
        &mut self,
        question: &Question,
        wanted: &mut dyn FnMut() -> bool,
    ) -> Result<Answer, Failure> {
        let _ = wanted;
        self.ask(question)
    }

    /// Shows the progress of the work. `total` is `None` if the total is unknown.
    fn progress(&mut self, message: &str, current: Option<u64>, total: Option<u64>);

    /// Hides the progress. Called before other output replaces the progress. An interface that hides progress by itself can use the empty
    /// default.
    fn clear_progress(&mut self) {}

    /// Shows a log line if the interface's verbosity includes `level`. `data` is the same for programs, or `null`.
    fn log(&mut self, level: Level, message: &str, data: &Value);

    /// Shows a part of the result immediately. `data` is the same for programs, or `null`.
    fn output(&mut self, text: &str, data: &Value);

    /// Reads all of the user's piped input.
    fn stdin(&mut self) -> Result<Vec<u8>, Failure>;

    /// Does the same as [`stdin`](Self::stdin), but only while `wanted` returns `true`.
    fn stdin_while(&mut self, wanted: &mut dyn FnMut() -> bool) -> Result<Vec<u8>, Failure> {
        let _ = wanted;
        self.stdin()
    }

    /// Tells the user that the plugin is still running after a request to stop, and that a second request terminates it. Only an interface
    /// that receives the user's Ctrl-C implements this.
    fn waits_for(&mut self, plugin: &str) {
        let _ = plugin;
    }

    /// Shows a line from the standard error of the plugin's process. The line does not end with a line feed.
    fn plugin_stderr(&mut self, line: &str) {
        self.log(Level::Warn, line, &Value::Null);
    }
}

/// Returns the failure for a withdrawn question or a withdrawn read of piped input.
pub fn withdrawn() -> Failure {
    Failure::new(Exit::Cancelled, "withdrawn", "cancelled")
}

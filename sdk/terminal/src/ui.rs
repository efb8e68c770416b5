//! The seam between a command and whoever shows it to the user: the terminal, or a host at the other end of the protocol.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::question::{Answer, Question};
pub use bot_cli_protocol::{Capabilities, Context, Level};

/// Shows what a command says and asks, and knows what can be asked.
pub trait Ui {
    /// Returns what this user interface can do.
    fn capabilities(&self) -> Capabilities;

    /// Asks until there is an answer that [`Question::check`] accepts. Never called for a kind that is not in
    /// [`Capabilities::ask`]. A password comes back as [`Answer::Secret`], and [`Answer::Back`] only when
    /// [`Question::back`] allows it. Cancelling is a failure with [`Exit::Cancelled`](bot_cli_protocol::failure::Exit).
    fn ask(&mut self, question: &Question) -> Result<Answer, Failure>;

    /// Asks as [`ask`](Self::ask) does, for as long as `wanted` says that the answer is waited for: it is called again and
    /// again while the user thinks. A question that nobody waits for any more is taken off the screen and is a failure
    /// [`withdrawn`]. An interface that can't take a question back waits for the answer.
    fn ask_while(
        &mut self,
        question: &Question,
        wanted: &mut dyn FnMut() -> bool,
    ) -> Result<Answer, Failure> {
        let _ = wanted;
        self.ask(question)
    }

    /// Shows how far the work is; `total` as far as it is known.
    fn progress(&mut self, message: &str, current: Option<u64>, total: Option<u64>);

    /// Takes away what was shown of the progress, because something else is about to write where it is shown. An interface
    /// that does so by itself has nothing to do.
    fn clear_progress(&mut self) {}

    /// A line beside the result. The interface decides by its verbosity whether to show it.
    fn log(&mut self, level: Level, message: &str);

    /// A part of the result, shown at once and as it is.
    fn output(&mut self, text: &str);

    /// Everything the user piped in.
    fn stdin(&mut self) -> Result<Vec<u8>, Failure>;

    /// Reads as [`stdin`](Self::stdin) does, for as long as `wanted` says that it is waited for.
    fn stdin_while(&mut self, wanted: &mut dyn FnMut() -> bool) -> Result<Vec<u8>, Failure> {
        let _ = wanted;
        self.stdin()
    }

    /// Says that the plugin, which the user has asked to stop, is waited for until the user asks again. Only who hears the user does.
    fn waits_for(&mut self, plugin: &str) {
        let _ = plugin;
    }

    /// A line that the plugin's process wrote to its standard error, without its end; shown as it is.
    fn plugin_stderr(&mut self, line: &str) {
        self.log(Level::Warn, line);
    }
}

/// The failure of a question, or of reading piped input, that was withdrawn.
pub fn withdrawn() -> Failure {
    Failure::new(Exit::Cancelled, "withdrawn", "cancelled")
}

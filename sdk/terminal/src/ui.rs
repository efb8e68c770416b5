//! The seam between a command and whoever shows it to the user: the terminal, or a host at the other end of the protocol.

use std::path::PathBuf;

use crate::look::Verbosity;
pub use bot_cli_protocol::Level;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Format;
use bot_cli_protocol::question::{Answer, Question, QuestionKind};
use bot_cli_protocol::{AskCapability, Offer, WireCapabilities};

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

/// The capabilities of a user interface.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// The kinds of question that can be asked; empty without a user.
    pub ask: Vec<QuestionKind>,
    /// Whether the user's own piped input can be had.
    pub stdin: bool,
    /// Whether progress is shown.
    pub progress: bool,
    /// Whether parts of the result are shown before the rest.
    pub output: bool,
}

impl Capabilities {
    /// Everything, with every kind of question.
    pub fn all() -> Self {
        Self {
            ask: QuestionKind::ALL.to_vec(),
            stdin: true,
            progress: true,
            output: true,
        }
    }
}

impl From<&Capabilities> for WireCapabilities {
    fn from(capabilities: &Capabilities) -> Self {
        let offer = |offered: bool| offered.then_some(Offer {});
        let kinds: Vec<String> = capabilities
            .ask
            .iter()
            .map(|kind| kind.name().to_owned())
            .collect();
        Self {
            ask: (!kinds.is_empty()).then_some(AskCapability { kinds }),
            stdin: offer(capabilities.stdin),
            progress: offer(capabilities.progress),
            output: offer(capabilities.output),
        }
    }
}

impl From<&WireCapabilities> for Capabilities {
    fn from(wire: &WireCapabilities) -> Self {
        let kinds = wire
            .ask
            .as_ref()
            .map(|ask| ask.kinds.as_slice())
            .unwrap_or_default();
        Self {
            ask: QuestionKind::ALL
                .into_iter()
                .filter(|kind| kinds.iter().any(|name| name == kind.name()))
                .collect(),
            stdin: wire.stdin.is_some(),
            progress: wire.progress.is_some(),
            output: wire.output.is_some(),
        }
    }
}

/// The surroundings of a command: its folder and its terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about the terminal and the user's choices"
)]
pub struct Context {
    /// The folder the command was called in, absolute.
    pub cwd: PathBuf,
    /// Whether a person sits at a terminal.
    pub interactive: bool,
    /// Whether text may carry colour.
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// The form of the result.
    pub format: Format,
    /// The amount of output that the user wants: 0, 1 for `-v`, 2 for `-vv`.
    pub verbosity: u8,
    /// Whether the user gave `-q`, and wants no more than the outcome.
    pub quiet: bool,
    /// Whether the result is shown at a terminal, and not written to a file or a pipe.
    pub terminal: bool,
}

impl Context {
    /// A run in `cwd` without a person at a terminal: no colour, 80 columns, the text, no more than the result.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            interactive: false,
            color: false,
            width: 80,
            format: Format::Text,
            verbosity: 0,
            quiet: false,
            terminal: false,
        }
    }

    /// Whether the user wants to hear that much.
    pub fn wants(&self, level: Level) -> bool {
        Verbosity::new(self.quiet, self.verbosity).shows(level)
    }
}

#[cfg(test)]
mod tests {
    use bot_cli_protocol::RunParams;
    use bot_cli_protocol::question::QuestionKind;

    use super::Capabilities;

    #[test]
    fn a_request_of_a_later_version_decodes() {
        let params: RunParams = serde_json::from_str(
            r#"{"protocol":"1.9","argv":["x"],"deadline":5,
                "capabilities":{"ask":{"kinds":["text","colour"],"batch":true},"clipboard":{},"stdin":{"max":1}},
                "context":{"color":"dithered","format":"xml","theme":"dark","host":{"name":"h","edition":2}}}"#,
        )
        .unwrap();
        let capabilities = Capabilities::from(&params.capabilities);
        assert_eq!(capabilities.ask, [QuestionKind::Text]);
        assert!(capabilities.stdin && !capabilities.output);
    }
}

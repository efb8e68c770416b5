//! What plugins do against the protocol, and the failures that report it.

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_protocol::{Id, MAX_LINE};

/// A protocol violation, or an exit without a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// The process exited or closed its output before it replied.
    NoReply {
        /// The description of the exit, such as `exit status: 3`.
        end: String,
        /// Whether a signal terminated the process before it finished its work.
        by_signal: bool,
        /// The last non-blank line from standard error.
        stderr: Option<String>,
        /// The last printed line that is not a message.
        printed: Option<String>,
    },
    /// The reply is invalid, for this reason.
    WrongReply(String),
    /// The plugin, or a program that it started, used the terminal.
    WantsTerminal,
    /// The plugin replied to a request that was never sent.
    WrongId(Id),
    /// The plugin replied twice.
    DoubleReply(Id),
    /// The plugin kept sending requests without reading the answers.
    UnreadAnswers,
    /// A line is not valid UTF-8.
    NotUtf8,
    /// A line is longer than 8 MiB.
    LineTooLong,
    /// The result is not valid for the method.
    WrongResult {
        /// The method.
        method: String,
        /// The reason why the result is not valid.
        reason: String,
    },
    /// The plugin did not reply within this number of seconds.
    Late(u64),
    /// The plugin sent nothing for this number of seconds.
    Silent(u64),
}

impl Violation {
    /// Returns the failure for a violation by `plugin`.
    pub fn by(self, plugin: &str) -> Failure {
        let failure = |exit, code: &str, what: &str| {
            Failure::new(exit, code, format!("plugin `{plugin}` {what}"))
        };
        let broken = |code: &str, what: &str| failure(Exit::Protocol, code, what);
        let late = |what: &str| failure(Exit::Unavailable, "timed_out", what);
        match self {
            Self::NoReply {
                end,
                by_signal,
                stderr,
                printed,
            } => {
                let mut failure = broken("no_reply", &format!("ended without a reply ({end})"));
                failure.outcome = by_signal.then_some(ChangeState::Unknown);
                let last_words = stderr.map(|last| format!("its last words: {last}"));
                let printed =
                    printed.map(|line| format!("it printed a line that is not a message: {line}"));
                failure.hints.extend(last_words.into_iter().chain(printed));
                if by_signal {
                    let look = "if it was changing something, look at what became of that";
                    failure.hints.push(look.to_owned());
                }
                failure
            }
            Self::WrongReply(reason) => broken(
                "wrong_reply",
                &format!("sent a reply that can't be read: {reason}"),
            ),
            Self::WantsTerminal => broken(
                "wants_terminal",
                "wants the terminal, which belongs to the host while the plugin works",
            )
            .hint(
                "the plugin's manifest has to declare a command that needs the terminal `direct`",
            ),
            Self::WrongId(id) => broken(
                "wrong_id",
                &format!("replied to request {id}, which nobody made"),
            ),
            Self::DoubleReply(id) => {
                broken("double_reply", &format!("replied twice to request {id}"))
            }
            Self::UnreadAnswers => broken(
                "unread_answers",
                "asks on and on without reading the answers",
            ),
            Self::NotUtf8 => broken("invalid_utf8", "sent a line that is not UTF-8"),
            Self::LineTooLong => broken(
                "line_too_long",
                &format!("sent a line of more than {} MiB", MAX_LINE / (1024 * 1024)),
            ),
            Self::WrongResult { method, reason } => broken(
                "wrong_result",
                &format!("sent a result that `{method}` does not have: {reason}"),
            ),
            Self::Late(seconds) => late(&format!("did not reply within {seconds} s")),
            Self::Silent(seconds) => late(&format!("said nothing for {seconds} s")),
        }
    }
}

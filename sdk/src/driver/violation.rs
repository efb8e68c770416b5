//! What a plugin may do wrong, each with its sentence.

use super::stop_sequence::Late;
use crate::failure::{ChangeState, Exit, Failure};
use crate::protocol::{Id, MAX_LINE};

/// The code of the failure of a plugin that ended without a reply.
pub const NO_REPLY: &str = "no_reply";

/// A breach of the protocol, or an end without a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// The process ended, or closed its output, before it replied.
    NoReply {
        /// The exit: `exit status: 3`.
        end: String,
        /// Whether a signal ended it, in the middle of whatever it did.
        by_signal: bool,
        /// The last lines of its standard error.
        stderr: Vec<String>,
        /// The last line that it printed and that is not a message.
        printed: Option<String>,
    },
    /// The reply is not quite one; why.
    WrongReply(String),
    /// It, or a program that it started, used the terminal.
    WantsTerminal,
    /// It replied to a request that nobody made.
    WrongId(Option<Id>),
    /// It replied twice.
    DoubleReply(Id),
    /// A line is not UTF-8.
    NotUtf8,
    /// A line is longer than 8 MiB.
    LineTooLong,
    /// The result of a method lacks what belongs to it.
    WrongResult {
        /// The method.
        method: String,
        /// The problem.
        reason: String,
    },
    /// It did not reply in time; the seconds.
    Late(u64),
    /// It said nothing for so many seconds.
    Silent(u64),
}

impl From<Late> for Violation {
    fn from(late: Late) -> Self {
        match late {
            Late::Reply(seconds) => Self::Late(seconds),
            Late::Silence(seconds) => Self::Silent(seconds),
        }
    }
}

/// A violation with the name of the plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blamed<'a> {
    plugin: &'a str,
    violation: Violation,
}

impl Violation {
    /// Names the plugin that did it.
    #[must_use]
    pub fn by(self, plugin: &str) -> Blamed<'_> {
        Blamed {
            plugin,
            violation: self,
        }
    }
}

impl From<Blamed<'_>> for Failure {
    fn from(Blamed { plugin, violation }: Blamed<'_>) -> Self {
        let broken = |code: &str, what: String| {
            Self::new(Exit::Protocol, code, format!("plugin `{plugin}` {what}"))
        };
        match violation {
            Violation::NoReply {
                end,
                by_signal,
                stderr,
                printed,
            } => {
                let mut failure = broken(NO_REPLY, format!("ended without a reply ({end})"));
                if by_signal {
                    failure = failure.outcome(ChangeState::Unknown);
                }
                if let Some(last) = stderr.last() {
                    failure = failure.hint(format!("its last words: {last}"));
                }
                if let Some(line) = printed {
                    failure =
                        failure.hint(format!("it printed a line that is not a message: {line}"));
                }
                failure
            }
            Violation::WrongReply(reason) => broken(
                "wrong_reply",
                format!("sent a reply that can't be read: {reason}"),
            ),
            Violation::WantsTerminal => broken(
                "wants_terminal",
                "wants the terminal, which belongs to the host while the plugin works".to_owned(),
            )
            .hint(
                "the plugin's manifest has to declare a command that needs the terminal `direct`",
            ),
            Violation::WrongId(Some(id)) => broken(
                "wrong_id",
                format!("replied to request {id}, which nobody made"),
            ),
            Violation::WrongId(None) => broken(
                "wrong_id",
                "replied to a request without naming it".to_owned(),
            ),
            Violation::DoubleReply(id) => {
                broken("double_reply", format!("replied twice to request {id}"))
            }
            Violation::NotUtf8 => {
                broken("invalid_utf8", "sent a line that is not UTF-8".to_owned())
            }
            Violation::LineTooLong => broken(
                "line_too_long",
                format!("sent a line of more than {} MiB", MAX_LINE / (1024 * 1024)),
            ),
            Violation::WrongResult { method, reason } => {
                let what = format!("sent a result that `{method}` does not have: {reason}");
                broken("wrong_result", what)
            }
            Violation::Late(seconds) => Self::new(
                Exit::Unavailable,
                "timed_out",
                format!("plugin `{plugin}` did not reply within {seconds} s"),
            ),
            Violation::Silent(seconds) => Self::new(
                Exit::Unavailable,
                "timed_out",
                format!("plugin `{plugin}` said nothing for {seconds} s"),
            ),
        }
    }
}

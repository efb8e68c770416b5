//! What goes wrong in a backend, as its author says it and as its caller reads it.

use crate::messages::{Bytes, Code, Effect, ErrorData};
use bot_cli_protocol::ErrorObject;
use bot_cli_protocol::failure::{ChangeState, Exit, Failure};

/// Why a backend could not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Error {
    /// The message.
    pub code: Code,
    /// The same for people, without any value: lower case, no full stop, literals in backticks.
    pub message: String,
    /// Hints on how to solve it, each a sentence or a command that can be pasted.
    pub hints: Vec<String>,
    /// The time to leave it alone, in seconds.
    pub retry_after: Option<u64>,
    /// With [`Code::TooLarge`]: how much it is.
    pub bytes: Option<Box<Bytes>>,
    /// With [`Code::NotText`]: the key of the value.
    pub key: Option<Box<str>>,
}

/// A change that did not succeed, and what became of it. [`Error::not_done`], [`done`](Error::done), [`unknown`](Error::unknown)
/// and [`with_effect`](Error::with_effect) make one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeError {
    /// The message.
    pub cause: Error,
    /// The outcome of the change.
    pub effect: Effect,
}

impl Error {
    /// An error with a message for people.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hints: Vec::new(),
            retry_after: None,
            bytes: None,
            key: None,
        }
    }

    /// The backend can't do what it was asked for.
    pub fn not_supported() -> Self {
        Self::new(Code::NotSupported, "this backend can't do that")
    }

    /// Adds what to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Says how many seconds the backend wants to be left alone.
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// The failure of a change that changed nothing.
    pub fn not_done(self) -> ChangeError {
        self.with_effect(Effect::NotDone)
    }

    /// The failure after a change that is done.
    pub fn done(self) -> ChangeError {
        self.with_effect(Effect::Done)
    }

    /// The failure of a change that may have been done.
    pub fn unknown(self) -> ChangeError {
        self.with_effect(Effect::Unknown)
    }

    /// The failure of a change of which `effect` became.
    pub fn with_effect(self, effect: Effect) -> ChangeError {
        ChangeError {
            cause: self,
            effect,
        }
    }

    fn exit(&self) -> Exit {
        match self.code {
            Code::NotSignedIn | Code::NotAllowed => Exit::NotAllowed,
            Code::Unreachable | Code::TimedOut | Code::Unavailable => Exit::Unavailable,
            Code::TooLarge
            | Code::InvalidName
            | Code::InvalidSetting
            | Code::NotSupported
            | Code::InputRequired => Exit::Usage,
            Code::Cancelled => Exit::Cancelled,
            Code::NotFound
            | Code::Conflict
            | Code::Immutable
            | Code::BeingDeleted
            | Code::Foreign
            | Code::NoPlace
            | Code::NotText
            | Code::Refused
            | Code::Internal => Exit::Failed,
        }
    }
}

impl ChangeError {
    /// Returns what the SDK's failures call the effect.
    pub fn state(&self) -> ChangeState {
        match &self.effect {
            Effect::NotDone => ChangeState::NotDone,
            Effect::Done => ChangeState::Done,
            Effect::Unknown => ChangeState::Unknown,
            Effect::Partly(parts) if !parts.unknown.is_empty() => ChangeState::Unknown,
            Effect::Partly(_) => ChangeState::PartlyDone,
        }
    }
}

impl From<Error> for ErrorObject {
    fn from(error: Error) -> Self {
        on_wire(error, None)
    }
}

impl From<ChangeError> for ErrorObject {
    fn from(error: ChangeError) -> Self {
        on_wire(error.cause, Some(error.effect))
    }
}

/// The error as it is sent; `effect` where it is that of a change.
fn on_wire(error: Error, effect: Option<Effect>) -> ErrorObject {
    let exit = match effect {
        Some(Effect::Unknown) if error.code != Code::Cancelled => Exit::Unknown,
        _ => error.exit(),
    };
    let data = ErrorData {
        code: error.code,
        effect,
        hints: error.hints,
        retry_after: error.retry_after,
        bytes: error.bytes,
        key: error.key,
    };
    ErrorObject {
        code: exit.status().into(),
        message: error.message,
        data: serde_json::to_value(data).ok(),
    }
}

/// A question that failed: cancelled by the user, or nobody there to be asked.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let code = match failure.exit {
            Exit::Cancelled | Exit::Terminated => Code::Cancelled,
            Exit::Usage if failure.code == "input_required" => Code::InputRequired,
            Exit::NotAllowed => Code::NotAllowed,
            Exit::Unavailable => Code::Unavailable,
            Exit::Usage
            | Exit::Failed
            | Exit::Unknown
            | Exit::Unwritten
            | Exit::Protocol
            | Exit::NotRunnable
            | Exit::NotFound => Code::Internal,
        };
        Self {
            code,
            hints: failure.hints,
            ..Self::new(code, failure.message)
        }
    }
}

//! What goes wrong with a backend, as its caller sees it.

use crate::Error;
use crate::messages::Effect;
use bot_cli_protocol::failure::Failure;

/// Why a backend did not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The backend says so itself. Its message is one printable line, and empty once a value was sent or received, as are its hints.
    Told(Error),
    /// It could not be started, ended, was silent or broke the protocol. The failure says which, and quotes nothing that must not be seen.
    Broken(Box<Failure>),
    /// The user stopped it, and it gave no answer.
    Cancelled,
}

/// A change that did not succeed, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeFault {
    /// Why.
    pub fault: Fault,
    /// The outcome of the change.
    pub effect: Effect,
}

impl Fault {
    pub(super) fn broken(failure: impl Into<Failure>) -> Self {
        let mut failure = failure.into();
        // What became of a change is the caller's to say.
        failure.outcome = None;
        Self::Broken(Box::new(failure))
    }

    /// The fault of a change that changed nothing.
    pub const fn not_done(self) -> ChangeFault {
        ChangeFault {
            fault: self,
            effect: Effect::NotDone,
        }
    }

    /// The fault of a change that may have been done.
    pub const fn unknown(self) -> ChangeFault {
        ChangeFault {
            fault: self,
            effect: Effect::Unknown,
        }
    }
}

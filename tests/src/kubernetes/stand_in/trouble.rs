//! Bad days: what goes wrong with a request, and whether it took effect.

use std::time::Duration;

use serde_json::{Value, json};

/// The fault of one request.
#[derive(Debug, Clone)]
#[must_use]
pub struct Trouble {
    pub fault: Fault,
    /// Whether the request took effect.
    pub applied: Applied,
}

/// The way a request goes wrong.
#[derive(Debug, Clone)]
#[must_use]
pub enum Fault {
    /// The connection is cut after so many bytes of the request, which then has no effect.
    CutRequest(usize),
    /// The connection is cut after so many bytes of the right answer.
    CutAnswer(usize),
    /// Another answer than the right one: status and body.
    Answer(u16, String),
    /// No answer, until the client goes.
    Silence,
    /// Somebody else changes this Secret just before, with a merge patch.
    Overtaken(Value),
}

/// Whether a request that goes wrong took effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// No.
    No,
    /// Before the answer.
    Yes,
    /// Some time after the answer.
    Later(Duration),
}

impl Trouble {
    /// A fault without effect.
    pub const fn new(fault: Fault) -> Self {
        Self {
            fault,
            applied: Applied::No,
        }
    }

    /// The request takes effect; only the answer goes wrong.
    pub const fn applied(mut self, applied: Applied) -> Self {
        self.applied = applied;
        self
    }

    /// The API's own words.
    pub fn status(status: u16, reason: &str, message: &str) -> Self {
        let body = super::refusal::status(status, reason, message, &json!({}));
        Self::words(status, &body.to_string())
    }

    /// Somebody else's words.
    pub fn words(status: u16, body: &str) -> Self {
        Self::new(Fault::Answer(status, body.to_owned()))
    }
}

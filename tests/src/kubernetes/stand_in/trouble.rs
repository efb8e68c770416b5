//! Faults in requests, and whether the requests take effect anyway.

use std::time::Duration;

use serde_json::{Value, json};

/// A fault in one request.
#[derive(Debug, Clone)]
#[must_use]
pub struct Trouble {
    pub fault: Fault,
    /// Whether and when the request takes effect.
    pub applied: Applied,
}

/// The way in which a request fails.
#[derive(Debug, Clone)]
#[must_use]
pub enum Fault {
    /// The connection is cut after this many bytes of the request. The request has no effect.
    CutRequest(usize),
    /// The connection is cut after this many bytes of the correct response.
    CutAnswer(usize),
    /// A response other than the correct one: the status and the body.
    Answer(u16, String),
    /// No response until the client disconnects.
    Silence,
    /// Another client applies this merge patch to the Secret just before the request.
    Overtaken(Value),
}

/// Whether and when a failed request takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// The request has no effect.
    No,
    /// The request takes effect before the response.
    Yes,
    /// The request takes effect after this delay, regardless of the response.
    Later(Duration),
}

impl Trouble {
    /// Creates a fault that keeps the request from taking effect.
    pub const fn new(fault: Fault) -> Self {
        Self {
            fault,
            applied: Applied::No,
        }
    }

    /// Sets whether the request takes effect despite the faulty response.
    pub const fn applied(mut self, applied: Applied) -> Self {
        self.applied = applied;
        self
    }

    /// Creates an error response in the API server's own format.
    pub fn status(status: u16, reason: &str, message: &str) -> Self {
        let body = super::refusal::status(status, reason, message, &json!({}));
        Self::words(status, &body.to_string())
    }

    /// Creates a response with any body, such as a proxy might send.
    pub fn words(status: u16, body: &str) -> Self {
        Self::new(Fault::Answer(status, body.to_owned()))
    }
}

//! Bad days: which requests go wrong, how, and whether they took effect before.

use std::time::Duration;

/// The way an answer goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Fault {
    /// Another answer than the right one.
    Answer {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: String,
    },
    /// The connection is reset instead of an answer.
    Reset,
    /// The connection is reset after half of the body.
    ResetInBody,
    /// The connection is closed after half of the body.
    Truncated,
    /// A blank every so often, without end: each read makes progress, the answer never comes.
    Drip(Duration),
    /// Blanks as fast as they are taken, without end.
    Endless,
    /// Never an answer.
    Silence,
    /// The right answer, later.
    Late(Duration),
}

impl Fault {
    /// The service's own shape of an error.
    pub fn error(status: u16, error: &str, code: &str) -> Self {
        let body = serde_json::json!({"error": error, "code": code}).to_string();
        Self::json(status, &body)
    }

    /// A body of type JSON, whatever it is.
    pub fn json(status: u16, body: &str) -> Self {
        Self::answer(status, "application/json", body)
    }

    /// Returns what an edge server shows to a browser.
    pub fn html(status: u16) -> Self {
        let page =
            "<!doctype html><html><head><title>Oh</title></head><body><h1>Oh</h1></body></html>";
        Self::answer(status, "text/html; charset=utf-8", page)
    }

    /// Elsewhere.
    pub fn redirect(to: &str) -> Self {
        Self::Answer {
            status: 307,
            headers: vec![("location", to.to_owned())],
            body: String::new(),
        }
    }

    /// Adds a header to an answer.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        if let Self::Answer { headers, .. } = &mut self {
            headers.push((name, value.to_owned()));
        }
        self
    }

    fn answer(status: u16, kind: &str, body: &str) -> Self {
        Self::Answer {
            status,
            headers: vec![("content-type", kind.to_owned())],
            body: body.to_owned(),
        }
    }
}

/// Which requests go wrong.
#[derive(Debug, Clone)]
#[must_use]
pub struct Injection {
    method: &'static str,
    path: String,
    left: Option<u32>,
    pub(super) fault: Fault,
    pub(super) effect: Effect,
}

/// Whether a request that goes wrong took effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    Applied,
    /// After the answer.
    Later(Duration),
}

impl Injection {
    /// Every request of this `method` (`*`: of any) whose path contains `path` goes wrong, without effect.
    pub fn new(method: &'static str, path: &str, fault: Fault) -> Self {
        Self {
            method,
            path: path.to_owned(),
            left: None,
            fault,
            effect: Effect::None,
        }
    }

    /// Only so many of them.
    pub fn times(mut self, times: u32) -> Self {
        self.left = Some(times);
        self
    }

    /// They take effect; only the answer goes wrong.
    pub fn applied(mut self) -> Self {
        self.effect = Effect::Applied;
        self
    }

    /// They take effect some time after the answer.
    pub fn applied_after(mut self, delay: Duration) -> Self {
        self.effect = Effect::Later(delay);
        self
    }

    /// Whether a request of this method may be one of them.
    pub(super) fn is_for(&self, method: &str) -> bool {
        self.method == "*" || self.method == method
    }

    /// Whether this request is one of them; it is counted then.
    pub(super) fn takes(&mut self, method: &str, target: &str) -> bool {
        let meant = (self.method == "*" || self.method == method) && target.contains(&self.path);
        match &mut self.left {
            _ if !meant => false,
            None => true,
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
        }
    }
}

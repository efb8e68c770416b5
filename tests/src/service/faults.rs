//! Faults: which requests fail, in which way, and whether they take effect first.

use std::time::Duration;

/// The way in which a response fails.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Fault {
    /// A response other than the correct one.
    Answer {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: String,
    },
    /// The connection is reset without a response.
    Reset,
    /// The connection is reset after half the body.
    ResetInBody,
    /// The connection is closed after half the body.
    Truncated,
    /// A space at this interval, forever. Each read makes progress, but the response never ends.
    Drip(Duration),
    /// Spaces as fast as the client reads them, forever.
    Endless,
    /// No response, ever.
    Silence,
    /// The correct response, after this delay.
    Late(Duration),
}

impl Fault {
    /// Creates an error response in the service's own format.
    pub fn error(status: u16, error: &str, code: &str) -> Self {
        let body = serde_json::json!({"error": error, "code": code}).to_string();
        Self::json(status, &body)
    }

    /// Creates a response with a JSON content type and any body.
    pub fn json(status: u16, body: &str) -> Self {
        Self::answer(status, "application/json", body)
    }

    /// Creates an HTML response such as an edge server would send to a browser.
    pub fn html(status: u16) -> Self {
        let page =
            "<!doctype html><html><head><title>Oh</title></head><body><h1>Oh</h1></body></html>";
        Self::answer(status, "text/html; charset=utf-8", page)
    }

    /// Creates a redirect to this URL.
    pub fn redirect(to: &str) -> Self {
        Self::Answer {
            status: 307,
            headers: vec![("location", to.to_owned())],
            body: String::new(),
        }
    }

    /// Adds a header to the response.
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

/// A fault and the requests to which it applies.
#[derive(Debug, Clone)]
#[must_use]
pub struct Injection {
    method: &'static str,
    path: String,
    left: Option<u32>,
    pub(super) fault: Fault,
    pub(super) effect: Effect,
}

/// Whether and when a failed request takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    Applied,
    /// The request takes effect after this delay, regardless of the response.
    Later(Duration),
}

impl Injection {
    /// Makes requests with this `method` (`*` for any) fail if the target contains `path`. The requests have no effect.
    pub fn new(method: &'static str, path: &str, fault: Fault) -> Self {
        Self {
            method,
            path: path.to_owned(),
            left: None,
            fault,
            effect: Effect::None,
        }
    }

    /// Limits the fault to this many requests.
    pub fn times(mut self, times: u32) -> Self {
        self.left = Some(times);
        self
    }

    /// Lets the requests take effect. Only the response fails.
    pub fn applied(mut self) -> Self {
        self.effect = Effect::Applied;
        self
    }

    /// Lets the requests take effect after this delay.
    pub fn applied_after(mut self, delay: Duration) -> Self {
        self.effect = Effect::Later(delay);
        self
    }

    /// Reports whether the fault can apply to requests with this method.
    pub(super) fn is_for(&self, method: &str) -> bool {
        self.method == "*" || self.method == method
    }

    /// Reports whether the fault applies to this request. If so, counts the request.
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

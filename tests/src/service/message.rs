//! Answers, and the parts of a request's address.

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::world::Sent;

/// An answer.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: String,
}

impl Reply {
    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            headers: vec![("content-type", "application/json".to_owned())],
            body: body.to_string(),
        }
    }

    pub(super) fn empty(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: String::new(),
        }
    }

    pub(super) fn error(status: u16, error: &str, code: &str) -> Self {
        Self::json(status, &json!({"error": error, "code": code}))
    }

    pub(super) fn bad_request(error: &str) -> Self {
        Self::error(400, error, "GENERIC_BAD_REQUEST")
    }

    /// Returns what a web server says that knows no such page; nothing an interface would say.
    pub(super) fn no_such_page(request: &Sent) -> Self {
        Self {
            status: 404,
            headers: vec![("content-type", "text/html; charset=utf-8".to_owned())],
            body: format!("<!doctype html><pre>Cannot {}</pre>", request.line()),
        }
    }
}

/// Which of the two families a request came by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Published,
    Organization,
}

/// The path, split where it was sent split, each segment decoded.
pub(super) fn segments(target: &str) -> Vec<String> {
    let path = target.split('?').next().unwrap_or_default();
    path.trim_start_matches('/')
        .split('/')
        .map(|segment| percent_decode_str(segment).decode_utf8_lossy().into_owned())
        .collect()
}

/// A parameter of the query.
pub(super) fn query(target: &str, name: &str) -> Option<String> {
    let (_, query) = target.split_once('?')?;
    form_urlencoded::parse(query.as_bytes())
        .find(|(found, _)| found == name)
        .map(|(_, value)| value.into_owned())
}

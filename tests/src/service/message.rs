//! Responses, and access to the parts of a request.

use std::str::FromStr;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::agents::Agent;
use super::clock::Counted;
use super::world::{Organization, Sent, World};

/// An HTTP response.
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

    pub(super) fn not_found() -> Self {
        Self::error(404, "Not found", "NOT_FOUND")
    }

    pub(super) fn bad_request(error: &str) -> Self {
        Self::error(400, error, "GENERIC_BAD_REQUEST")
    }

    /// Returns a plain web server's 404 page, which is unlike the API's own responses.
    pub(super) fn no_such_page(request: &Sent) -> Self {
        Self {
            status: 404,
            headers: vec![("content-type", "text/html; charset=utf-8".to_owned())],
            body: format!("<!doctype html><pre>Cannot {}</pre>", request.line()),
        }
    }
}

impl From<Value> for Reply {
    fn from(body: Value) -> Self {
        Self::json(200, &body)
    }
}

/// A request within an organization.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) request: &'a Sent,
    pub(super) family: Family,
    pub(super) organization: &'a str,
}

impl Call<'_> {
    pub(super) fn query(self, name: &str) -> Option<String> {
        query(&self.request.target, name)
    }

    /// Reports whether a query parameter is `value` or missing.
    pub(super) fn is_or_any(self, name: &str, value: &str) -> bool {
        self.query(name).is_none_or(|asked| asked == value)
    }

    /// Returns a numeric query parameter, or `default` if the parameter is missing. Returns a 400 response if the parameter is not a valid
    /// number.
    pub(super) fn number<N: FromStr>(self, name: &str, default: N) -> Result<N, Reply> {
        let number = self.query(name);
        number
            .map_or(Ok(default), |number| number.parse())
            .map_err(|_| Reply::bad_request("Invalid parameters"))
    }

    /// Returns the page of `rows` that the query parameters `limit` and `offset` select. The argument `limit` is the default page size.
    pub(super) fn page<T>(self, rows: Vec<T>, limit: usize) -> Result<Vec<T>, Reply> {
        let limit = self.number("limit", limit)?;
        let offset = self.number("offset", 0)?;
        Ok(rows.into_iter().skip(offset).take(limit).collect())
    }

    /// Returns the members of the body that are listed in `members`. Drops other members without an error and adds their paths to
    /// `unknown`.
    pub(super) fn body(self, members: &str, unknown: &mut Vec<String>) -> Value {
        let body: Value = serde_json::from_str(&self.request.body).unwrap_or_default();
        known(&body, members, unknown)
    }
}

/// Returns a 400 response with `error` unless `is_so` is true.
pub(super) fn require(is_so: bool, error: &str) -> Result<(), Reply> {
    is_so.then_some(()).ok_or_else(|| Reply::bad_request(error))
}

/// Returns an organization. Borrows only the organizations, so that the caller can still use the other fields of [`World`].
pub(super) fn in_organization<'a>(
    organizations: &'a mut [Organization],
    name: &str,
) -> Result<&'a mut Organization, Reply> {
    organizations
        .iter_mut()
        .find(|one| one.name == name)
        .ok_or_else(|| Reply::error(404, "Organization not found", "NOT_FOUND"))
}

impl World {
    /// Returns an agent, and the counters for objects that are added to the agent.
    pub(super) fn agent(
        &mut self,
        call: Call<'_>,
        name: &str,
    ) -> Result<(&mut Agent, &mut Counted), Reply> {
        let organization = in_organization(&mut self.organizations, call.organization)?;
        let agent = organization.agents.get_mut(name);
        Ok((agent.ok_or_else(Reply::not_found)?, &mut self.counted))
    }
}

/// Returns the members of a body that are listed in `members`. A nested member is listed by its path, such as `autoScaling.minAgents`.
fn known(body: &Value, members: &str, unknown: &mut Vec<String>) -> Value {
    let mut kept = Map::new();
    for (name, value) in body.as_object().into_iter().flatten() {
        let inner: Vec<&str> = members
            .split(' ')
            .filter_map(|member| member.strip_prefix(name.as_str())?.strip_prefix('.'))
            .collect();
        if members.split(' ').any(|member| member == name) {
            kept.insert(name.clone(), value.clone());
        } else if inner.is_empty() {
            unknown.push(name.clone());
        } else {
            let mut deeper = Vec::new();
            kept.insert(name.clone(), known(value, &inner.join(" "), &mut deeper));
            unknown.extend(deeper.iter().map(|member| format!("{name}.{member}")));
        }
    }
    kept.into()
}

/// The family of paths that a request uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Published,
    Organization,
}

/// Splits the path at its slashes and decodes each segment.
pub(super) fn segments(target: &str) -> Vec<String> {
    let path = target.split('?').next().unwrap_or_default();
    path.trim_start_matches('/')
        .split('/')
        .map(|segment| percent_decode_str(segment).decode_utf8_lossy().into_owned())
        .collect()
}

/// Returns a query parameter.
pub(super) fn query(target: &str, name: &str) -> Option<String> {
    let (_, query) = target.split_once('?')?;
    form_urlencoded::parse(query.as_bytes())
        .find(|(found, _)| found == name)
        .map(|(_, value)| value.into_owned())
}

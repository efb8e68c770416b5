//! The hosting service's resources other than secrets: agents, builds, sessions, logs and public keys.

pub mod agent;
pub mod upload;

use agent::Agent;
use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_terminal::short_line;
use reqwest::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::backend::hosted::http::{Answer, Client, Reach, Repeat, Unconfirmed};
use crate::backend::hosted::wire::{Body, segment};
use crate::backend::hosted::{SIGN_IN, ServiceError, Tenant, path_of};
use crate::scope::Scope;
use crate::words::unknown;

/// A connection to the service for one account.
pub struct Service<'a> {
    pub client: Client<'a>,
    pub tenant: Tenant,
    pub scope: Scope,
}

impl Service<'_> {
    pub fn is_user(&self) -> bool {
        self.tenant.is_some()
    }

    /// Fails for a private API key, which can't do this.
    pub fn require_user(&self, what: &str) -> Result<(), Failure> {
        if self.is_user() {
            return Ok(());
        }
        let message = format!("a private API key can't {what}; a user's sign-in can");
        Err(Failure::new(Exit::NotAllowed, "api_key", message).hint(SIGN_IN))
    }

    /// Returns the path segment for agents, which depends on the kind of account.
    pub fn agents(&self) -> &'static str {
        if self.is_user() { "services" } else { "agents" }
    }

    /// Returns a resource. `query` contains the names and values of parameters; parameters without a value are omitted.
    pub fn get<T: DeserializeOwned>(
        &self,
        parts: &[&str],
        query: &[(&str, Option<String>)],
    ) -> Result<T, ServiceError> {
        let given = query.iter().filter_map(|(name, value)| {
            let value = segment(value.as_ref()?);
            Some(format!("&{name}={value}"))
        });
        let given = given.collect::<String>().replacen('&', "?", 1);
        let path = path_of(&self.tenant, parts) + &given;
        self.client.get(&path)?.decode()
    }

    pub fn agent(&self, name: &str) -> Result<Option<Agent>, ServiceError> {
        match self.get(&[self.agents(), name], &[]) {
            Err(error @ ServiceError::NotFound(_)) if !error.names_an_organization() => Ok(None),
            found => Agent::of(found?).map(Some),
        }
    }

    /// Sends a change that must not be repeated once the service may have carried it out.
    pub fn send_once(
        &self,
        method: &Method,
        parts: &[&str],
        body: &Value,
    ) -> Result<Answer, Unconfirmed> {
        let path = path_of(&self.tenant, parts);
        let body = Body::plain(body);
        self.client
            .send(method, &path, Some(&body), Repeat::IfNotDone)
    }

    /// Makes a change. If the response doesn't confirm the change, `is_done` reports whether the change is visible.
    pub fn change(
        &self,
        method: &Method,
        parts: &[&str],
        body: Option<&Value>,
        change: &Unclear,
        is_done: impl FnOnce() -> Option<bool>,
    ) -> Result<(), Failure> {
        let repeat = match *method {
            Method::POST => Repeat::IfNotDone,
            _ => Repeat::Always,
        };
        let (path, body) = (path_of(&self.tenant, parts), body.map(Body::plain));
        let sent = self.client.send(method, &path, body.as_ref(), repeat);
        let confirmed = sent.and_then(decoded).and_then(|answer: Value| {
            let status = answer["status"].as_str().unwrap_or_default();
            let is_confirmed = ["OK", "terminated"].contains(&status);
            is_confirmed.then_some(()).ok_or_else(unclear)
        });
        confirmed.or_else(|unconfirmed| change.settle(unconfirmed, is_done))
    }

    /// Returns the rows of a list, which is the response's `member`.
    pub fn rows(
        &self,
        parts: &[&str],
        member: &str,
        query: &[(&str, Option<String>)],
    ) -> Result<Vec<Value>, ServiceError> {
        let list: Value = self.get(parts, query)?;
        let rows = list[member].as_array().cloned();
        rows.ok_or_else(|| ServiceError::InvalidResponse(format!("it has no `{member}`")))
    }

    /// Returns the lines of a build's log that are not empty, sanitized for display, and whether the service has more that it does not show.
    pub fn build_log(&self, id: &str) -> Result<(Vec<String>, bool), ServiceError> {
        let (mut lines, mut before, mut first): (Vec<String>, _, _) = (Vec::new(), None, None);
        let mut has_more = true;
        while has_more && lines.len() < 1_000_000 {
            let query = [
                ("limit", Some("10000".to_owned())),
                ("nextToken", before.clone()),
            ];
            let BuildLog { logs, next_token } = self.get(&["builds", id, "logs"], &query)?;
            // A service that does not take the token begins anew.
            if first.as_ref() == Some(&logs) {
                break;
            }
            lines.extend_from_slice(&logs);
            first = first.or(Some(logs));
            has_more = next_token.is_some() && next_token != before;
            before = next_token;
        }
        let shown = lines.iter().map(|line| short_line(line, 4000));
        let shown = shown.filter(|line| !line.trim().is_empty());
        Ok((shown.collect(), has_more))
    }

    /// Returns the region of new agents and sets.
    pub fn default_region(&self) -> Result<Option<String>, ServiceError> {
        let settings: Value = self.get(&["properties"], &[])?;
        let default = settings["properties"]["defaultRegion"].as_str();
        Ok(default.map(str::to_owned))
    }
}

/// Returns the error for a response that doesn't show whether the change was made.
pub fn unclear() -> Unconfirmed {
    Unconfirmed::under_way(ServiceError::NotConfirmed)
}

/// Decodes the response to a change. If decoding fails, the outcome of the change is unknown.
pub fn decoded<T: DeserializeOwned>(answer: Answer) -> Result<T, Unconfirmed> {
    answer.decode().map_err(Unconfirmed::under_way)
}

/// The wording for a change whose outcome may be unclear.
pub struct Unclear {
    /// The change in the past tense: "the agent `my-bot` was deleted".
    done: String,
    /// The command that shows the current state.
    look: String,
}

impl Unclear {
    pub const fn new(done: String, look: String) -> Self {
        Self { done, look }
    }

    /// Determines the outcome of an unconfirmed change. `is_done` reports whether the change is visible, or returns `None` if that can't be
    /// determined.
    pub fn settle(
        &self,
        Unconfirmed { error, reach }: Unconfirmed,
        is_done: impl FnOnce() -> Option<bool>,
    ) -> Result<(), Failure> {
        let failure = error.explain();
        let is_done = match reach {
            Reach::Nothing => Some(false),
            _ if error == ServiceError::Cancelled => None,
            Reach::Ended | Reach::UnderWay => is_done(),
        };
        match is_done {
            Some(true) => Ok(()),
            Some(false) if reach != Reach::UnderWay => Err(failure.outcome(ChangeState::NotDone)),
            Some(false) | None => Err(unknown(failure, &self.done, &self.look)),
        }
    }

    /// Returns the failure for an unconfirmed change whose outcome can't be checked.
    pub fn failure(&self, unconfirmed: Unconfirmed) -> Failure {
        let settled = self.settle(unconfirmed, || None);
        settled.err().unwrap_or_else(Failure::cancelled)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceBuild {
    pub id: String,
    pub status: String,
    pub region: Option<String>,
    pub error_message: Option<String>,
    context_hash: Option<String>,
    dockerfile_path: Option<String>,
}

impl ServiceBuild {
    /// Reports whether the build is usable and has this context hash, Dockerfile and region. A region that the service omits counts as a match.
    pub fn is_of(&self, hash: &str, dockerfile: &str, region: &str) -> bool {
        let own = self.dockerfile_path.as_deref().unwrap_or("Dockerfile");
        self.status == "success"
            && self.context_hash.as_deref() == Some(hash)
            && self.region.as_deref().is_none_or(|own| own == region)
            && own == dockerfile
    }
}

#[derive(Deserialize)]
pub struct OneBuild {
    pub build: ServiceBuild,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BuildLog {
    logs: Vec<String>,
    next_token: Option<String>,
}

#[derive(Debug, Default, Deserialize, Clone, PartialEq, Eq, Hash)]
#[serde(default, rename_all = "camelCase")]
pub struct LogLine {
    pub log: String,
    pub timestamp: String,
    pub deployment_id: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct LogLines {
    pub logs: Vec<LogLine>,
    pub total: Option<Total>,
}

/// The number of lines that a query selects.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Total {
    pub value: usize,
    /// "eq", unless the number is a lower bound.
    pub relation: String,
}

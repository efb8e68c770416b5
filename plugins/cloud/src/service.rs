//! The hosting service's resources other than secrets: agents, builds, sessions, logs and public keys.

pub mod agent;
pub mod upload;

use bot_cli_protocol::failure::{ChangeState, Failure};
use bot_cli_protocol::secret::Secret;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::backend::Explained;
use crate::backend::hosted::http::{Answer, Client, Reach, Repeat, Unconfirmed};
use crate::backend::hosted::wire::{Body, path};
use crate::backend::hosted::{ServiceError, Tenant};
use crate::words::unknown;
use agent::Agent;

/// A connection to the service for one account.
pub struct Service<'a> {
    pub client: Client<'a>,
    pub tenant: Tenant,
}

impl Service<'_> {
    pub fn is_user(&self) -> bool {
        matches!(self.tenant, Tenant::User(_))
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
        self.client.get(&self.address(parts, query))?.decode()
    }

    /// Returns an agent, or `None` if it doesn't exist.
    pub fn agent(&self, name: &str) -> Result<Option<Agent>, ServiceError> {
        self.agent_by(name, |path| self.client.get(path))
    }

    /// Like [`agent`](Self::agent), but does not retry the request.
    pub fn look(&self, name: &str) -> Result<Option<Agent>, ServiceError> {
        self.agent_by(name, |path| self.client.look(path))
    }

    fn agent_by(
        &self,
        name: &str,
        fetch: impl Fn(&str) -> Result<Answer, ServiceError>,
    ) -> Result<Option<Agent>, ServiceError> {
        match fetch(&self.tenant.path(&[self.agents(), name])) {
            Ok(answer) => Agent::of(answer.decode()?).map(Some),
            Err(error @ ServiceError::NotFound(_)) if error.names_an_organization() => Err(error),
            Err(ServiceError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sends a change that must not be repeated once the service may have carried it out.
    pub fn send_once(
        &self,
        method: &Method,
        parts: &[&str],
        body: &Value,
    ) -> Result<Answer, Unconfirmed> {
        let path = self.tenant.path(parts);
        let body = Body::plain(body);
        self.client
            .send(method, &path, Some(&body), Repeat::IfNotDone)
    }

    /// Deletes a resource. If the response doesn't confirm the deletion, `is_gone` checks whether the resource is gone.
    pub fn delete(
        &self,
        parts: &[&str],
        change: &Unclear,
        is_gone: impl FnOnce() -> Option<bool>,
    ) -> Result<(), Failure> {
        let path = self.tenant.path(parts);
        let delete = &Method::DELETE;
        let sent = self.client.send(delete, &path, None, Repeat::Always);
        let confirmed = sent.and_then(decoded).and_then(|answer: Value| {
            let status = answer["status"].as_str().unwrap_or_default();
            if ["OK", "terminated"].contains(&status) {
                return Ok(());
            }
            Err(unclear())
        });
        confirmed.or_else(|unconfirmed| change.settle(unconfirmed, is_gone))
    }

    /// Makes a change that the response can't confirm, because the response has no fixed format. `is_done` checks whether the change is
    /// visible.
    pub fn apply(
        &self,
        method: &Method,
        parts: &[&str],
        body: &Value,
        change: &Unclear,
        is_done: impl FnOnce() -> Option<bool>,
    ) -> Result<(), Failure> {
        let sent = self.send_once(method, parts, body);
        let sent = sent.and_then(|_| Err(unclear()));
        sent.or_else(|unconfirmed| change.settle(unconfirmed, is_done))
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

    fn address(&self, parts: &[&str], query: &[(&str, Option<String>)]) -> String {
        let mut address = self.tenant.path(parts);
        let given = query
            .iter()
            .filter_map(|(name, value)| Some((name, value.as_ref()?)));
        for (index, (name, value)) in given.enumerate() {
            let separator = if index == 0 { "?" } else { "&" };
            let value = utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
            address.extend([separator, name, "=", &value]);
        }
        address
    }

    /// Starts a session with an agent and returns the service's response. `client` must use a public key.
    pub fn start(
        client: &Client<'_>,
        agent: &str,
        body: &Value,
    ) -> Result<StartedSession, Unconfirmed> {
        let path = path(&["public", agent, "start"]);
        let body = Body::plain(body);
        let answer = client.send(&Method::POST, &path, Some(&body), Repeat::IfNotDone)?;
        let session: StartedSession = decoded(answer)?;
        if session.session_id.is_none() && session.daily_room.is_none() {
            return Err(unclear());
        }
        Ok(session)
    }
}

/// Returns the error for a response that doesn't show whether the change was made.
fn unclear() -> Unconfirmed {
    Unconfirmed::under_way(ServiceError::NotConfirmed)
}

/// Decodes the response to a change. If decoding fails, the outcome of the change is unknown.
pub fn decoded<T: DeserializeOwned>(answer: Answer) -> Result<T, Unconfirmed> {
    answer.decode().map_err(Unconfirmed::under_way)
}

/// The words for a change whose outcome may be unclear.
pub struct Unclear {
    /// The change in the past tense: "the agent `my-bot` was deleted".
    done: String,
    /// The command that shows the current state.
    look: String,
}

impl Unclear {
    pub fn new(done: impl Into<String>, look: String) -> Self {
        let done = done.into();
        Self { done, look }
    }

    /// Determines the outcome of an unconfirmed change. `is_done` looks whether the change is visible.
    pub fn settle(
        &self,
        Unconfirmed { error, reach }: Unconfirmed,
        is_done: impl FnOnce() -> Option<bool>,
    ) -> Result<(), Failure> {
        let is_cancelled = error == ServiceError::Cancelled;
        let failure = error.explain();
        if reach == Reach::Nothing {
            return Err(failure.outcome(ChangeState::NotDone));
        }
        if is_cancelled {
            return Err(self.unknown(failure));
        }
        match is_done() {
            Some(true) => Ok(()),
            Some(false) if reach == Reach::Ended => Err(failure.outcome(ChangeState::NotDone)),
            Some(false) | None => Err(self.unknown(failure)),
        }
    }

    /// Returns the failure for an unconfirmed change that nothing shows.
    pub fn failure(&self, unconfirmed: Unconfirmed) -> Failure {
        let settled = self.settle(unconfirmed, || None);
        settled.err().unwrap_or_else(Failure::cancelled)
    }

    pub fn unknown(&self, failure: Failure) -> Failure {
        unknown(failure, &self.done, &self.look)
    }
}

/// The response to a request that starts a session.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StartedSession {
    pub session_id: Option<String>,
    pub daily_room: Option<String>,
    pub daily_token: Option<Secret>,
}

/// An organization's public key, which authorizes a client to start sessions.
#[derive(Deserialize)]
pub struct PublicKey {
    pub id: String,
    pub key: Secret,
}

/// An image build.
#[derive(Deserialize, Clone)]
#[serde(rename_all = "camelCase")]
pub struct Build {
    pub id: String,
    pub status: String,
    pub region: Option<String>,
    pub error_message: Option<String>,
    context_hash: Option<String>,
    dockerfile_path: Option<String>,
}

impl Build {
    pub fn is_over(&self) -> bool {
        matches!(self.status.as_str(), "success" | "failed" | "timeout")
    }

    /// Reports whether the build has this context hash, Dockerfile and region. A hash or region that the service omits counts as a match.
    pub fn is_of(&self, hash: &str, dockerfile: &str, region: &str) -> bool {
        let is =
            |own: &Option<String>, wanted: &str| own.as_deref().is_none_or(|own| own == wanted);
        let own = self.dockerfile_path.as_deref().unwrap_or("Dockerfile");
        is(&self.context_hash, hash) && is(&self.region, region) && own == dockerfile
    }

    pub fn is_usable(&self) -> bool {
        self.status == "success"
    }
}

/// A response that contains one build.
#[derive(Deserialize)]
pub struct OneBuild {
    pub build: Build,
    #[serde(default)]
    pub cached: bool,
}

/// The log of a build. Each line is a text, or an object with a message.
#[derive(Deserialize)]
pub struct BuildLog {
    logs: Vec<Value>,
}

impl BuildLog {
    pub fn lines(self) -> Vec<String> {
        let text = |line: &Value| {
            let message = line.as_str().or(line["message"].as_str());
            message.or(line["log"].as_str()).map(str::to_owned)
        };
        let lines = self.logs.iter().map(|line| text(line).unwrap_or_default());
        lines
            .map(|line| line.trim_end().to_owned())
            .filter(|line| !line.is_empty())
            .collect()
    }
}

/// A line of an agent's log.
#[derive(Debug, Deserialize, Clone, PartialEq, Eq, Hash)]
#[serde(rename_all = "camelCase")]
pub struct LogLine {
    pub log: String,
    pub timestamp: String,
    pub deployment_id: Option<String>,
}

/// Lines of an agent's log.
#[derive(Deserialize)]
pub struct LogLines {
    #[serde(default)]
    pub logs: Vec<LogLine>,
    pub total: Option<Total>,
}

/// The number of matching lines.
#[derive(Deserialize)]
pub struct Total {
    pub value: usize,
    /// `gte` if `value` is only a lower bound.
    #[serde(default)]
    pub relation: String,
}

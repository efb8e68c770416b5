//! Agents and their deployments, stored as the JSON documents that the service returns. The methods read only the members that this plugin needs.

use serde_json::Value;

use crate::backend::hosted::ServiceError;
use crate::deploy::table::{Values, of_agent};

/// An agent: a deployed bot.
#[derive(Debug, Clone)]
pub struct Agent(Value);

/// A version of an agent that is running or starting.
#[derive(Debug, Clone, Copy)]
pub struct Revision<'a>(&'a Value);

impl Agent {
    /// Decodes an agent, which may be wrapped in a `body` member.
    pub fn of(mut document: Value) -> Result<Self, ServiceError> {
        if document["body"].is_object() {
            document = document["body"].take();
        }
        if document["name"].is_string() {
            return Ok(Self(document));
        }
        let what = "it does not describe an agent".to_owned();
        Err(ServiceError::InvalidResponse(what))
    }

    pub fn text(&self, member: &str) -> Option<&str> {
        self.0[member].as_str()
    }

    pub fn sessions(&self) -> Option<u64> {
        self.0["activeSessionCount"].as_u64()
    }

    /// Returns the ID of the deployment that should be running.
    pub fn desired(&self) -> Option<&str> {
        let desired = self.text("desiredDeploymentId");
        desired.or_else(|| self.text("activeDeploymentId"))
    }

    /// Reports whether an agent was created, deployed again or deleted between two reads.
    pub fn has_changed(before: Option<&Self>, after: Option<&Self>) -> bool {
        let desired = |agent: Option<&Self>| agent.and_then(Self::desired).map(str::to_owned);
        before.is_some() != after.is_some() || desired(before) != desired(after)
    }

    /// Reports whether the service has started to roll out the desired deployment.
    pub fn is_taken_up(&self) -> bool {
        self.desired().is_some() && self.text("reconciledDeploymentId") == self.desired()
    }

    /// Reports whether the agent accepts sessions, possibly with an earlier deployment.
    pub fn is_available(&self) -> bool {
        let available = self.0["available"].as_bool();
        available.or(self.0["ready"].as_bool()).unwrap_or(false)
    }

    /// Reports whether the desired deployment has been rolled out completely.
    pub fn is_ready(&self) -> bool {
        let ready = ["ready", "activeDeploymentReady"].map(|member| self.0[member].as_bool());
        self.is_taken_up() && self.is_available() && ready[0].or(ready[1]) == Some(true)
    }

    /// Returns a note that the previous deployment still accepts sessions, or an empty string if it doesn't.
    pub fn still_serves(&self) -> &'static str {
        if !self.is_ready() && self.is_available() && self.0["previousRevision"].is_object() {
            "; the version before still serves"
        } else {
            ""
        }
    }

    /// Returns the ID of the deployment before the desired one, while it still runs.
    pub fn previous(&self) -> Option<&str> {
        self.0["previousRevision"]["deploymentID"].as_str()
    }

    pub fn revision(&self) -> Option<Revision<'_>> {
        Some(&self.0["currentRevision"])
            .filter(|it| it.is_object())
            .map(Revision)
    }

    /// Returns the revision of the desired deployment, if the service has started the rollout.
    pub fn newest_revision(&self) -> Option<Revision<'_>> {
        let revision = self.revision()?;
        let of = revision.0["deploymentID"].as_str();
        (self.is_taken_up() && (of.is_none() || of == self.desired())).then_some(revision)
    }

    /// Returns the message and the code of the first error that the service reports.
    pub fn error(&self) -> Option<String> {
        let error = self.0["errors"].get(0)?;
        let message = error["message"].as_str().or(error["error"].as_str());
        let message = message.unwrap_or("unknown error");
        Some(match error["code"].as_str() {
            Some(code) => format!("{message} ({code})"),
            None => message.to_owned(),
        })
    }

    /// Returns the settings of the desired deployment, as far as the service shows them.
    pub fn settings(&self) -> Values {
        of_agent(&self.0)
    }
}

impl Revision<'_> {
    /// Describes the revision, for example "Progressing, 0 agents ready".
    pub fn words(self) -> String {
        let phase = self.0["phase"].as_str().unwrap_or("unknown phase");
        match self.0["readyReplicas"].as_u64() {
            Some(ready) => format!("{phase}, {} ready", count(ready, "agent")),
            None => phase.to_owned(),
        }
    }

    fn restarts(self) -> u64 {
        self.0["health"]["restartCount"].as_u64().unwrap_or(0)
    }

    pub fn problem(self) -> Option<String> {
        if self.0["hasInfrastructureIssue"] == true {
            return Some("the service has a problem with its own infrastructure".to_owned());
        }
        let (health, restarts) = (&self.0["health"], self.restarts());
        if health["ready"] == true && restarts == 0 {
            return None;
        }
        let words = ["headline", "reason", "message"];
        let words = words.iter().find_map(|member| health[*member].as_str())?;
        let code = health["lastExitCode"].as_i64();
        let code = code.map(|code| format!("exit code {code}"));
        let restarts = (restarts > 0).then(|| count(restarts, "restart"));
        let more: Vec<String> = code.into_iter().chain(restarts).collect();
        Some(if more.is_empty() {
            words.to_owned()
        } else {
            format!("{words} ({})", more.join(", "))
        })
    }

    /// Reports whether the bot has restarted several times, or Kubernetes can't pull the image or start the container.
    pub fn fails(self) -> bool {
        let health = &self.0["health"];
        let reason = health["reason"].as_str().unwrap_or_default();
        let is_stuck = STUCK.iter().any(|end| reason.ends_with(end));
        health["ready"] != true && (self.restarts() >= 3 || is_stuck)
    }
}

fn count(number: u64, noun: &str) -> String {
    bot_cli_protocol::wording::count(usize::try_from(number).unwrap_or(usize::MAX), noun)
}

/// The endings of the reasons that Kubernetes reports for a container that it can't start.
const STUCK: [&str; 4] = [
    "ImagePullBackOff",
    "ConfigError",
    "ContainerError",
    "InvalidImageName",
];

//! Agents, with their deployments, sessions and logs.

use serde_json::{Map, Value, json};

use super::clock::Counted;

/// The length and outcome of a deployment's rollout.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rollout {
    /// The number of reads of the agent before the rollout ends. The first of these reads shows no progress.
    pub pending_reads: u32,
    /// The outcome of the rollout.
    pub end: RolloutEnd,
}

/// The outcome of a rollout.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RolloutEnd {
    /// The deployment becomes ready.
    #[default]
    Ready,
    /// The program crashes after every start. These lines are added to the agent's log.
    CrashLoop { logs: Vec<String> },
    /// The service refuses to run the deployment and reports this error.
    Refused { code: String, message: String },
    /// No machine is available for the deployment.
    NoCapacity,
    /// The rollout stays in progress forever.
    Never,
}

#[derive(Debug, Clone)]
pub(super) struct Agent {
    pub(super) id: String,
    pub(super) region: String,
    pub(super) created: i64,
    pub(super) desired: Deployment,
    /// The earlier deployments, oldest first.
    pub(super) earlier: Vec<Deployment>,
    /// The ID of the deployment that serves new sessions, or `None` if none was ever ready.
    pub(super) serving: Option<String>,
    pub(super) sessions: Vec<Session>,
    pub(super) logs: Vec<Line>,
}

#[derive(Debug, Clone)]
pub(super) struct Deployment {
    pub(super) id: String,
    /// The members of the request, including the default values.
    pub(super) wanted: Value,
    pub(super) created: i64,
    pub(super) stage: Stage,
    pub(super) rollout: Rollout,
}

/// The progress of a rollout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// The service has not started the rollout.
    Waiting,
    Progressing,
    Ended,
}

#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) deployment: String,
    pub(super) created: i64,
    pub(super) ended: Option<i64>,
    pub(super) is_cold: bool,
}

#[derive(Debug, Clone)]
pub(super) struct PublicKey {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) key: String,
    pub(super) created: i64,
    pub(super) is_revoked: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Line {
    /// The time in milliseconds since the epoch.
    pub(super) time: i64,
    pub(super) text: String,
    pub(super) deployment: String,
    pub(super) session: Option<String>,
}

/// Returns the members of a request, with the service's defaults for missing members.
pub(super) fn complete(body: &Value) -> Value {
    let mut wanted = json!({
        "autoScaling": {"minAgents": 0, "maxAgents": 50},
        "krispViva": {"audioFilter": null},
    });
    if body["resources"].is_null() {
        wanted["agentProfile"] = json!("agent-1x");
    }
    merged(&wanted, body)
}

/// Returns `before`, updated with the members of a request. A new member also removes its alternatives: `image` removes `buildId`, for
/// example.
pub(super) fn merged(before: &Value, body: &Value) -> Value {
    let mut wanted: Map<String, Value> = before.as_object().cloned().unwrap_or_default();
    for (name, value) in body.as_object().into_iter().flatten() {
        let displaced: &[&str] = match name.as_str() {
            _ if value.is_null() => continue,
            "serviceName" | "region" | "forceRedeploy" => continue,
            "image" => &["buildId", "git"],
            "buildId" => &["image", "git"],
            "agentProfile" => &["resources"],
            "resources" => &["agentProfile"],
            _ => &[],
        };
        wanted.retain(|other, _| !displaced.contains(&other.as_str()));
        match (wanted.get_mut(name), value) {
            (Some(Value::Object(before)), Value::Object(new)) => before.extend(new.clone()),
            _ => drop(wanted.insert(name.clone(), value.clone())),
        }
    }
    wanted.into()
}

impl Agent {
    pub(super) fn new(
        counted: &mut Counted,
        region: &str,
        wanted: Value,
        rollout: Rollout,
    ) -> Self {
        let id = counted.id();
        let desired = Deployment::new(counted, wanted, rollout);
        Self {
            id,
            region: region.to_owned(),
            created: desired.created,
            desired,
            earlier: Vec::new(),
            serving: None,
            sessions: Vec::new(),
            logs: Vec::new(),
        }
    }

    /// Advances the rollout by one step. Returns the stage that this read shows.
    pub(super) fn read(&mut self, counted: &mut Counted) -> Stage {
        let desired = &mut self.desired;
        if desired.stage == Stage::Ended {
            return Stage::Ended;
        }
        if desired.rollout.pending_reads > 0 {
            desired.rollout.pending_reads -= 1;
            return std::mem::replace(&mut desired.stage, Stage::Progressing);
        }
        desired.stage = Stage::Ended;
        if desired.rollout.end == RolloutEnd::Ready {
            self.serving = Some(desired.id.clone());
        }
        if let RolloutEnd::CrashLoop { logs } = &desired.rollout.end {
            let time = counted.now();
            let line = |text: &String| Line {
                time,
                text: text.clone(),
                deployment: desired.id.clone(),
                session: None,
            };
            self.logs.extend(logs.iter().map(line));
        }
        Stage::Ended
    }

    /// Returns the sessions that have not ended.
    pub(super) fn active(&self) -> impl DoubleEndedIterator<Item = &Session> {
        self.sessions.iter().filter(|one| one.ended.is_none())
    }

    /// Returns the ID of the deployment that the service reports as reconciled at `stage`.
    pub(super) fn reconciled(&self, stage: Stage) -> Option<&str> {
        match stage {
            Stage::Waiting => self.earlier.last().map(|before| before.id.as_str()),
            Stage::Progressing | Stage::Ended => Some(&self.desired.id),
        }
    }

    /// Starts a session and returns its ID, or `None` if the agent is at capacity.
    pub(super) fn start(&mut self, counted: &mut Counted) -> Option<String> {
        let active = u64::try_from(self.active().count()).ok()?;
        let scaling = &self.desired.wanted["autoScaling"];
        if active >= scaling["maxAgents"].as_u64()? {
            return None;
        }
        let id = counted.id();
        self.sessions.push(Session {
            id: id.clone(),
            deployment: self.serving.as_ref().unwrap_or(&self.desired.id).clone(),
            created: counted.now(),
            ended: None,
            is_cold: active >= scaling["minAgents"].as_u64()?,
        });
        Some(id)
    }
}

impl Deployment {
    pub(super) fn new(counted: &mut Counted, wanted: Value, rollout: Rollout) -> Self {
        Self {
            id: counted.id(),
            wanted,
            created: counted.now(),
            stage: Stage::Waiting,
            rollout,
        }
    }

    pub(super) fn spec(&self) -> Value {
        let wanted = &self.wanted;
        let mut spec = json!({
            "dailyNodeType": "arm",
            "autoScaling": scaling(wanted),
            "resources": resources(wanted),
            "krispViva": {"audioFilters": !wanted["krispViva"]["audioFilter"].is_null()},
        });
        for (member, name) in [
            ("image", "image"),
            ("imagePullSecretSet", "imagePullSecretName"),
            ("maxSessionDuration", "maxSessionDurationSeconds"),
            ("architecture", "arch"),
            ("websocketAuth", "websocketAuth"),
        ] {
            if !wanted[member].is_null() {
                spec[name] = wanted[member].clone();
            }
        }
        if let Some(set) = wanted["secretSet"].as_str() {
            spec["envFromSecretNames"] = json!([set]);
        }
        spec
    }
}

impl PublicKey {
    pub(super) fn new(counted: &mut Counted, name: &str) -> Self {
        let id = counted.id();
        Self {
            // No part of it may occur in other texts.
            key: format!("pk_publickey{}", &id[id.len() - 4..]),
            id,
            name: name.to_owned(),
            created: counted.now(),
            is_revoked: false,
        }
    }
}

pub(super) fn scaling(wanted: &Value) -> Value {
    let scaling = &wanted["autoScaling"];
    json!({"minReplicas": scaling["minAgents"], "maxReplicas": scaling["maxAgents"]})
}

pub(super) fn resources(wanted: &Value) -> Value {
    match wanted["agentProfile"].as_str() {
        Some("agent-3x") => json!({"cpu": "1500m", "memory": "3Gi"}),
        Some("agent-2x") => json!({"cpu": "1", "memory": "2Gi"}),
        Some(_) => json!({"cpu": "500m", "memory": "1Gi"}),
        None => wanted["resources"].clone(),
    }
}

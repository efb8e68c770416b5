//! JSON documents that describe agents.

use serde_json::{Value, json};

use super::agents::{Agent, Deployment, RolloutEnd, Stage, resources, scaling};
use super::clock::timestamp;

impl Agent {
    /// Returns the agent's entry in a list.
    pub(super) fn row(&self, name: &str, organization: &str) -> Value {
        json!({
            "id": self.id,
            "name": name,
            "region": self.region,
            "organizationId": organization,
            "desiredDeploymentId": self.desired.id,
            "activeDeploymentId": self.desired.id,
            "reconciledDeploymentId": self.reconciled(self.desired.stage),
            "createdAt": timestamp(self.created),
            "updatedAt": timestamp(self.desired.created),
            "deletedAt": null,
        })
    }

    /// Returns the agent's details at `stage`.
    pub(super) fn document(&self, name: &str, stage: Stage) -> Value {
        let desired = &self.desired;
        let wanted = &desired.wanted;
        let reconciled = self.reconciled(stage);
        // Before the service has taken up a deployment, it speaks of the one before.
        let ready = self.serving.is_some() && self.serving.as_deref() == reconciled;
        let mut document = json!({
            "name": name,
            "region": self.region,
            "ready": ready,
            "available": self.serving.is_some(),
            "createdAt": timestamp(self.created),
            "updatedAt": timestamp(desired.created),
            "desiredDeploymentId": desired.id,
            "activeDeploymentId": desired.id,
            "reconciledDeploymentId": reconciled,
            "activeDeploymentReady": ready,
            "autoScaling": scaling(wanted),
            "activeSessionCount": self.active().count(),
            "deployment": desired.document(name, self),
            "agentProfile": wanted["agentProfile"],
            "resources": resources(wanted),
            "krispViva": wanted["krispViva"],
            "git": wanted["git"],
        });
        add_rollout(&mut document, self, stage);
        document
    }
}

impl Deployment {
    pub(super) fn document(&self, name: &str, agent: &Agent) -> Value {
        let mut document = json!({
            "id": self.id,
            "manifest": {
                "apiVersion": "pipecatcloud.daily.co/v1",
                "kind": "PCService",
                "metadata": {"name": name, "namespace": "calm-heron-7"},
                "spec": self.spec(),
            },
            "serviceId": agent.id,
            "createdAt": timestamp(self.created),
            "updatedAt": timestamp(self.created),
        });
        if let Some(build) = self.wanted["buildId"].as_str() {
            document["buildId"] = json!(build);
            document["manifest"]["spec"]["image"] = json!("redacted");
        }
        document
    }
}

/// Adds the revisions, conditions and errors at `stage`.
fn add_rollout(document: &mut Value, agent: &Agent, stage: Stage) {
    let desired = &agent.desired;
    let mut earlier = agent.earlier.iter();
    let old = earlier.find(|one| agent.serving.as_ref() == Some(&one.id));
    let old = old.map(|old| revision(&old.id, old.created));
    if stage == Stage::Waiting {
        document["conditions"] = json!([]);
        document["currentRevision"] = json!(old);
        document["previousRevision"] = Value::Null;
        return;
    }
    let mut current = revision(&desired.id, desired.created);
    let is_ready = stage == Stage::Ended && desired.rollout.end == RolloutEnd::Ready;
    if !is_ready {
        current["phase"] = json!("Validating");
        current["readyReplicas"] = json!(0);
        current["health"] =
            json!({"ready": false, "state": "waiting", "restartCount": 0, "replicasStarted": 0});
    }
    let mut degraded = json!({"type": "Degraded", "status": "False"});
    let mut is_progressing = !is_ready;
    match (stage == Stage::Ended).then_some(&desired.rollout.end) {
        None | Some(RolloutEnd::Ready | RolloutEnd::Never) => {}
        Some(RolloutEnd::CrashLoop { logs }) => {
            let headline = "The agent keeps crashing";
            current["health"] = crashed(logs, headline);
            degraded = json!({"type": "Degraded", "status": "True", "reason": "CrashLoopBackOff", "message": headline});
        }
        Some(RolloutEnd::Refused { code, message }) => {
            is_progressing = false;
            current["phase"] = json!("Failed");
            degraded =
                json!({"type": "Degraded", "status": "True", "reason": code, "message": message});
            document["errors"] = json!([{"code": code, "message": message}]);
        }
        Some(RolloutEnd::NoCapacity) => {
            current["phase"] = json!("Creating");
            current["hasInfrastructureIssue"] = json!(true);
        }
    }
    let progressing = if is_progressing { "True" } else { "False" };
    document["conditions"] = json!([{"type": "Progressing", "status": progressing}, degraded]);
    document["currentRevision"] = current;
    document["previousRevision"] = json!(old);
}

/// Returns a healthy, active revision.
fn revision(id: &str, since: i64) -> Value {
    json!({
        "deploymentID": id,
        "phase": "Active",
        "readyReplicas": 1,
        "phaseStartedAt": timestamp(since),
        "health": {"ready": true, "state": "running", "restartCount": 0, "replicasStarted": 1},
    })
}

fn crashed(logs: &[String], headline: &str) -> Value {
    json!({
        "ready": false,
        "state": "waiting",
        "restartCount": 3,
        "replicasStarted": 1,
        "reason": "CrashLoopBackOff",
        "headline": headline,
        "lastTerminationReason": "Error",
        "lastExitCode": 1,
        "message": logs.join("\n"),
    })
}

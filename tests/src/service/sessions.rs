//! Handles requests about agent sessions, and about the public keys that clients start sessions with.

use serde_json::{Value, json};

use super::agents::{Agent, PublicKey, Session};
use super::clock::timestamp;
use super::message::{Call, Family, Reply, in_organization, require};
use super::secrets::deleted;
use super::world::{Sent, World};

pub(super) fn start(request: &Sent, world: &mut World, name: &str) -> Result<Reply, Reply> {
    let token = request.headers.get("authorization");
    let token = token.and_then(|token| token.strip_prefix("Bearer "));
    let owner = world.organizations.iter().find(|organization| {
        let mut keys = organization.keys.iter();
        keys.any(|key| !key.is_revoked && Some(key.key.as_str()) == token)
    });
    let owner = owner.ok_or_else(|| Reply::error(401, "Unauthorized", "UNAUTHORIZED"))?;
    let owner = owner.name.clone();
    let call = Call {
        request,
        family: Family::Published,
        organization: &owner,
    };
    let members = "createDailyRoom body dailyRoomProperties dailyMeetingTokenProperties enableDefaultIceServers transport";
    let body = call.body(members, &mut world.unknown_members);
    let (agent, counted) = world.agent(call, name)?;
    let id = agent
        .start(counted)
        .ok_or_else(|| Reply::error(429, "Agent is at capacity", "PCC-AGENT-AT-CAPACITY"))?;
    let mut answer = json!({"sessionId": id});
    if body["createDailyRoom"] == true {
        answer["dailyRoom"] = json!(format!("https://rooms.example.com/{id}"));
        answer["dailyToken"] = json!(format!("room-token-{id}"));
    }
    Ok(answer.into())
}

pub(super) fn list(call: Call<'_>, world: &mut World, name: &str) -> Result<Reply, Reply> {
    let (agent, _) = world.agent(call, name)?;
    let status = call.query("status").unwrap_or_else(|| "all".to_owned());
    let is_known = ["all", "active", "ended"].contains(&status.as_str());
    require(is_known, "Invalid parameters")?;
    let is_meant = |session: &&Session| {
        (status == "all" || (status == "active") == session.ended.is_none())
            && call.is_or_any("deploymentId", &session.deployment)
    };
    let newest_first = agent.sessions.iter().rev();
    let sessions: Vec<&Session> = newest_first.filter(is_meant).collect();
    let total = sessions.len();
    let page = call.page(sessions, 10)?.into_iter();
    let page: Vec<Value> = page.map(|session| session.document(call, agent)).collect();
    Ok(json!({"sessions": page, "total_count": total}).into())
}

pub(super) fn get(call: Call<'_>, world: &mut World, name: &str, id: &str) -> Result<Reply, Reply> {
    let (agent, _) = world.agent(call, name)?;
    let session = agent.sessions.iter().find(|session| session.id == id);
    let mut document = session.ok_or_else(Reply::not_found)?.document(call, agent);
    document["resourceMetrics"] = Value::Null;
    document["meetingIds"] = json!([]);
    Ok(document.into())
}

pub(super) fn end(call: Call<'_>, world: &mut World, name: &str, id: &str) -> Result<Reply, Reply> {
    let (agent, counted) = world.agent(call, name)?;
    let mut sessions = agent.sessions.iter_mut();
    let session = sessions.find(|session| session.id == id);
    let session = session.ok_or_else(Reply::not_found)?;
    require(session.ended.is_none(), "Session is not active")?;
    session.ended = Some(counted.now());
    Ok(json!({"status": "terminated", "session_id": id}).into())
}

pub(super) fn keys(call: Call<'_>, world: &mut World) -> Result<Reply, Reply> {
    let organization = in_organization(&mut world.organizations, call.organization)?;
    let keys: Vec<Value> = organization.keys.iter().map(PublicKey::document).collect();
    Ok(json!({"public": keys}).into())
}

pub(super) fn create_key(call: Call<'_>, world: &mut World) -> Result<Reply, Reply> {
    let body = call.body("name type", &mut world.unknown_members);
    let organization = in_organization(&mut world.organizations, call.organization)?;
    let name = body["name"].as_str().unwrap_or_default();
    let is_sound = !name.is_empty() && body["type"] == "public";
    require(is_sound, "Invalid parameters")?;
    let key = PublicKey::new(&mut world.counted, name);
    let document = key.document();
    organization.keys.push(key);
    Ok(document.into())
}

/// Revokes a public key. A revoked key stays in the list.
pub(super) fn revoke_key(call: Call<'_>, world: &mut World, id: &str) -> Result<Reply, Reply> {
    let organization = in_organization(&mut world.organizations, call.organization)?;
    let key = organization.keys.iter_mut().find(|key| key.id == id);
    key.ok_or_else(Reply::not_found)?.is_revoked = true;
    Ok(deleted(world))
}

impl Session {
    fn document(&self, call: Call<'_>, agent: &Agent) -> Value {
        json!({
            "sessionId": self.id,
            "serviceId": agent.id,
            "organizationId": call.organization,
            "deploymentId": self.deployment,
            "endedAt": self.ended.map(timestamp),
            "botStartSeconds": if self.is_cold { 2 } else { 0 },
            "coldStart": self.is_cold,
            "completionStatus": self.ended.map(|_| "HTTP_COMPLETED"),
            "createdAt": timestamp(self.created),
            "updatedAt": timestamp(self.ended.unwrap_or(self.created)),
        })
    }
}

impl PublicKey {
    fn document(&self) -> Value {
        json!({
            "id": self.id,
            "key": self.key,
            "type": "public",
            "metadata": {"name": self.name},
            "createdAt": timestamp(self.created),
            "revoked": self.is_revoked,
        })
    }
}

//! Handles requests about agents and their deployments.

use serde_json::{Value, json};

use super::agents::{Agent, Deployment, Stage, complete, merged};
use super::message::{Call, Family, Reply, in_organization, require};
use super::secrets::deleted;
use super::world::{Content, Organization, World};

/// The members of requests to create or update an agent.
const MEMBERS: &str = "serviceName image buildId region nodeType imagePullSecretSet secretSet autoScaling.minAgents \
    autoScaling.maxAgents agentProfile krispViva.audioFilter maxSessionDuration forceRedeploy";

/// The members that only the paths of organizations have. Those of private keys drop them.
const MORE: &str = "resources.cpu resources.memory websocketAuth architecture";

/// Returns the members of a request that its path has.
fn members(family: Family, more: &str) -> String {
    match family {
        Family::Organization => format!("{MEMBERS} {MORE} {more}"),
        Family::Published => MEMBERS.to_owned(),
    }
}

pub(super) fn create(call: Call<'_>, world: &mut World) -> Result<Reply, Reply> {
    let mut body = call.body(&members(call.family, "git"), &mut world.unknown_members);
    body[world.drops].take();
    let organization = in_organization(&mut world.organizations, call.organization)?;
    let name = body["serviceName"].as_str().unwrap_or_default();
    require(is_name(name), "Invalid parameters")?;
    let is_new = !organization.agents.contains_key(name);
    require(is_new, "Service already exists")?;
    let region = body["region"].as_str();
    let region = region.unwrap_or_else(|| organization.default_region());
    let is_own = world.self_hosted_regions.iter().any(|own| own == region);
    require(
        is_own || organization.has_region(region),
        "Invalid region or organization does not have access",
    )?;
    require(
        sources(&body) > 0,
        "Either image or buildId is required for service creation",
    )?;
    let wanted = complete(&body);
    check(&wanted, &body, is_own)?;
    check_names(&body, organization, region, "will be created")?;
    let rollout = world.rollout.clone();
    let agent = Agent::new(&mut world.counted, region, wanted, rollout);
    let document = agent.document(name, Stage::Waiting);
    organization.agents.insert(name.to_owned(), agent);
    Ok(document.into())
}

/// Updates an agent. Members missing from the request keep their values.
pub(super) fn update(
    call: Call<'_>,
    world: &mut World,
    name: Option<&str>,
) -> Result<Reply, Reply> {
    let mut body = call.body(&members(call.family, ""), &mut world.unknown_members);
    body[world.drops].take();
    let rollout = world.rollout.clone();
    let organization = in_organization(&mut world.organizations, call.organization)?;
    let name = name.or(body["serviceName"].as_str()).unwrap_or_default();
    let there = organization.agents.get(name);
    let there = there.ok_or_else(|| Reply::error(404, "Service not found", "NOT_FOUND"))?;
    let region = there.region.as_str();
    require(
        body["region"].as_str().is_none_or(|other| other == region),
        &format!("Service is in region '{region}'. Its region cannot be changed."),
    )?;
    let wanted = merged(&there.desired.wanted, &body);
    let is_own = world.self_hosted_regions.iter().any(|own| own == region);
    check(&wanted, &body, is_own)?;
    check_names(&body, organization, region, "is")?;
    let (agent, counted) = world.agent(call, name)?;
    let is_unchanged = agent.desired.wanted == wanted && body["forceRedeploy"] != true;
    if is_unchanged {
        let mut document = agent.document(name, agent.desired.stage);
        document["warning"] = json!("The configuration is the same.");
        return Ok(document.into());
    }
    let next = Deployment::new(counted, wanted, rollout);
    let before = std::mem::replace(&mut agent.desired, next);
    agent.earlier.push(before);
    Ok(agent.document(name, Stage::Waiting).into())
}

/// Advances an agent's rollout by one step and returns the agent's details.
pub(super) fn get(call: Call<'_>, world: &mut World, name: &str) -> Result<Reply, Reply> {
    let (agent, counted) = world.agent(call, name)?;
    let stage = agent.read(counted);
    let mut document = agent.document(name, stage);
    if world.shows_little {
        hide(&mut document["deployment"]);
    }
    Ok(match call.family {
        Family::Organization => json!({"body": document}).into(),
        Family::Published => document.into(),
    })
}

pub(super) fn list(call: Call<'_>, world: &mut World) -> Result<Reply, Reply> {
    let organization = in_organization(&mut world.organizations, call.organization)?;
    let agents = organization.agents.iter();
    let rows: Vec<Value> = agents
        .filter(|(_, agent)| call.is_or_any("region", &agent.region))
        .map(|(name, agent)| {
            let mut row = agent.row(name, call.organization);
            if call.query("includeActiveDeployment").as_deref() == Some("true") {
                row["deployment"] = agent.desired.document(name, agent);
            }
            row
        })
        .collect();
    Ok(json!({"services": rows}).into())
}

pub(super) fn deployments(call: Call<'_>, world: &mut World, name: &str) -> Result<Reply, Reply> {
    let (agent, _) = world.agent(call, name)?;
    let newest_first = std::iter::once(&agent.desired).chain(agent.earlier.iter().rev());
    let mut deployments: Vec<Value> = newest_first.map(|one| one.document(name, agent)).collect();
    if world.shows_little {
        deployments.iter_mut().for_each(hide);
    }
    Ok(json!({"deployments": deployments}).into())
}

/// Removes what the published description of a deployment does not name.
fn hide(deployment: &mut Value) {
    let members = deployment.as_object_mut();
    members.map(|members| members.remove("buildId"));
    let mut spec = deployment["manifest"]["spec"].as_object_mut();
    for name in ["arch", "websocketAuth"] {
        spec.as_mut().map(|spec| spec.remove(name));
    }
}

pub(super) fn delete(call: Call<'_>, world: &mut World, name: &str) -> Result<Reply, Reply> {
    let organization = in_organization(&mut world.organizations, call.organization)?;
    organization
        .agents
        .remove(name)
        .ok_or_else(Reply::not_found)?;
    Ok(deleted(world))
}

fn is_name(name: &str) -> bool {
    let is_sound = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (2..=54).contains(&name.len())
        && !name.starts_with('-')
        && !name.ends_with('-')
        && name.bytes().all(is_sound)
}

/// Returns the number of image sources in a request. More than one is an error.
fn sources(body: &Value) -> usize {
    let sources = ["image", "buildId", "git"].into_iter();
    sources.filter(|source| !body[source].is_null()).count()
}

/// Checks the values in a request. Self-hosted regions also allow custom resources and profiles.
fn check(wanted: &Value, body: &Value, is_own_region: bool) -> Result<(), Reply> {
    let one_of = |member: &Value, values: &[&str]| {
        member.is_null() || member.as_str().is_some_and(|value| values.contains(&value))
    };
    let scaling = &wanted["autoScaling"];
    let (min, max) = (scaling["minAgents"].as_u64(), scaling["maxAgents"].as_u64());
    let duration = &wanted["maxSessionDuration"];
    let seconds = duration.as_u64().or(duration.is_null().then_some(60));
    let profiles = ["agent-1x", "agent-2x", "agent-3x"];
    let is_sound = (body["agentProfile"].is_null() || body["resources"].is_null())
        && (is_own_region || wanted["resources"].is_null())
        && (is_own_region || one_of(&wanted["agentProfile"], &profiles))
        && min.is_some_and(|min| max.is_some_and(|max| max > 0 && min <= max))
        && seconds.is_some_and(|seconds| (60..=14_400).contains(&seconds))
        && one_of(&wanted["architecture"], &["amd64", "arm64"])
        && one_of(&wanted["websocketAuth"], &["none", "token"])
        && one_of(&wanted["krispViva"]["audioFilter"], &["tel", "pro"]);
    require(is_sound, "Invalid parameters")
}

/// Checks the build and the secret sets that a request refers to. `verb` is part of the error messages, as in `service is in region`.
fn check_names(
    body: &Value,
    organization: &Organization,
    region: &str,
    verb: &str,
) -> Result<(), Reply> {
    require(
        sources(body) < 2,
        "Cannot specify both image and buildId. Use one or the other.",
    )?;
    if !body["buildId"].is_null() {
        let mut builds = organization.builds.iter();
        let build = builds.find(|build| body["buildId"] == build.id.as_str());
        let build = build.ok_or_else(|| Reply::bad_request("Build not found"))?;
        let (there, status) = (&build.region, build.status());
        require(
            there == region,
            &format!(
                "Build is in region '{there}' but service is in region '{region}'. Builds must be in the same region as the service."
            ),
        )?;
        require(
            status == "success",
            &format!(
                "Build is not ready (status: {status}). Only successful builds can be deployed."
            ),
        )?;
    }
    for (member, kind) in [
        ("secretSet", "Secret"),
        ("imagePullSecretSet", "Image pull secret"),
    ] {
        let Some(name) = body[member].as_str() else {
            continue;
        };
        let set = organization.sets.get(name).filter(|set| {
            matches!(set.content, Content::ImagePull { .. }) == (member == "imagePullSecretSet")
        });
        let set = set.ok_or_else(|| Reply::error(404, "Secret set not found", "NOT_FOUND"))?;
        let there = &set.region;
        require(
            there == region,
            &format!(
                "{kind} set '{name}' is in region '{there}' but service {verb} in region '{region}'. {kind}s must be in the same region as the service."
            ),
        )?;
    }
    Ok(())
}

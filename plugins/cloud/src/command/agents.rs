//! The `agents` commands.

mod logs;
mod start;

use std::cmp::Reverse;

use bot_cli_protocol::failure::Failure;
use bot_cli_sdk::plugin::Reply;
use reqwest::Method;
use serde_json::{Value, json};

use super::agent::{self, NamedAgent, agent_json};
use super::ask::confirm_by_name;
use super::context::CommandContext;
use super::list::{Column, listing};
use super::plan::plain;
use super::{open, project};
use crate::deploy::settings::Scaling;
use crate::deploy::table::{Plan, Rest, Values, of_deployment};
use crate::input::{checked_id, wrong};
use crate::options::{Account, AgentName, AgentsCommand};
use crate::service::Unclear;
use crate::service::agent::Agent;
use crate::text::theirs;
use crate::words::failed;

/// The maximum number of entries to list.
const LATEST: &str = "50";

pub(super) fn run(context: CommandContext<'_>, command: &AgentsCommand) -> Result<Reply, Failure> {
    match command {
        AgentsCommand::List(account) => list(context, account),
        AgentsCommand::Status(agent) => status(context, agent),
        AgentsCommand::Logs(options) => logs::logs(context, options),
        AgentsCommand::Start(options) => start::start(context, options),
        AgentsCommand::Stop { session, agent } => stop(context, session, agent),
        AgentsCommand::Sessions { agent, active } => sessions(context, agent, *active),
        AgentsCommand::Deployments(agent) => deployments(context, agent),
        AgentsCommand::Rollback { agent, to, skip } => {
            rollback(context, agent, to.as_deref(), *skip)
        }
        AgentsCommand::Scale { agent, size, skip } => scale(context, agent, size, *skip),
        AgentsCommand::Delete { agent, skip } => delete(context, agent, *skip),
    }
}

const AGENTS: &[Column] = &[
    ("NAME", "name", "/name"),
    ("REGION", "region", "/region"),
    ("DEPLOYMENT", "deployment", "/desiredDeploymentId"),
    ("UPDATED", "updated", "/updatedAt"),
];

fn list(context: CommandContext<'_>, account: &Account) -> Result<Reply, Failure> {
    let ((), service) = open::service(context, account, Ok(()))?;
    let agents = service.rows(&[service.agents()], "services", &[])?;
    Ok(listing("agents", AGENTS, &agents))
}

fn status(context: CommandContext<'_>, agent: &AgentName) -> Result<Reply, Failure> {
    let ((), named) = agent::open(context, agent, Ok(()))?;
    let agent = named.existing()?;
    let data = agent_json(&agent);
    let shown = "state region deployment phase problem sessions".split(' ');
    let rows = shown.map(|name| (name, &data[name]));
    let settings = data["settings"].as_object().into_iter().flatten();
    let settings = settings.map(|(name, value)| (name.as_str(), value));
    let lines = rows.chain(settings).filter(|(_, value)| !value.is_null());
    let lines = lines.map(|(name, value)| format!("  {name:20}  {}\n", plain(value)));
    let text = format!("`{}`\n{}", named.name, lines.collect::<String>());
    let next = if agent.is_ready() { "start" } else { "logs" };
    let next = named.command(next);
    Ok(Reply::text(text).data(data).next(next))
}

const SESSIONS: &[Column] = &[
    ("SESSION", "id", "/sessionId"),
    ("BEGUN", "begun", "/createdAt"),
    ("ENDED", "ended", "/endedAt"),
    ("RESULT", "result", "/completionStatus"),
    ("", "cold_start", "/coldStart"),
    ("", "start_seconds", "/botStartSeconds"),
];

fn sessions(
    context: CommandContext<'_>,
    agent: &AgentName,
    active: bool,
) -> Result<Reply, Failure> {
    let ((), named) = agent::open(context, agent, Ok(()))?;
    let query = [
        ("limit", Some(LATEST.to_owned())),
        ("status", active.then(|| "active".to_owned())),
    ];
    let parts = [named.service.agents(), &named.name, "sessions"];
    let sessions = named.found(named.service.rows(&parts, "sessions", &query))?;
    Ok(listing("sessions", SESSIONS, &sessions))
}

fn stop(context: CommandContext<'_>, session: &str, agent: &AgentName) -> Result<Reply, Failure> {
    let session = checked_id("session", session);
    let (session, named) = agent::open(context, agent, session)?;
    let service = &named.service;
    let parts = [service.agents(), &named.name, "sessions", session];
    let shown = theirs(session);
    let done = format!("the session `{shown}` was ended");
    let change = Unclear::new(done, named.command("sessions"));
    service.change(&Method::DELETE, &parts, None, &change, || {
        let found: Value = service.get(&parts, &[]).ok()?;
        Some(!found["endedAt"].is_null())
    })?;
    let text = format!("Ended the session `{shown}`\n");
    Ok(Reply::text(text).data(json!({ "session": shown, "ended": true })))
}

/// Returns the deployments, newest first. Fails for a private API key, which can't list deployments.
fn all_deployments(named: &NamedAgent<'_>) -> Result<Vec<Value>, Failure> {
    named.service.require_user("list deployments")?;
    let parts = [named.service.agents(), &named.name, "deployments"];
    let mut deployments = named.found(named.service.rows(&parts, "deployments", &[]))?;
    deployments.sort_by_cached_key(|it| Reverse(it["createdAt"].as_str().map(str::to_owned)));
    Ok(deployments)
}

const DEPLOYMENTS: &[Column] = &[
    ("DEPLOYMENT", "id", "/id"),
    ("CREATED", "created", "/createdAt"),
    ("IMAGE", "image", "/image"),
    ("CURRENT", "current", "/current"),
    ("", "settings", "/settings"),
];

fn deployments(context: CommandContext<'_>, agent: &AgentName) -> Result<Reply, Failure> {
    let ((), named) = agent::open(context, agent, Ok(()))?;
    let current = named.existing()?;
    let mut deployments = all_deployments(&named)?;
    for it in &mut deployments {
        let settings = of_deployment(it);
        it["current"] = json!(current.desired() == it["id"].as_str());
        let build = settings.get("build_id").and_then(Value::as_str);
        let build = build.map(|id| json!(format!("build {id}")));
        it["image"] = build.or(settings.get("image").cloned()).unwrap_or_default();
        it["settings"] = json!(settings);
    }
    Ok(listing("deployments", DEPLOYMENTS, &deployments))
}

fn rollback(
    context: CommandContext<'_>,
    agent: &AgentName,
    to: Option<&str>,
    skip: bool,
) -> Result<Reply, Failure> {
    let ((), named) = agent::open(context, agent, Ok(()))?;
    let current = named.existing()?;
    let deployments = all_deployments(&named)?;
    let mut rest = deployments.iter();
    let mut find = |id| rest.find(|it| it["id"].as_str() == id);
    let target = match to {
        Some(_) => find(to),
        None => find(current.desired()).and_then(|_| rest.next()),
    };
    let Some(target) = target else {
        let what = to.map_or("earlier deployment".to_owned(), |id| {
            format!("deployment `{}`", theirs(id))
        });
        let message = format!("`{}` has no {what}", named.name);
        return Err(failed("not_found", message).hint(named.command("deployments")));
    };
    let (mut wanted, running) = (of_deployment(target), current.settings());
    // Either the image or the build is null.
    if !wanted.contains_key("image") {
        let id = theirs(target["id"].as_str().unwrap_or_default());
        let message = format!("the service does not show which image the deployment `{id}` runs");
        let hint = "find its build with `builds list`, and deploy it with `deploy --build-id`";
        return Err(failed("no_image", message).hint(hint));
    }
    // A deployment shows the resources of its profile, not the profile.
    let sizes = ["cpu", "memory"];
    let profile = running.get("agent_profile").filter(|it| it.is_string());
    if let Some(profile) =
        profile.filter(|_| sizes.iter().all(|it| wanted.get(*it) == running.get(*it)))
    {
        wanted.insert("agent_profile".to_owned(), profile.clone());
    }
    if running.get("agent_profile") != Some(&Value::Null) {
        wanted.retain(|key, _| !sizes.contains(&key.as_str()));
    }
    change(&named, &current, &wanted, Rest::NotShown, skip, "Roll back")
}

fn scale(
    context: CommandContext<'_>,
    agent: &AgentName,
    given: &Scaling,
    skip: bool,
) -> Result<Reply, Failure> {
    let (min, max) = (given.min_agents, given.max_agents);
    let problem = "give `--min-agents`, `--max-agents` or both";
    let any = min.or(max).ok_or_else(|| wrong("min_agents", problem));
    let (_, named) = agent::open(context, agent, any)?;
    let current = named.existing()?;
    let running = current.settings();
    let of = |key, given: Option<u64>| given.or_else(|| running.get(key)?.as_u64());
    let (min, max) = (of("min_agents", min), of("max_agents", max));
    if max.is_some() && (min > max || max == Some(0)) {
        let key = given.max_agents.map_or("min_agents", |_| "max_agents");
        let problem = "the maximum must be at least 1, and at least the minimum";
        return Err(wrong(key, problem));
    }
    let wanted = [("min_agents", min), ("max_agents", max)].into_iter();
    let wanted = wanted.filter_map(|(key, value)| Some((key.to_owned(), json!(value?))));
    let wanted: Values = wanted.collect();
    let reply = change(&named, &current, &wanted, Rest::Untouched, skip, "Scale")?;
    note_file(&named, min, max);
    Ok(reply)
}

/// Says what the deployment file needs so that the next deployment keeps the given numbers.
fn note_file(named: &NamedAgent<'_>, min: Option<u64>, max: Option<u64>) {
    let session = named.context.session;
    let Some((path, settings)) = project::file_of_agent(session.cwd(), &named.name) else {
        return;
    };
    let file = settings.scaling;
    let lines = [
        ("min_agents", min, file.min_agents.or(Some(0))),
        // It stays if the file does not have it.
        ("max_agents", max, file.max_agents.or(max)),
    ];
    let lines = lines.into_iter().filter_map(|(key, given, file)| {
        let line = given.filter(|_| given != file)?;
        Some(format!("`{key} = {line}`"))
    });
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        let (lines, path) = (lines.join(" and "), path.display());
        session.note(&format!(
            "the next `deploy` keeps this only with {lines} under `[scaling]` in {path}"
        ));
    }
}

/// Deploys the agent with the wanted settings.
fn change(
    named: &NamedAgent<'_>,
    current: &Agent,
    wanted: &Values,
    rest: Rest,
    skip: bool,
    verb: &str,
) -> Result<Reply, Failure> {
    let name = &named.name;
    let is_user = named.service.is_user();
    let (options, running) = (Values::new(), current.settings());
    let mut plan = Plan::new(wanted, &options, Some(&running), rest, is_user);
    plan.title = format!("{verb} the agent `{name}`");
    if plan.changes.is_empty() {
        let data = plan.added_to(agent_json(current));
        return Ok(Reply::text(plan.nothing(name)).data(data));
    }
    plan.agree(named.context.session, &format!("{verb}?"), skip)?;
    let sent = &plan.sent;
    let agent = named.deploy(Some(current), sent, json!({}))?;
    let data = plan.added_to(agent_json(&agent));
    let data = named.compared(sent, &plan.kept, &agent, data);
    Ok(named.started(Some(current), &agent, data))
}

fn delete(context: CommandContext<'_>, agent: &AgentName, skip: bool) -> Result<Reply, Failure> {
    let ((), named) = agent::open(context, agent, Ok(()))?;
    let (service, name) = (&named.service, &named.name);
    let agent = named.existing()?;
    if !skip {
        let sessions = match agent.sessions() {
            None | Some(0) => String::new(),
            Some(1) => "  1 session is going on\n".to_owned(),
            Some(more) => format!("  {more} sessions are going on\n"),
        };
        let region = theirs(agent.text("region").unwrap_or("-"));
        let plan = format!("Delete the agent `{name}` in the region {region}\n{sessions}");
        confirm_by_name(context.session, name, "delete", plan)?;
    }
    let done = format!("the agent `{name}` was deleted");
    let change = Unclear::new(done, service.scope.command("agents list"));
    let parts = [service.agents(), name];
    service.change(&Method::DELETE, &parts, None, &change, || {
        Some(service.agent(name).ok()?.is_none())
    })?;
    let text = format!("Deleted the agent `{name}`\n");
    Ok(Reply::text(text).data(json!({ "name": name, "deleted": true })))
}

//! The `agents` commands, which manage deployed bots, their sessions and their deployments.

mod logs;
mod start;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use serde_json::{Value, json};

use super::change::confirm_by_name;
use super::context::CommandContext;
use super::deploy::{agent_json, plain, submit, warm};
use super::list::{Column, listing};
use super::{open, project};
use crate::backend::hosted::ServiceError;
use crate::deploy::settings::{Scaling, Settings};
use crate::input::{checked_id, wrong};
use crate::options::{Account, AgentName, AgentsCommand};
use crate::scope::Scope;
use crate::service::agent::{Agent, Deployment};
use crate::service::{Service, Unclear};
use crate::text::theirs;
use crate::words::{failed, near_or};

/// The maximum number of entries to list.
const LATEST: &str = "50";

pub(super) fn run(context: &CommandContext<'_>, command: &AgentsCommand) -> Result<Reply, Failure> {
    match command {
        AgentsCommand::List(account) => list(context, account),
        AgentsCommand::Status(agent) => status(context, agent),
        AgentsCommand::Logs(options) => logs::logs(context, options),
        AgentsCommand::Start(options) => start::start(context, options),
        AgentsCommand::Stop {
            session,
            agent,
            account,
        } => stop(context, session, agent.as_ref(), account),
        AgentsCommand::Sessions { agent, active } => sessions(context, agent, *active),
        AgentsCommand::Deployments(agent) => deployments(context, agent),
        AgentsCommand::Rollback { agent, to, skip } => {
            rollback(context, agent, to.as_deref(), *skip)
        }
        AgentsCommand::Scale {
            agent,
            scaling,
            skip,
        } => scale(context, agent, scaling, *skip),
        AgentsCommand::Delete { agent, skip } => delete(context, agent, *skip),
    }
}

/// A connection to the service, with the name of an agent.
struct Opened<'a> {
    service: Service<'a>,
    scope: Scope,
    name: String,
}

fn opened<'a>(context: &'a CommandContext<'_>, agent: &AgentName) -> Result<Opened<'a>, Failure> {
    let name = project::agent_name(context, agent.name.as_ref())?;
    let (service, scope) = open::service(context, agent.account.organization.as_deref())?;
    Ok(Opened {
        service,
        scope,
        name,
    })
}

impl Opened<'_> {
    /// Returns the agent. Fails with a suggestion if the agent doesn't exist.
    fn existing(&self) -> Result<Agent, Failure> {
        let found = self.service.agent(&self.name)?;
        found.map_or_else(|| Err(self.not_found()), Ok)
    }

    fn not_found(&self) -> Failure {
        let message = format!("there is no agent `{}`", self.name);
        let known = names(&self.service).unwrap_or_default();
        let known = known.iter().map(String::as_str);
        let list = self.scope.command("agents list");
        near_or(failed("not_found", message), &self.name, known, list)
    }

    /// Returns a resource of the agent that was requested. Fails with a suggestion if the agent doesn't exist.
    fn found<T>(&self, got: Result<T, ServiceError>) -> Result<T, Failure> {
        match got {
            Err(error @ ServiceError::NotFound(_)) if !error.names_an_organization() => {
                Err(self.not_found())
            }
            got => Ok(got?),
        }
    }

    /// Returns the rows of a list of the agent.
    fn rows(&self, what: &str, query: &[(&str, Option<String>)]) -> Result<Vec<Value>, Failure> {
        let parts = [self.service.agents(), &self.name, what];
        self.found(self.service.rows(&parts, what, query))
    }

    fn command(&self, words: &str) -> String {
        self.scope.command(&format!("agents {words} {}", self.name))
    }
}

fn names(service: &Service<'_>) -> Result<Vec<String>, ServiceError> {
    let agents = service.rows(&[service.agents()], "services", &[])?;
    let names = agents.iter().filter_map(|row| row["name"].as_str());
    Ok(names.map(str::to_owned).collect())
}

const AGENTS: &[Column] = &[
    ("NAME", "name", "/name"),
    ("REGION", "region", "/region"),
    ("DEPLOYMENT", "deployment", "/desiredDeploymentId"),
    ("UPDATED", "updated", "/updatedAt"),
];

fn list(context: &CommandContext<'_>, account: &Account) -> Result<Reply, Failure> {
    let (service, scope) = open::service(context, account.organization.as_deref())?;
    let agents = service.rows(&[service.agents()], "services", &[])?;
    let reply = listing("agents", AGENTS, &agents);
    Ok(if agents.is_empty() {
        reply.next(scope.command("deploy"))
    } else {
        reply
    })
}

fn status(context: &CommandContext<'_>, agent: &AgentName) -> Result<Reply, Failure> {
    let opened = opened(context, agent)?;
    let agent = opened.existing()?;
    let state = match (agent.is_ready(), agent.serves_earlier()) {
        (true, _) => "ready",
        (false, true) => "not ready; the version before still serves",
        (false, false) => "not ready",
    };
    let revision = agent.revision();
    let problem = agent.error().or_else(|| revision?.problem());
    let text = |text: Option<&str>| text.map(theirs);
    let rows = [
        ("state", Some(state.to_owned())),
        ("region", text(agent.text("region"))),
        ("deployment", text(agent.desired())),
        ("phase", revision.map(|it| theirs(&it.words()))),
        ("problem", text(problem.as_deref())),
        (
            "sessions",
            agent.sessions().map(|sessions| sessions.to_string()),
        ),
    ];
    let rows = rows
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let settings = agent.settings().values();
    let settings = settings
        .iter()
        .map(|(name, value)| (name.clone(), plain(value)));
    let lines = rows
        .chain(settings)
        .map(|(name, value)| format!("  {name:20}  {value}\n"));
    let text = [format!("`{}`\n", opened.name)].into_iter().chain(lines);
    let next = if agent.is_ready() { "start" } else { "logs" };
    let reply = Reply::text(text.collect::<String>()).data(agent_json(&agent));
    Ok(reply.next(opened.command(next)))
}

const SESSIONS: &[Column] = &[
    ("SESSION", "id", "/sessionId"),
    ("STATE", "state", "/state"),
    ("BEGUN", "begun", "/createdAt"),
    ("ENDED", "ended", "/endedAt"),
    ("", "cold_start", "/coldStart"),
    ("", "start_seconds", "/botStartSeconds"),
];

fn sessions(
    context: &CommandContext<'_>,
    agent: &AgentName,
    active: bool,
) -> Result<Reply, Failure> {
    let opened = opened(context, agent)?;
    let query = [
        ("limit", Some(LATEST.to_owned())),
        ("status", active.then(|| "active".to_owned())),
    ];
    let mut sessions = opened.rows("sessions", &query)?;
    for session in &mut sessions {
        let members = ["endState", "completionStatus"];
        let ended = members.iter().find_map(|member| session[*member].as_str());
        let state = if session["endedAt"].is_null() {
            "active"
        } else {
            ended.unwrap_or("ended")
        };
        session["state"] = json!(state);
    }
    Ok(listing("sessions", SESSIONS, &sessions))
}

fn stop(
    context: &CommandContext<'_>,
    session: &str,
    agent: Option<&String>,
    account: &Account,
) -> Result<Reply, Failure> {
    let agent = AgentName {
        name: agent.cloned(),
        account: account.clone(),
    };
    let session = checked_id("session", session)?;
    let opened = opened(context, &agent)?;
    let agents = opened.service.agents();
    let parts = [agents, &opened.name, "sessions", session];
    let shown = theirs(session);
    let done = format!("the session `{shown}` was ended");
    let change = Unclear::new(done, opened.command("sessions"));
    opened.service.delete(&parts, &change, || {
        let found: Value = opened.service.get(&parts, &[]).ok()?;
        Some(!found["endedAt"].is_null())
    })?;
    let text = format!("Ended the session `{shown}`\n");
    Ok(Reply::text(text).data(json!({ "session": shown, "ended": true })))
}

impl Opened<'_> {
    /// Returns the deployments, newest first. Fails for a private API key, which can't list deployments.
    fn deployments(&self) -> Result<Vec<Deployment>, Failure> {
        if !self.service.is_user() {
            let message = "a private API key can't list deployments; a user's sign-in can";
            let failure = Failure::new(Exit::NotAllowed, "api_key", message);
            return Err(failure.hint("bot-cli cloud auth login"));
        }
        let rows = self.rows("deployments", &[])?;
        let mut deployments: Vec<_> = rows.into_iter().map(Deployment).collect();
        deployments.sort_by(|one, other| other.created().cmp(one.created()));
        Ok(deployments)
    }
}

const DEPLOYMENTS: &[Column] = &[
    ("DEPLOYMENT", "id", "/id"),
    ("CREATED", "created", "/createdAt"),
    ("IMAGE", "image", "/image"),
    ("CURRENT", "current", "/current"),
    ("", "settings", "/settings"),
];

fn deployments(context: &CommandContext<'_>, agent: &AgentName) -> Result<Reply, Failure> {
    let opened = opened(context, agent)?;
    let current = opened.existing()?;
    let rows = opened.deployments()?.into_iter().map(|it| {
        let settings = it.settings();
        let values = settings.values();
        let build = settings.build_id.map(|id| format!("build {id}"));
        json!({
            "id": it.id(),
            "createdAt": it.created(),
            "image": build.or(settings.image),
            "current": current.desired() == Some(it.id()),
            "settings": values,
        })
    });
    Ok(listing(
        "deployments",
        DEPLOYMENTS,
        &rows.collect::<Vec<_>>(),
    ))
}

fn rollback(
    context: &CommandContext<'_>,
    agent: &AgentName,
    to: Option<&str>,
    skip: bool,
) -> Result<Reply, Failure> {
    let opened = opened(context, agent)?;
    let current = opened.existing()?;
    let deployments = opened.deployments()?;
    let current_id = current.desired();
    let is_current = |it: &&Deployment| Some(it.id()) == current_id;
    let target = match to {
        Some(id) => deployments.iter().find(|it| it.id() == id),
        None => deployments.iter().skip_while(|it| !is_current(it)).nth(1),
    };
    let Some(target) = target else {
        let name = &opened.name;
        let message = match to {
            Some(id) => format!("`{name}` has no deployment `{}`", theirs(id)),
            None if !deployments.iter().any(|it| is_current(&it)) => {
                format!("the deployments of `{name}` don't include the current one")
            }
            None => format!("`{name}` has no deployment before the current one"),
        };
        return Err(failed("not_found", message).hint(opened.command("deployments")));
    };
    let mut wanted = target.settings();
    if let Some(profile) = current.settings().agent_profile {
        // A deployment shows the resources of its profile, not the profile.
        wanted.agent_profile = wanted
            .profile()
            .map_or(Some(profile), |it| Some(it.to_owned()));
    }
    change(context, &opened, &current, &wanted, skip, "Roll back")
}

fn scale(
    context: &CommandContext<'_>,
    agent: &AgentName,
    given: &Scaling,
    skip: bool,
) -> Result<Reply, Failure> {
    let (min, max) = (given.min_agents, given.max_agents);
    if min.or(max).is_none() {
        return Err(wrong(
            "min_agents",
            "give `--min-agents`, `--max-agents` or both",
        ));
    }
    let opened = opened(context, agent)?;
    let current = opened.existing()?;
    let mut wanted = current.settings();
    let scaling = &mut wanted.scaling;
    scaling.min_agents = min.or(scaling.min_agents);
    scaling.max_agents = max.or(scaling.max_agents);
    if scaling.max_agents.is_some() && (scaling.min_agents > scaling.max_agents || max == Some(0)) {
        return Err(wrong(
            "max_agents",
            "must be at least 1, and at least the minimum",
        ));
    }
    change(context, &opened, &current, &wanted, skip, "Scale")
}

/// Shows the changes, asks for confirmation, and deploys the agent with the wanted settings.
fn change(
    context: &CommandContext<'_>,
    opened: &Opened<'_>,
    current: &Agent,
    wanted: &Settings,
    skip: bool,
    verb: &str,
) -> Result<Reply, Failure> {
    let name = &opened.name;
    let (running, new) = (current.settings().values(), wanted.values());
    let old = |setting: &str| running.get(setting).map_or("not set".to_owned(), plain);
    // The resources follow from the profile.
    let is_told =
        |setting: &str| wanted.agent_profile.is_none() || !["cpu", "memory"].contains(&setting);
    let changes: Vec<_> = new
        .iter()
        .filter(|(setting, value)| is_told(setting) && running.get(*setting) != Some(value))
        .collect();
    let images = ["image", "build_id", "cpu", "memory"];
    let kept: Vec<&str> = running
        .keys()
        .map(String::as_str)
        .filter(|setting| !new.contains_key(*setting) && !images.contains(setting))
        .collect();
    if changes.is_empty() {
        if !kept.is_empty() {
            let message = format!(
                "only {} would change, which the service can't unset",
                kept.join(", ")
            );
            return Err(failed("not_possible", message));
        }
        let text = format!("Nothing to do: `{name}` already runs this\n");
        return Ok(Reply::text(text).data(agent_json(current)));
    }
    let mut plan = format!("{verb} the agent `{name}`\n");
    plan.extend(changes.iter().map(|(setting, value)| {
        let (new, old) = (plain(value), old(setting));
        format!("  {setting:20}  {new} (now {old})\n")
    }));
    plan.extend(kept.iter().map(|setting| {
        let old = old(setting);
        format!("  {setting:20}  stays {old}: the service can't unset it\n")
    }));
    if let Some(cost) = warm(wanted.scaling.min_agents) {
        plan.extend([&*cost, "\n"]);
    }
    if skip {
        let lines = plan.lines().skip(1);
        lines.for_each(|line| context.note(line.trim_start()));
    } else {
        context.consent(&format!("{verb}?"), plan)?;
    }
    let mut wanted = wanted.clone();
    wanted.agent_name = Some(name.clone());
    let body = wanted.body(None, "", false, false);
    let agent = submit(
        context,
        &opened.service,
        &opened.scope,
        name,
        Some(current),
        &body,
    )?;
    let text = format!("Deployed `{name}`; the service is starting it\n");
    let reply = Reply::text(text).data(agent_json(&agent));
    Ok(reply.next(opened.command("status")))
}

fn delete(context: &CommandContext<'_>, agent: &AgentName, skip: bool) -> Result<Reply, Failure> {
    let opened = opened(context, agent)?;
    let name = &opened.name;
    let agent = opened.existing()?;
    if !skip {
        let sessions = match agent.sessions() {
            None | Some(0) => String::new(),
            Some(1) => "  1 session is going on\n".to_owned(),
            Some(more) => format!("  {more} sessions are going on\n"),
        };
        let region = theirs(agent.text("region").unwrap_or("-"));
        let plan = format!("Delete the agent `{name}` in the region {region}\n{sessions}");
        confirm_by_name(context, name, format!("Type `{name}` to delete it:"), plan)?;
    }
    let done = format!("the agent `{name}` was deleted");
    let change = Unclear::new(done, opened.scope.command("agents list"));
    let service = &opened.service;
    service.delete(&[service.agents(), name], &change, || {
        Some(service.look(name).ok()?.is_none())
    })?;
    let text = format!("Deleted the agent `{name}`\n");
    Ok(Reply::text(text).data(json!({ "name": name, "deleted": true })))
}

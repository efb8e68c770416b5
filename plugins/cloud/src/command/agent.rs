//! One agent of the service, as commands name, read and deploy it.

use bot_cli_protocol::failure::{ChangeState, Failure};
use bot_cli_sdk::plugin::Reply;
use reqwest::Method;
use serde_json::{Value, json};

use super::context::CommandContext;
use super::plan::plain;
use super::{open, project};
use crate::backend::hosted::ServiceError;
use crate::backend::hosted::http::Unconfirmed;
use crate::deploy::table::{Values, body, differences, is_as_sent};
use crate::input::both;
use crate::options::AgentName;
use crate::service::agent::Agent;
use crate::service::{Service, Unclear};
use crate::text::theirs;
use crate::words::{failed, near_or};

/// The name of an agent, with a connection to the service.
pub struct NamedAgent<'a> {
    pub context: CommandContext<'a>,
    pub service: Service<'a>,
    pub name: String,
}

/// Connects to the service if the command's other input is valid. Otherwise, the failure names all problems.
pub fn open<'a, T>(
    context: CommandContext<'a>,
    agent: &AgentName,
    input: Result<T, Failure>,
) -> Result<(T, NamedAgent<'a>), Failure> {
    let input = both(
        project::agent_name(context.session, agent.name.as_ref(), &agent.of),
        input,
    );
    let ((name, input), service) = open::service(context, &agent.account, input)?;
    let agent = NamedAgent {
        context,
        service,
        name,
    };
    Ok((input, agent))
}

impl NamedAgent<'_> {
    pub fn existing(&self) -> Result<Agent, Failure> {
        let found = self.service.agent(&self.name)?;
        found.map_or_else(|| Err(self.not_found()), Ok)
    }

    fn not_found(&self) -> Failure {
        let message = format!("there is no agent `{}`", self.name);
        let agents = self.service.rows(&[self.service.agents()], "services", &[]);
        let agents = agents.unwrap_or_default();
        let known = agents.iter().filter_map(|row| row["name"].as_str());
        let list = self.service.scope.command("agents list");
        near_or(failed("not_found", message), &self.name, known, list)
    }

    /// Unwraps a response about the agent. If the agent doesn't exist, the failure suggests similar names.
    pub fn found<T>(&self, got: Result<T, ServiceError>) -> Result<T, Failure> {
        match got {
            Err(error @ ServiceError::NotFound(_)) if !error.names_an_organization() => {
                Err(self.not_found())
            }
            got => Ok(got?),
        }
    }

    /// Formats a command line for this agent and scope, such as `bot-cli cloud agents status my-bot`.
    pub fn command(&self, words: &str) -> String {
        let command = format!("agents {words} {}", self.name);
        self.service.scope.command(&command)
    }

    /// Fails if the agent was deployed or deleted since `before` was read.
    pub fn check_unchanged(&self, before: Option<&Agent>) -> Result<(), Failure> {
        let name = &self.name;
        let current = self.service.agent(name)?;
        if !Agent::has_changed(before, current.as_ref()) {
            return Ok(());
        }
        let message = format!("someone else changed `{name}` meanwhile, so it was not deployed");
        Err(failed("conflict", message).hint(self.command("status")))
    }

    /// Creates or updates the agent with these settings and the members of `more`. If the response is lost, checks whether the service
    /// accepted the change.
    ///
    /// Fails if another deployment was made since `before` was read.
    pub fn deploy(
        &self,
        before: Option<&Agent>,
        settings: &Values,
        more: Value,
    ) -> Result<Agent, Failure> {
        let (service, name) = (&self.service, &self.name);
        self.check_unchanged(before)?;
        let mut body = body(settings, more);
        // The path of an update with a private key names the agent.
        if before.is_none() || service.is_user() {
            body["serviceName"] = json!(name);
        }
        let (collection, item) = ([service.agents()], [service.agents(), name]);
        let (method, parts): (_, &[&str]) = match (before, service.is_user()) {
            (None, _) => (Method::POST, &collection),
            (Some(_), true) => (Method::PUT, &collection),
            (Some(_), false) => (Method::POST, &item),
        };
        let sent = service.send_once(&method, parts, &body).and_then(|answer| {
            let agent = answer.decode().and_then(Agent::of);
            agent.map_err(Unconfirmed::under_way)
        });
        let unconfirmed = match sent {
            Ok(agent) => {
                if let Some(warning) = agent.text("warning") {
                    self.context.session.warn(&theirs(warning));
                }
                return Ok(agent);
            }
            Err(unconfirmed) => unconfirmed,
        };
        let change = Unclear::new(format!("`{name}` was deployed"), self.command("status"));
        let mut now = None;
        let settled = change.settle(unconfirmed, || {
            let found = &*now.insert(service.agent(name).ok()??);
            let is_new = Agent::has_changed(before, Some(found));
            let is_ours = is_as_sent(settings, &found.settings());
            // A new deployment with other settings may be someone else's, or the service may show them in another form.
            (is_ours || !is_new).then_some(is_new)
        });
        settled.map_err(|mut failure| {
            if failure.outcome == Some(ChangeState::NotDone) {
                failure.message = format!("{}, so `{name}` was not deployed", failure.message);
                let hint = match failure.code.as_str() {
                    "not_found" => "secrets list",
                    "conflict" => "agents list",
                    _ => return failure,
                };
                failure.hints = vec![service.scope.command(hint)];
            }
            failure
        })?;
        let warning = "the response was lost, but the service shows the deployment";
        self.context.session.warn(warning);
        // It was read to settle this.
        now.ok_or_else(Failure::cancelled)
    }

    /// Warns of each setting that the agent does not have as agreed to, and adds it to `data`, with those that the service does not show.
    pub fn compared(&self, sent: &Values, kept: &Values, found: &Agent, mut data: Value) -> Value {
        let (running, mut agreed) = (found.settings(), kept.clone());
        agreed.extend(sent.clone());
        let differs = differences(&agreed, &running).map(|(setting, value)| {
            let (name, is, was) = (&self.name, plain(value), plain(&agreed[setting]));
            self.context.session.warn(&format!(
                "the service runs `{name}` with the {setting} {is}, and not {was} as agreed to"
            ));
            json!({ "setting": setting, "value": value, "agreed": agreed[setting] })
        });
        data["differs"] = differs.collect();
        let hidden = sent.keys().filter(|key| !running.contains_key(*key));
        let mut hidden: Vec<Value> = hidden.map(|key| json!(key)).collect();
        if let Some(unchecked) = data["not_checked"].as_array_mut() {
            hidden.retain(|key| !unchecked.contains(key));
            unchecked.append(&mut hidden);
        }
        data
    }

    /// Returns the reply for a deployment that the command does not wait for.
    pub fn started(&self, before: Option<&Agent>, after: &Agent, data: Value) -> Reply {
        let name = &self.name;
        let text = if Agent::has_changed(before, Some(after)) {
            format!("Deployed `{name}`; the service is starting it\n")
        } else {
            format!("The service found nothing to change; `{name}` is as before\n")
        };
        Reply::text(text).data(data).next(self.command("status"))
    }
}

pub fn agent_json(agent: &Agent) -> Value {
    let revision = agent.revision();
    let problem = agent.error().or_else(|| revision?.problem());
    let is_ready = agent.is_ready();
    let state = if is_ready { "ready" } else { "not ready" };
    json!({
        "name": agent.text("name").map(theirs),
        "state": format!("{state}{}", agent.still_serves()),
        "region": agent.text("region").map(theirs),
        "ready": is_ready,
        "available": agent.is_available(),
        "deployment": agent.desired().map(theirs),
        "phase": revision.map(|it| theirs(&it.words())),
        "problem": problem.map(|problem| theirs(&problem)),
        "sessions": agent.sessions(),
        "settings": agent.settings(),
    })
}

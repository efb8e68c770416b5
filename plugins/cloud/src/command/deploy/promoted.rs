//! Takes the build that another environment of the project runs.

use bot_cli_protocol::failure::Failure;
use serde_json::Value;

use crate::command::context::CommandContext;
use crate::command::project;
use crate::deploy::settings::{AGENT_NAME, Settings, is_agent_name};
use crate::domain::Region;
use crate::input::wrong;
use crate::options::Deploy;
use crate::service::Service;
use crate::service::agent::Agent;
use crate::text::theirs;
use crate::words::failed;

/// A build, and the agent that runs it.
pub struct Promoted {
    pub agent: String,
    pub build: String,
    /// The architecture of the build, if it is known.
    pub architecture: Option<String>,
}

impl Promoted {
    /// Finds the build for the agent `name`. Fails if the agent could not run that build.
    pub fn find(
        context: CommandContext<'_>,
        service: &Service<'_>,
        options: &Deploy,
        (name, region, wanted): (&str, &Region, &Settings),
        before: Option<&Agent>,
    ) -> Result<Option<Self>, Failure> {
        let Some(environment) = &options.from else {
            return Ok(None);
        };
        let dir = options.dir.as_deref();
        let source = project::deployment(context.session, dir, Some(environment))?;
        let agent = source.settings.agent_name.clone();
        let agent = agent.filter(|agent| is_agent_name(agent));
        let agent = agent.ok_or_else(|| wrong("from", format!("its agent_name {AGENT_NAME}")))?;
        let refused = |code, problem: String| {
            let message = format!("`{name}` can't take the build of `{agent}`: {problem}");
            let look = match code {
                "not_found" => format!("deploy --environment {environment}"),
                _ => format!("agents status {agent}"),
            };
            Err(failed(code, message).hint(service.scope.command(&look)))
        };
        let Some(running) = service.agent(&agent)? else {
            return refused("not_found", "there is no such agent".to_owned());
        };
        if !running.is_ready() {
            return refused("not_ready", "it does not run its deployment yet".to_owned());
        }
        let is = running.text("region").unwrap_or_default();
        if is != region.as_str() {
            let is = theirs(is);
            return refused("region_conflict", format!("it is in {is}, not in {region}"));
        }
        let text = |agent: &Agent, key: &str| {
            let settings = agent.settings();
            settings.get(key).and_then(Value::as_str).map(str::to_owned)
        };
        let its = text(&running, "architecture").or(source.settings.architecture);
        let of_agent = before.and_then(|agent| text(agent, "architecture"));
        let own = wanted.architecture.clone().or(of_agent);
        if before.is_some() || own.is_some() {
            let words =
                |it: &Option<String>| it.as_deref().map_or("the default".to_owned(), theirs);
            if own != its {
                let (its, own) = (words(&its), words(&own));
                let problem = format!("the architectures differ, {its} and {own}");
                return refused("architecture_differs", problem);
            }
        }
        match text(&running, "build_id") {
            Some(build) => Ok(Some(Self {
                agent,
                build,
                architecture: its,
            })),
            None => refused(
                "no_build",
                "the service shows no build that it runs".to_owned(),
            ),
        }
    }
}

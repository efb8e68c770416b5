//! The `deploy` command, which deploys a project as an agent.

mod follow;
mod image;
mod plan;
mod secrets;

use std::time::Duration;

use bot_cli_protocol::failure::{ChangeState, Failure};
use bot_cli_sdk::plugin::Reply;
use reqwest::Method;
use serde_json::{Value, json};

use super::change::refused;
use super::context::CommandContext;
use super::{open, project};
use crate::backend::hosted::http::Unconfirmed;
use crate::domain::Region;
use crate::input::wrong;
use crate::options::Deploy;
use crate::scope::Scope;
use crate::service::agent::Agent;
use crate::service::{Service, Unclear};
use crate::source::Source;
use crate::text::theirs;
use crate::words::failed;
use image::Image;
use plan::Plan;
pub use plan::{plain, warm};

pub(super) fn deploy(context: &CommandContext<'_>, options: &Deploy) -> Result<Reply, Failure> {
    let mut project = project::deployment(context, options.dir.as_deref())?;
    let of_file = project.settings.region.take();
    project.settings = project.settings.overridden_by(&options.settings)?;
    refused(project.settings.problems()).map_err(|failure| match project.path {
        Some(_) => failure,
        None => {
            failure.hint("there is no cloud-deploy.toml here; `bot-cli init` creates a project")
        }
    })?;
    let name = project.settings.agent_name.clone().unwrap_or_default();
    let (service, mut scope) = open::service(context, options.account.organization.as_deref())?;
    let agent = service.agent(&name)?;
    let wanted = (options.settings.region.as_deref(), of_file.as_deref());
    let region = region(&service, &mut scope, wanted, agent.as_ref())?;
    if project.settings.git.repo.is_some() && agent.is_some() {
        let message = format!("`{name}` exists, and its repository can be set only when it is new");
        return Err(failed("agent_exists", message).hint(
            "a push to the repository deploys it; without `[git]`, an image or a build does",
        ));
    }
    let can_ask = context.interactive() && !options.skip;
    let missing = secrets::missing(context, &scope, &project, &region, can_ask)?;
    let image = Image::of(context, &service, &project, &region)?;
    let deployment = Planned {
        context,
        service: &service,
        scope: &scope,
        name: &name,
        plan: Plan {
            settings: &project.settings,
            image: &image,
            agent: agent.as_ref(),
            running: agent.as_ref().map(Agent::settings).unwrap_or_default(),
            missing: &missing,
            region: &region,
            place: scope.organization_name(),
            force: options.force,
        },
    };
    if deployment.plan.changes_nothing() {
        return deployment.nothing(options);
    }
    if options.dry_run {
        let text = deployment.plan.text() + "Nothing was changed\n";
        return Ok(Reply::text(text).data(deployment.plan.data(None, false)));
    }
    deployment.confirm(options)?;
    let mut provided = Vec::new();
    let done = deployment.carry_out(options, &mut provided);
    done.map_err(|failure| deployment.interrupted(failure, &provided))
}

/// A planned deployment.
struct Planned<'a, 'c> {
    context: &'a CommandContext<'c>,
    service: &'a Service<'a>,
    scope: &'a Scope,
    name: &'a str,
    plan: Plan<'a>,
}

impl Planned<'_, '_> {
    /// Reports that there is nothing to deploy. If the agent is not ready, waits for the agent unless an option disables waiting.
    fn nothing(&self, options: &Deploy) -> Result<Reply, Failure> {
        let agent = self.plan.agent;
        let is_ready = agent.is_some_and(Agent::is_ready);
        if let Some(agent) = agent
            && !is_ready
            && !options.no_wait
            && !options.dry_run
        {
            self.context
                .note("the agent already runs this, but is not ready");
            return self.followed(agent, None, options, false);
        }
        let text = format!("Nothing to do: `{}` already runs this\n", self.name);
        self.context
            .note("`--force` deploys it again, for example after its secrets changed");
        if self.plan.hides_websocket_auth() {
            self.context
                .note("the service does not show `websocket_auth`: `--force` sends it again");
        }
        Ok(Reply::text(text).data(self.plan.data(None, is_ready)))
    }

    fn confirm(&self, options: &Deploy) -> Result<(), Failure> {
        if options.skip {
            if let Some(cost) = self.plan.cost() {
                self.context.warn(&cost);
            }
            return Ok(());
        }
        self.context.consent("Deploy it?", self.plan.text())
    }

    /// Creates the missing sets, builds and deploys the image, and follows the deployment. `provided` receives the names of the created
    /// sets.
    fn carry_out(&self, options: &Deploy, provided: &mut Vec<String>) -> Result<Reply, Failure> {
        let Self {
            context,
            service,
            scope,
            name,
            plan,
        } = self;
        for missing in plan.missing {
            let done = missing.provide(context, scope, plan.region);
            done.map_err(|failure| match failure.outcome {
                // The set is created, but nothing was deployed.
                Some(ChangeState::Done) => failure
                    .outcome(ChangeState::PartlyDone)
                    .hint(format!("`{name}` was not deployed")),
                _ => failure,
            })?;
            provided.push(missing.name.to_string());
        }
        let build = plan.image.built(context, service, scope, plan.region)?;
        let is_new = plan.agent.is_none();
        let body = plan
            .settings
            .body(build.as_deref(), plan.region, is_new, options.force);
        context.progress(&format!("Deploying `{name}`"));
        let deployed = submit(context, service, scope, name, plan.agent, &body)?;
        self.followed(&deployed, build.as_deref(), options, true)
    }

    /// Waits until the deployment is ready, unless `--no-wait` is set, and returns the reply.
    fn followed(
        &self,
        deployed: &Agent,
        build: Option<&str>,
        options: &Deploy,
        is_changed: bool,
    ) -> Result<Reply, Failure> {
        let (name, scope) = (self.name, self.scope);
        let data = |is_ready| {
            let mut data = self.plan.data(Some((deployed, build)), is_ready);
            data["changed"] = json!(is_changed);
            data
        };
        if options.no_wait {
            let status = scope.command(&format!("agents status {name}"));
            let text = format!("Deployed `{name}`; the service is starting it\n");
            return Ok(Reply::text(text).data(data(false)).next(status));
        }
        let can_roll_back = self.service.is_user() && self.plan.agent.is_some() && is_changed;
        let followed = follow::Follow {
            context: self.context,
            service: self.service,
            scope,
            name,
            expected: deployed.desired(),
            patience: Duration::from_secs(options.timeout),
            can_roll_back,
        };
        let took = followed.until_ready()?;
        let text = format!("`{name}` is ready ({})\n", follow::clock(took));
        let start = scope.command(&format!("agents start {name}"));
        Ok(Reply::text(text).data(data(true)).next(start))
    }

    /// Adds the outcome and the names of the created sets to a failure that occurred after the confirmation.
    fn interrupted(&self, mut failure: Failure, provided: &[String]) -> Failure {
        if failure.outcome == Some(ChangeState::Done) {
            return failure;
        }
        if failure.message == "cancelled" {
            failure.message = format!("cancelled; `{}` was not deployed", self.name);
        }
        if provided.is_empty() {
            failure.outcome = failure.outcome.or(Some(ChangeState::NotDone));
            return failure;
        }
        let sets: Vec<String> = provided.iter().map(|name| format!("`{name}`")).collect();
        let hint = format!("created at the service before that: {}", sets.join(", "));
        if failure.outcome == Some(ChangeState::Unknown) {
            return failure.hint(hint);
        }
        failure.outcome(ChangeState::PartlyDone).hint(hint)
    }
}

/// Returns the agent's region. Fails if an option or the deployment file specifies another region for an existing agent.
///
/// The region of a new agent comes from the option, the environment, the deployment file or the configuration, in this order. The fallback
/// is the organization's default region.
fn region(
    service: &Service<'_>,
    scope: &mut Scope,
    (option, file): (Option<&str>, Option<&str>),
    agent: Option<&Agent>,
) -> Result<String, Failure> {
    let parsed = |region: Option<&str>| {
        let region = region.map(Region::parse).transpose();
        region.map_err(|problem| wrong("region", problem))
    };
    let (option, file) = (parsed(option)?, parsed(file)?);
    if let Some(there) = agent.and_then(|agent| agent.text("region")) {
        let there = there.to_owned();
        return match option.or(file) {
            Some(wanted) if wanted.as_str() != there => {
                let there = theirs(&there);
                let message = format!("the agent is in the region {there}, which can't change");
                let problem = format!("must be {there} or left out");
                Err(failed("region_conflict", message)
                    .field("region", Some("--region"), problem)
                    .hint("use another name for the agent, or delete it first"))
            }
            Some(_) | None => Ok(there),
        };
    }
    let configured = scope.region.take();
    let (environment, config) = match configured {
        Some(it) if it.source == Source::Environment => (Some(it.value), None),
        configured => (None, configured.map(|it| it.value)),
    };
    if let Some(region) = option.or(environment).or(file).or(config) {
        return Ok(region.to_string());
    }
    let settings: Value = service.get(&["properties"], &[])?;
    let default = settings["properties"]["defaultRegion"].as_str();
    default.map(str::to_owned).ok_or_else(|| {
        let list = scope.command("regions list");
        failed("no_region", "the service names no default region")
            .hint(format!("choose one with `--region`: `{list}`"))
    })
}

/// Creates or updates the agent. If the response is lost, checks whether the service accepted the change.
///
/// Fails if another deployment was made since `before` was read.
pub fn submit(
    context: &CommandContext<'_>,
    service: &Service<'_>,
    scope: &Scope,
    name: &str,
    before: Option<&Agent>,
    body: &Value,
) -> Result<Agent, Failure> {
    let current = service.agent(name)?;
    let desired = |agent: Option<&Agent>| agent.and_then(Agent::desired).map(str::to_owned);
    if current.is_some() != before.is_some() || desired(current.as_ref()) != desired(before) {
        let message = format!("someone else changed `{name}` meanwhile, so it was not deployed");
        return Err(not_deployed(failed("conflict", message))
            .hint(scope.command(&format!("agents status {name}"))));
    }
    let mut body = body.clone();
    let collection = [service.agents()];
    let item = [service.agents(), name];
    let (method, parts): (_, &[&str]) = match (before, service.is_user()) {
        (None, _) => (Method::POST, &collection),
        (Some(_), true) => (Method::PUT, &collection),
        (Some(_), false) => (Method::POST, &item),
    };
    if before.is_some()
        && let Some(members) = body.as_object_mut()
    {
        // These belong to a new agent; an API key's path names the agent.
        members.remove("region");
        if !service.is_user() {
            members.remove("serviceName");
        }
    }
    let sent = service.send_once(&method, parts, &body);
    let sent = sent.and_then(|answer| {
        let agent = answer.decode().and_then(Agent::of);
        agent.map_err(Unconfirmed::under_way)
    });
    match sent {
        Ok(agent) => {
            if let Some(warning) = agent.text("warning") {
                context.warn(&theirs(warning));
            }
            Ok(agent)
        }
        Err(unconfirmed) => {
            let done = format!("`{name}` was deployed");
            let look = scope.command(&format!("agents status {name}"));
            let change = Unclear::new(done, look);
            let mut now = None;
            change.settle(unconfirmed, || {
                now = service.look(name).ok()?;
                Some(accepted(before, now.as_ref()?, &body))
            })?;
            context.warn("the response was lost, but the service shows the deployment");
            now.ok_or_else(|| change.unknown(failed("invalid_response", "it is not there")))
        }
    }
}

/// Reports whether the service accepted the change: the agent has a new deployment, with the settings in `body`.
fn accepted(before: Option<&Agent>, now: &Agent, body: &Value) -> bool {
    let is_new = before.is_none_or(|before| before.desired() != now.desired());
    let running = now.settings().values();
    let sent = [
        ("image", &body["image"]),
        ("build_id", &body["buildId"]),
        ("secret_set", &body["secretSet"]),
        ("image_credentials", &body["imagePullSecretSet"]),
        ("min_agents", &body["autoScaling"]["minAgents"]),
        ("max_agents", &body["autoScaling"]["maxAgents"]),
        ("agent_profile", &body["agentProfile"]),
        ("max_session_duration", &body["maxSessionDuration"]),
    ];
    let mut sent = sent.into_iter();
    is_new && sent.all(|(name, value)| value.is_null() || running.get(name) == Some(value))
}

/// Marks a failure as having occurred before the agent was changed.
fn not_deployed(failure: Failure) -> Failure {
    failure.outcome(ChangeState::NotDone)
}

/// Returns the state of an agent for JSON output.
pub fn agent_json(agent: &Agent) -> Value {
    let revision = agent.revision();
    let problem = agent.error().or_else(|| revision?.problem());
    json!({
        "name": agent.text("name").map(theirs),
        "region": agent.text("region").map(theirs),
        "ready": agent.is_ready(),
        "available": agent.is_available(),
        "deployment": agent.desired().map(theirs),
        "phase": revision.map(|it| theirs(it.phase())),
        "problem": problem.map(|problem| theirs(&problem)),
        "sessions": agent.sessions(),
        "settings": agent.settings().values(),
    })
}

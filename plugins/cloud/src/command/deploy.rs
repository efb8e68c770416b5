//! The `deploy` command.

mod follow;
mod image;
mod promoted;
mod secrets;

use std::time::Duration;

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::shell::quoted;
use image::Image;
use promoted::Promoted;
use secrets::Missing;
use serde_json::{Value, json};

use super::agent::{NamedAgent, agent_json};
use super::context::CommandContext;
use super::{open, project};
use crate::backend::hosted::SIGN_IN;
use crate::deploy::settings::{Build, Settings};
use crate::deploy::table::{Difference, Plan, Rest, SETTINGS, Values};
use crate::domain::Region;
use crate::input::{both, refused, wrong};
use crate::options::Deploy;
use crate::service::Service;
use crate::service::agent::Agent;
use crate::source::Source;
use crate::text::theirs;
use crate::words::failed;

pub(super) fn deploy(context: CommandContext<'_>, options: &Deploy) -> Result<Reply, Failure> {
    let deployment = planned(context, options)?;
    let plan = &deployment.plan;
    if let Some(image) = deployment.image.as_ref().filter(|_| options.dry_run) {
        let sent = image.context.files.iter();
        let sent = sent.map(|name| format!("sent to the build: {}", theirs(name)));
        let left = image.context.left_out.iter();
        let left = left.map(|name| format!("not sent: {}", theirs(name)));
        sent.chain(left)
            .for_each(|line| context.session.info(&line));
    }
    if deployment.before.is_some() && !options.force && plan.changes.is_empty() {
        return deployment.nothing();
    }
    if options.dry_run {
        let text = plan.text() + "Nothing was changed\n";
        return Ok(Reply::text(text).data(deployment.data(deployment.before.as_ref())));
    }
    plan.agree(context.session, "Deploy it?", options.skip)?;
    deployment.carry_out()
}

struct Planned<'a> {
    options: &'a Deploy,
    agent: NamedAgent<'a>,
    before: Option<Agent>,
    region: Region,
    /// The missing sets, which are created before the agent.
    missing: Vec<Missing>,
    /// The image to build, unless the settings specify one.
    image: Option<Image>,
    /// The agent whose build is taken.
    from: Option<String>,
    plan: Plan,
}

fn planned<'a>(context: CommandContext<'a>, options: &'a Deploy) -> Result<Planned<'a>, Failure> {
    let mut project = project::deployment(
        context.session,
        options.dir.as_deref(),
        options.environment.as_ref(),
    )?;
    if options.settings.build.context_dir.is_none() {
        project.check_context()?;
    }
    let of_file = project.settings.region.take();
    let in_file = project.settings.problems();
    project.settings = project.settings.overridden_by(&options.settings)?;
    let mut problems = project.settings.problems();
    if let Some(path) = &project.path {
        // No option caused what the file alone has.
        for problem in problems.iter_mut().filter(|it| in_file.contains(it)) {
            problem.flag = None;
            problem.problem = format!("{} (in {})", problem.problem, path.display());
        }
    }
    let valid = refused(problems).map_err(|failure| match project.path {
        Some(_) => failure,
        None => failure.hint(project::without_deployment(
            context.session,
            &project.folder,
        )),
    });
    let option = project.settings.region.take();
    let regions = both(parsed(option.as_deref()), parsed(of_file.as_deref()));
    let input = both(valid, regions);
    let (((), wanted), service) = open::service(context, &options.account, input)?;
    let name = project.settings.agent_name.clone().unwrap_or_default();
    let before = service.agent(&name)?;
    let region = region(&service, wanted, before.as_ref())?;
    let (own, there) = (&project.settings, before.as_ref());
    let promoted = Promoted::find(context, &service, options, (&name, &region, own), there)?;
    let mut named = options.settings.clone();
    if let Some(promoted) = &promoted {
        named.build_id = Some(promoted.build.clone());
        if before.is_none() && service.is_user() {
            // The service's default may be another one.
            named.architecture.clone_from(&promoted.architecture);
        }
        project.settings = project.settings.overridden_by(&named)?;
    }
    if project.settings.git.repo.is_some() && before.is_some() {
        let message = format!("`{name}` exists, and its repository can be set only when it is new");
        return Err(failed("agent_exists", message).hint(
            "a push to the repository deploys it; without `[git]`, an image or a build does",
        ));
    }
    let missing = secrets::missing(context, &service.scope, &project, &region, options)?;
    // Options alone change what they name.
    let names_folder = options.dir.is_some() || options.settings.build != Build::default();
    let builds = project.path.is_some() || names_folder;
    let image = match before {
        Some(_) if !builds => None,
        _ => Image::of(context, &service, &project, region.as_str())?,
    };
    let mut wanted = project.settings.values();
    if let Some(id) = image.as_ref().and_then(|it| it.id.as_ref()) {
        wanted.insert("build_id".to_owned(), json!(id));
    }
    let is_user = service.is_user();
    if before.is_none() && !is_user {
        check_published(&wanted)?;
    }
    let verb = if before.is_some() { "Update" } else { "Create" };
    let place = service.scope.organization_name();
    let place = place.map_or(String::new(), |place| format!(" of organization {place}"));
    let running = before.as_ref().map(Agent::settings);
    let rest = match project.path {
        Some(_) => Rest::NotInFile,
        None => Rest::Untouched,
    };
    let mut plan = Plan::new(&wanted, &named.values(), running.as_ref(), rest, is_user);
    plan.title = format!("{verb} the agent `{name}` in the region {region}{place}");
    if let Some(Promoted { agent, build, .. }) = &promoted {
        let build = format!("the build {} that `{agent}` runs", theirs(build));
        context.session.note(&format!("taking {build}"));
        plan.title = format!("{}, with {build}", plan.title);
    }
    describe(&mut plan, &missing, image.as_ref());
    Ok(Planned {
        options,
        agent: NamedAgent {
            context,
            service,
            name,
        },
        before,
        region,
        missing,
        image,
        from: promoted.map(|it| it.agent),
        plan,
    })
}

/// Adds the origin of the image and of the missing sets to the plan.
fn describe(plan: &mut Plan, missing: &[Missing], image: Option<&Image>) {
    let changes = &mut plan.changes;
    for set in missing {
        let remark = Some(set.words());
        match changes.iter_mut().find(|it| it.setting == set.setting) {
            Some(change) => change.remark = remark,
            None => changes.push(Difference::new(set.setting, set.name.as_str(), remark)),
        }
    }
    let exists = image.is_some_and(|it| it.id.is_some());
    if let Some(build) = changes
        .iter_mut()
        .find(|it| exists && it.setting == "build_id")
    {
        build.remark = Some("which exists already");
    }
    if let Some(image) = image.filter(|_| !exists) {
        changes.insert(0, Difference::new("image", &image.words(), None));
    }
}

/// Fails if a new agent would not have some of the settings, because a private API key can't make them.
fn check_published(wanted: &Values) -> Result<(), Failure> {
    let lacking = SETTINGS.iter().filter(|setting| !setting.is_published);
    let lacking = lacking.filter(|setting| wanted.contains_key(&setting.key));
    let message = "a private API key can't create an agent with these settings";
    let failure = Failure::new(Exit::NotAllowed, "api_key", message).hint(SIGN_IN);
    let problem = "would be dropped without a word";
    let failure = lacking.fold(failure, |failure, it| failure.field(&it.key, None, problem));
    if failure.fields.is_empty() {
        Ok(())
    } else {
        Err(failure)
    }
}

impl Planned<'_> {
    /// Reports that there is nothing to deploy. If the agent is not ready, waits for the agent unless an option disables waiting.
    fn nothing(&self) -> Result<Reply, Failure> {
        let before = self.before.as_ref();
        let waits = !self.options.no_wait && !self.options.dry_run;
        let Some(agent) = before.filter(|agent| waits && !agent.is_ready()) else {
            self.note_secrets();
            let text = self.plan.nothing(&self.agent.name);
            return Ok(Reply::text(text).data(self.data(before)));
        };
        let note = "the agent already runs this, but is not ready";
        self.agent.context.session.note(note);
        // An earlier run deployed it.
        let followed = self.followed(agent, &self.plan.sent);
        followed.map_err(|failure| failure.outcome(ChangeState::NotDone))
    }

    fn carry_out(&self) -> Result<Reply, Failure> {
        let (mut has_set, name) = (false, &self.agent.name);
        let deployed = self.deployed(&mut has_set);
        let (deployed, sent) = deployed.map_err(|mut failure| {
            if failure.message == "cancelled" {
                failure.message = format!("cancelled; `{name}` was not deployed");
            }
            match failure.outcome {
                Some(ChangeState::Unknown) => failure,
                // A set can be created without becoming ready.
                outcome if has_set || !matches!(outcome, None | Some(ChangeState::NotDone)) => {
                    let hint = format!("a missing set was created, but `{name}` was not deployed");
                    failure.outcome(ChangeState::PartlyDone).hint(hint)
                }
                _ => failure.outcome(ChangeState::NotDone),
            }
        })?;
        if !Agent::has_changed(self.before.as_ref(), Some(&deployed)) {
            let context = self.agent.context;
            context.session.warn(&format!(
                "the service found nothing to change; `{name}` is as before"
            ));
        }
        self.note_secrets();
        self.followed(&deployed, &sent)
    }

    /// Says that running agents keep the values of their secrets, unless an option replaces these.
    fn note_secrets(&self) {
        let mut settings = [&self.plan.sent, &self.plan.kept].into_iter();
        let has_set = settings.any(|it| it.get("secret_set").is_some_and(Value::is_string));
        if self.before.is_none() || self.is_forced() || !has_set {
            return;
        }
        let place = self.options.dir.iter();
        let place = place.map(|it| quoted(&it.display().to_string()) + " ");
        let environment = self.options.environment.iter();
        let environment = environment.map(|it| format!("--environment {it} "));
        let words: String = place.chain(environment).collect();
        let words = format!("deploy {words}--force");
        // Other options belong to it, too.
        let is_whole = self.options.settings == Settings::default() && self.options.from.is_none();
        let whole = is_whole.then(|| self.agent.service.scope.command(&words));
        let command = whole.unwrap_or("--force".to_owned());
        self.agent.context.session.note(&format!(
            "agents that run keep the values of their secrets; `{command}` gives them the new ones"
        ));
    }

    /// Reports whether agents are to read their secrets anew.
    fn is_forced(&self) -> bool {
        self.options.force || !self.missing.is_empty()
    }

    /// Creates the missing sets, builds the image and deploys it. Sets `has_set` once a set is created. Returns the settings that were sent,
    /// too.
    fn deployed(&self, has_set: &mut bool) -> Result<(Agent, Values), Failure> {
        let (context, service) = (self.agent.context, &self.agent.service);
        // A build takes minutes.
        self.agent.check_unchanged(self.before.as_ref())?;
        for missing in &self.missing {
            missing.provide(context, &service.scope, &self.region)?;
            *has_set = true;
        }
        let mut settings = self.plan.sent.clone();
        if let Some(image) = &self.image {
            let id = image.built(context, service, self.region.as_str())?;
            settings.insert("build_id".to_owned(), json!(id));
        }
        let more = match &self.before {
            None => json!({ "region": self.region.as_str() }),
            Some(_) if self.is_forced() => json!({ "forceRedeploy": true }),
            Some(_) => json!({}),
        };
        context
            .session
            .progress(&format!("Deploying `{}`", self.agent.name), None, None);
        let agent = self.agent.deploy(self.before.as_ref(), &settings, more)?;
        Ok((agent, settings))
    }

    /// Waits until the deployment is ready, unless `--no-wait` is set, and returns the reply.
    fn followed(&self, deployed: &Agent, sent: &Values) -> Result<Reply, Failure> {
        let data = |agent: &Agent| {
            let data = self.data(Some(agent));
            self.agent.compared(sent, &self.plan.kept, agent, data)
        };
        if self.options.no_wait {
            let before = self.before.as_ref();
            return Ok(self.agent.started(before, deployed, data(deployed)));
        }
        let patience = Duration::from_secs(self.options.timeout);
        let followed = follow::until_ready(&self.agent, deployed.desired(), patience);
        let (ready, took) = followed.inspect_err(|_| drop(data(deployed)))?;
        let text = format!("`{}` is ready ({})\n", self.agent.name, follow::clock(took));
        let reply = Reply::text(text).data(data(&ready));
        Ok(reply.next(self.agent.command("start")))
    }

    fn data(&self, agent: Option<&Agent>) -> Value {
        let new = || json!({ "name": self.agent.name, "ready": false });
        let mut data = self.plan.added_to(agent.map_or_else(new, agent_json));
        data["region"] = json!(self.region.as_str());
        let is_changed = Agent::has_changed(self.before.as_ref(), agent);
        let is_renewed = is_changed && (self.before.is_none() || self.is_forced());
        data["changed"] = json!(is_changed);
        data["from"] = json!(self.from);
        data["secrets_renewed"] = json!(is_renewed);
        if self.options.dry_run {
            let packed = self.image.as_ref().map(|it| &it.context);
            data["files"] = json!(packed.map(|it| &it.files));
            data["left_out"] = json!(packed.map(|it| &it.left_out));
        }
        data
    }
}

/// Returns the agent's region. Fails if an option or the deployment file specifies another region for an existing agent.
///
/// The region of a new agent comes from the option, the environment, the deployment file or the configuration, in this order. The fallback
/// is the organization's default region.
fn region(
    service: &Service<'_>,
    (option, file): (Option<Region>, Option<Region>),
    agent: Option<&Agent>,
) -> Result<Region, Failure> {
    if let Some(there) = parsed(agent.and_then(|agent| agent.text("region")))? {
        if option.or(file).is_none_or(|wanted| wanted == there) {
            return Ok(there);
        }
        let message = format!("the agent is in the region {there}, which can't change");
        let problem = format!("must be {there} or left out");
        let failure = failed("region_conflict", message);
        let failure = failure.field("region", Some("--region"), problem);
        return Err(failure.hint("use another name for the agent, or delete it first"));
    }
    let configured = service.scope.region.as_ref();
    let of = |source| configured.filter(|it| it.source == source);
    let variable = of(Source::Environment).map(|it| it.value.clone());
    let configured = configured.map(|it| it.value.clone());
    if let Some(region) = option.or(variable).or(file).or(configured) {
        return Ok(region);
    }
    parsed(service.default_region()?.as_deref())?.ok_or_else(|| {
        let list = service.scope.command("regions list");
        let failure = failed("no_region", "the service names no default region");
        failure.hint(format!("choose one with `--region`: `{list}`"))
    })
}

fn parsed(region: Option<&str>) -> Result<Option<Region>, Failure> {
    let region = region.map(Region::parse).transpose();
    region.map_err(|problem| wrong("region", problem))
}

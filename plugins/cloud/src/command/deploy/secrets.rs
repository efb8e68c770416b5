//! Creates the secrets that a deployment needs. The secrets must exist in the agent's region before the agent is created.

use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{ChangeState, Failure};
use bot_cli_terminal::shell::quoted;

use crate::command::context::CommandContext;
use crate::command::open::{self, Opened};
use crate::command::project::Project;
use crate::command::{copy, set};
use crate::domain::{BackendName, Region, SetKind, SetName, kind_words};
use crate::options::{Copy, Manner, Set};
use crate::scope::{Scope, Setting, Wanted};
use crate::source::Source;
use crate::text::theirs;
use crate::words::failed;

/// A set that the deployment needs but that doesn't exist in the service yet.
pub struct Missing {
    pub name: SetName,
    kind: SetKind,
    origin: Origin,
}

enum Origin {
    /// The set is copied from the vault.
    Vault,
    /// The user is prompted for the values of the keys in this template file.
    Template(PathBuf),
}

/// Returns the sets that the deployment has to create first. Fails if a set can't be created or can't be used by the agent.
pub fn missing(
    context: &CommandContext<'_>,
    scope: &Scope,
    project: &Project,
    region: &str,
    can_ask: bool,
) -> Result<Vec<Missing>, Failure> {
    let settings = &project.settings;
    let template = project.folder.join(".env.example");
    let template = template.is_file().then_some(template);
    let wanted = [
        (&settings.secret_set, SetKind::Secret),
        (&settings.image_credentials, SetKind::ImagePullSecret),
    ];
    let mut missing = Vec::new();
    for (name, kind) in wanted {
        let Some(name) = name else { continue };
        let name = SetName::parse_existing(name).map_err(|problem| {
            failed(
                "invalid_file",
                format!("the name of the {} {problem}", kind_words(kind)),
            )
        })?;
        let opened = opened(context, scope, region)?;
        let Some(found) = opened.backend.get(&name)? else {
            let template = template.as_deref();
            missing.push(Missing {
                origin: origin(context, &opened, &name, kind, template, can_ask)?,
                name,
                kind,
            });
            continue;
        };
        if found.summary.kind != kind {
            let (is, should) = (kind_words(found.summary.kind), kind_words(kind));
            let message = format!("`{name}` is of the type {is}; the deployment needs a {should}");
            return Err(failed("wrong_type", message));
        }
        let is = found.summary.region.as_deref().unwrap_or(region);
        if is != region {
            let is = theirs(is);
            let message = format!("`{name}` is in the region {is}, and the agent in {region}");
            let hint = "use the region of the set for the agent, or a set of another name";
            return Err(failed("region_conflict", message).hint(hint));
        }
    }
    Ok(missing)
}

/// Opens the service's secrets in the agent's region.
fn opened<'a>(
    context: &'a CommandContext<'_>,
    scope: &Scope,
    region: &str,
) -> Result<Opened<'a>, Failure> {
    let region = Region::parse(region)
        .map_err(|problem| failed("invalid_response", format!("the agent's region {problem}")))?;
    let mut scope = scope.clone();
    scope.region = Some(Setting::new(region, Source::Existing));
    open::open_scope(context, scope)
}

/// Determines whether to create a missing set from the vault or from a template. Fails if neither is available.
fn origin(
    context: &CommandContext<'_>,
    opened: &Opened<'_>,
    name: &SetName,
    kind: SetKind,
    template: Option<&Path>,
    can_ask: bool,
) -> Result<Origin, Failure> {
    let vault = open::open(context, &Wanted::of(BackendName::LOCAL.as_str(), None));
    let in_vault = vault.and_then(|vault| Ok(vault.backend.get(name)?));
    if in_vault.is_ok_and(|found| found.is_some_and(|it| it.summary.kind == kind)) {
        return Ok(Origin::Vault);
    }
    let message = format!("there is no {} `{name}` at the service", kind_words(kind));
    let failure = failed("not_found", message);
    let region = opened.scope.region.as_ref();
    let region = region.map_or(String::new(), |it| format!(" --region {}", it.value));
    let command = match (kind, template) {
        (SetKind::ImagePullSecret, _) => format!("image-pull-secret {name} REGISTRY"),
        (_, Some(template)) if can_ask => return Ok(Origin::Template(template.to_owned())),
        (_, Some(template)) => {
            let template = quoted(&template.display().to_string());
            format!("set {name} --from-template {template}")
        }
        (_, None) => format!("set {name} KEY=VALUE"),
    };
    let command = format!("secrets {command} --backend hosted{region}");
    Err(failure.hint(opened.scope.command(&command)))
}

impl Missing {
    /// Describes the set's origin for the plan.
    pub fn words(&self) -> &'static str {
        match self.origin {
            Origin::Vault => "copied from the vault",
            Origin::Template(_) => "created now, from the keys in .env.example",
        }
    }

    /// Creates the set in the service. Doesn't ask for confirmation, because the user has already confirmed the plan.
    pub fn provide(
        &self,
        context: &CommandContext<'_>,
        scope: &Scope,
        region: &str,
    ) -> Result<(), Failure> {
        let manner = Manner {
            skip: true,
            dry_run: false,
            wait: true,
        };
        let organization = scope.organization_name().map(str::to_owned);
        let region = region.to_owned();
        let reply = match &self.origin {
            Origin::Vault => {
                let copied = Copy {
                    name: self.name.to_string(),
                    to: BackendName::HOSTED.to_string(),
                    to_name: None,
                    to_organization: organization,
                    manner,
                    from: BackendName::LOCAL.to_string(),
                    organization: None,
                    region: Some(region.clone()),
                };
                copy::copy(context, &copied)?
            }
            Origin::Template(template) => {
                let hosted = BackendName::HOSTED;
                let options = Set {
                    name: Some(self.name.to_string()),
                    from_template: Some(template.clone()),
                    manner,
                    region: Some(region.clone()),
                    scope: Wanted::of(hosted.as_str(), organization.as_deref()),
                    ..Set::default()
                };
                set::set(context, options)?
            }
        };
        context.note(reply.text.trim_end());
        let found = opened(context, scope, &region)?.backend.get(&self.name)?;
        if found.is_some_and(|found| found.summary.kind == self.kind) {
            return Ok(());
        }
        let message = format!(
            "`{}` was created, but the service does not show it",
            self.name
        );
        Err(failed("contradicted", message).outcome(ChangeState::Done))
    }
}

//! Creates the secrets that a deployment needs. The secrets must exist in the agent's region before the agent is created.

use std::path::PathBuf;

use bot_cli_protocol::failure::Failure;
use bot_cli_secrets::messages::SetInfo;
use bot_cli_templates::project::ENV_TEMPLATE;
use bot_cli_terminal::shell::quoted;

use crate::command::context::CommandContext;
use crate::command::open;
use crate::command::project::Deployment;
use crate::command::target::wrong_type;
use crate::command::{copy, set};
use crate::domain::{BackendName, Region, SetKind, SetName, kind_words};
use crate::files::short_text;
use crate::input::given::from_template;
use crate::input::wrong;
use crate::options::{Copy, Deploy, Manner, Set};
use crate::scope::{Scope, Setting, Wanted};
use crate::source::Source;
use crate::text::theirs;
use crate::words::failed;

/// A set that the deployment needs but that doesn't exist in the service yet.
pub struct Missing {
    pub name: SetName,
    /// The setting that names it.
    pub setting: &'static str,
    /// The file with the keys whose values the user is asked for, or `None` if the set is copied from the vault.
    template: Option<PathBuf>,
}

/// Returns the sets that the deployment has to create first. Fails if a set can't be created or can't be used by the agent.
pub fn missing(
    context: CommandContext<'_>,
    scope: &Scope,
    project: &Deployment,
    region: &Region,
    options: &Deploy,
) -> Result<Vec<Missing>, Failure> {
    let (settings, typed) = (&project.settings, &options.settings);
    let wanted = [
        ("secret_set", &settings.secret_set, &typed.secret_set),
        (
            "image_credentials",
            &settings.image_credentials,
            &typed.image_credentials,
        ),
    ];
    let can_ask = context.session.interactive() && !options.skip;
    let mut missing = Vec::new();
    for (setting, name, typed) in wanted {
        let kind = match setting {
            "secret_set" => SetKind::Secret,
            _ => SetKind::ImagePullSecret,
        };
        // The service pulls nothing that it builds from a repository.
        let is_pulled = kind == SetKind::Secret || settings.git.repo.is_none();
        let Some(name) = name.as_ref().filter(|_| is_pulled) else {
            continue;
        };
        let name = SetName::parse_existing(name).map_err(|problem| {
            let message = format!("the name of the {} {problem}", kind_words(kind));
            failed("invalid_file", message)
        })?;
        let mut scope = scope.clone();
        scope.region = Some(Setting::new(region.clone(), Source::Existing));
        let opened = open::open_scope(context, scope)?;
        let Some(found) = opened.get(&name)? else {
            let is_kind = |set: Option<SetInfo>| set.is_some_and(|set| set.kind == kind);
            let vault = open::open(context, &Wanted::of(BackendName::LOCAL.as_str(), None));
            let in_vault = vault.and_then(|vault| Ok(vault.get(&name)?));
            let has_keys = |(text, _): (String, _)| {
                let keys = from_template("", text.as_bytes());
                keys.is_ok_and(|keys| !keys.is_empty())
            };
            let template = project.folder.join(ENV_TEMPLATE);
            let has_template = kind == SetKind::Secret && short_text(&template).is_ok_and(has_keys);
            let is_in_vault = in_vault.is_ok_and(is_kind);
            let there = format!("--backend hosted --region {region}");
            let mut message = format!("there is no {} `{name}` at the service", kind_words(kind));
            // A file that came with somebody else's code may name any set of the user's.
            let command = if is_in_vault && options.skip && typed.is_none() {
                message += ", and `--skip` copies one from the vault only if an option names it";
                format!("copy {name} --region {region}")
            } else if is_in_vault || (has_template && can_ask) {
                let checked = SetName::parse(name.as_str());
                let checked = checked.and_then(|name| opened.profile.check_name(&name));
                checked.map_err(|problem| wrong(setting, problem))?;
                if kind == SetKind::Secret {
                    project.check_apart()?;
                }
                missing.push(Missing {
                    name,
                    setting,
                    template: Some(template).filter(|_| !is_in_vault),
                });
                continue;
            } else if has_template {
                let template = quoted(&template.display().to_string());
                format!("set {name} --from-template {template} {there}")
            } else if kind == SetKind::Secret {
                format!("set {name} KEY=VALUE {there}")
            } else {
                format!("image-pull-secret {name} REGISTRY {there}")
            };
            let hint = opened.scope.command(&format!("secrets {command}"));
            return Err(failed("not_found", message).hint(hint));
        };
        if found.kind != kind {
            return Err(wrong_type(&name, found.kind));
        }
        let is = found.region.as_deref();
        if let Some(is) = is.filter(|is| *is != region.as_str()) {
            let is = theirs(is);
            let message = format!("`{name}` is in the region {is}, and the agent in {region}");
            let hint = "use the region of the set for the agent, or a set of another name";
            return Err(failed("region_conflict", message).hint(hint));
        }
    }
    Ok(missing)
}

impl Missing {
    /// Describes the set's origin for the plan.
    pub fn words(&self) -> &'static str {
        match self.template {
            None => "copied from the vault",
            Some(_) => "created now, from the keys in .env.example",
        }
    }

    /// Creates the set in the service. Doesn't ask for confirmation, because the user has already confirmed the plan.
    pub fn provide(
        &self,
        context: CommandContext<'_>,
        scope: &Scope,
        region: &Region,
    ) -> Result<(), Failure> {
        let manner = Manner {
            skip: true,
            dry_run: false,
            wait: true,
            only_new: true,
        };
        let (hosted, organization) = (BackendName::HOSTED, scope.organization_name());
        let reply = match &self.template {
            None => {
                let options = Copy {
                    name: Some(self.name.to_string()),
                    from: BackendName::LOCAL.to_string(),
                    to: hosted.to_string(),
                    to_organization: organization.map(str::to_owned),
                    region: Some(region.to_string()),
                    manner,
                    ..Copy::default()
                };
                copy::copy(context, &options)?
            }
            Some(template) => {
                let options = Set {
                    name: Some(self.name.to_string()),
                    from_template: Some(template.clone()),
                    region: Some(region.to_string()),
                    scope: Wanted::of(hosted.as_str(), organization),
                    manner,
                    ..Set::default()
                };
                let reply = set::set(context, options)?;
                let opened = open::open_scope(context, scope.clone())?;
                if opened.get(&self.name)?.is_none() {
                    let message = format!("`{}` has no keys, so it was not created", self.name);
                    return Err(failed("empty_set", message));
                }
                reply
            }
        };
        context.session.note(reply.text.trim_end());
        Ok(())
    }
}

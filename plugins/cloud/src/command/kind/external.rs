//! A backend that has an executable of its own: `bot-cli-secrets-NAME`.

use std::collections::BTreeMap;

use bot_cli_engine::compat::User;
use bot_cli_engine::discovery::{BackendStanding, FoundBackend, Plugin};
use bot_cli_engine::driver::Patience;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::{HostName, SettingSpec, UseSpec};
use bot_cli_secrets::client::Client;
use bot_cli_secrets::messages::{self as secrets, OpenParams};

use super::{Kind, Organizations, Others, names};
use crate::backend::external::{self, External};
use crate::backend::{Profile, SecretsBackend};
use crate::command::context::CommandContext;
use crate::config::BackendSettings;
use crate::domain::{BUILT_IN, BackendName, Organization, SECRETS};
use crate::environment::Environment;
use crate::scope::{Scope, Setting, unknown_backend};
use crate::source::Source;
use crate::text::theirs;
use crate::words::{failed, near_or};

/// Our own executable, as the requirements of backends name it.
const EXECUTABLE: &str = "bot-cli-cloud";

/// Our own version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The settings that every backend has: where to act where no option says so.
pub const EVERYWHERE: [(&str, &str); 2] = [
    ("organization", "The organization, as --organization"),
    ("region", "The region, as --region"),
];

/// A backend that is installed and fits.
pub struct Installed {
    name: BackendName,
    plugin: Box<Plugin>,
}

/// Returns the backends that `bot-cli-cloud` can use.
pub fn uses() -> UseSpec {
    UseSpec::new(secrets::VERSION).names(BUILT_IN.each_ref().map(BackendName::as_str))
}

/// Every backend that was found, whether or not it can be used.
pub fn all(environment: &Environment) -> Vec<FoundBackend> {
    let built_in = BUILT_IN.each_ref().map(BackendName::as_str);
    environment.plugins.backends(Some(&user()), &built_in)
}

fn user() -> User {
    User::new(EXECUTABLE, VERSION, uses())
}

impl Installed {
    /// The backend of that name; one clear line where there is none, or where it can't be used.
    pub fn find(environment: &Environment, name: &Setting<BackendName>) -> Result<Self, Failure> {
        let Setting { value, source } = name;
        let found = environment.plugins.backend(value.as_str(), Some(&user()));
        for FoundBackend { file, standing, .. } in found {
            match standing {
                BackendStanding::Usable(plugin, _) => {
                    return Ok(Self {
                        name: value.clone(),
                        plugin,
                    });
                }
                BackendStanding::Refused(refused) => {
                    let message = format!("can't use the backend `{value}`: {refused}");
                    return Err(failed("backend_refused", message)
                        .hint(format!("it is `{}`", file.display())));
                }
                BackendStanding::Shadowed(_) => {}
            }
        }
        let failure = unknown_backend(value.as_str(), *source);
        let names = names(environment);
        let instead = format!(
            "backends: {}; another one is an executable `bot-cli-{SECRETS}NAME` where `bot-cli plugin list` looks",
            names.join(", ")
        );
        let known = names.iter().map(String::as_str);
        Err(near_or(failure, value.as_str(), known, instead))
    }

    pub fn name(&self) -> &BackendName {
        &self.name
    }

    /// The settings that it declares, and those of every backend.
    pub fn settings(&self) -> Vec<SettingSpec> {
        let manifest = self.plugin.manifest.as_ref();
        let own = manifest.map(|manifest| manifest.settings.clone());
        let is_own = |setting: &SettingSpec| {
            let name = setting.name.as_str();
            !EVERYWHERE.iter().any(|(everywhere, _)| *everywhere == name)
        };
        let everywhere = EVERYWHERE.map(|(name, about)| SettingSpec::new(name, about));
        let own = own.unwrap_or_default().into_iter().filter(is_own);
        own.chain(everywhere).collect()
    }

    /// The settings that are set, all of which it must know; and all that it needs must be set.
    fn set(&self, environment: &Environment) -> Result<BTreeMap<String, String>, Failure> {
        let file = BackendSettings::read(environment, &self.name)?;
        let mut set = file.all(&self.name);
        let (name, specs) = (&self.name, self.settings());
        if let Some(unknown) = set.keys().find(|key| !knows(&specs, key)) {
            let shown = theirs(unknown);
            let message = format!("the backend `{name}` has no setting `{shown}`");
            let failure = Failure::new(Exit::Usage, "unknown_setting", message);
            return Err(no_setting(failure, &specs, unknown).hint(format!(
                "`bot-cli cloud config set {name}.{shown} ''` removes it"
            )));
        }
        let missing = specs.iter().filter(|spec| spec.required);
        let mut missing = missing.filter(|spec| !set.contains_key(&spec.name));
        if let Some(spec) = missing.next() {
            let setting = theirs(&spec.name);
            let message = format!("the backend `{name}` needs its setting `{setting}`");
            return Err(Failure::new(Exit::Usage, "missing_setting", message)
                .hint(format!("bot-cli cloud config set {name}.{setting} VALUE")));
        }
        for (everywhere, _) in EVERYWHERE {
            set.remove(everywhere);
        }
        Ok(set)
    }

    fn opened<'a>(
        &self,
        context: &'a CommandContext<'_>,
        scope: &mut Scope,
    ) -> Result<External<'a>, Failure> {
        let organization = scope.organization.as_ref();
        // The region of a project is where its bot is deployed.
        let region = scope.region.as_ref();
        let region = region.filter(|region| region.source != Source::DeployFile);
        let params = OpenParams {
            secrets: secrets::VERSION.to_owned(),
            organization: organization.map(|organization| organization.value.to_string()),
            region: region.map(|region| region.value.to_string()),
            settings: self.set(&context.environment)?,
        };
        let plugin = format!("{SECRETS}{}", self.name);
        let mut launch = context.environment.plugins.nesting.launch(
            &plugin,
            &self.plugin.file,
            &context.cwd(),
            Patience::default(),
        )?;
        launch.patience.silence = Some(scope.pace.request);
        // It is for the service.
        launch.env_remove.push("BOT_CLI_TOKEN".into());
        let caller = HostName::new(EXECUTABLE, VERSION);
        let client = Client::open(&launch, caller, &params, context.relay(&plugin));
        let client = client.map_err(|fault| external::failed(&self.name, fault))?;
        self.note(context, scope, &client)?;
        Ok(External::new(self.name.clone(), client, context))
    }

    /// Notes in the scope where the backend acts.
    fn note(
        &self,
        context: &CommandContext<'_>,
        scope: &mut Scope,
        client: &Client,
    ) -> Result<(), Failure> {
        let name = &self.name;
        let opened = client.opened();
        let wanted = scope.organization.take();
        scope.organization = match (&opened.organization, wanted) {
            (Some(organization), wanted) => {
                let value = Organization::parse(organization).map_err(|_| {
                    let message =
                        format!("the backend `{name}` names an organization that can't be one");
                    failed("invalid_response", message)
                })?;
                let source = wanted
                    .filter(|wanted| wanted.value == value)
                    .map_or(Source::Backend, |wanted| wanted.source);
                Some(Setting { value, source })
            }
            (None, Some(wanted)) => {
                let organization = wanted.value;
                context.warn(&format!(
                    "the backend `{name}` has no organizations; `{organization}` is ignored"
                ));
                None
            }
            (None, None) => None,
        };
        scope.place = match (opened.place.as_str(), &scope.organization) {
            ("", Some(_)) => None,
            ("", None) => Some("its only place".to_owned()),
            (place, _) => Some(place.to_owned()),
        };
        Ok(())
    }
}

impl Kind for Installed {
    fn profile(&self) -> Profile {
        external::profile(&self.name)
    }

    fn open<'a>(
        &self,
        context: &'a CommandContext<'_>,
        scope: &mut Scope,
    ) -> Result<Box<dyn SecretsBackend + 'a>, Failure> {
        Ok(Box::new(self.opened(context, scope)?))
    }

    fn organizations(
        &self,
        context: &CommandContext<'_>,
        scope: &mut Scope,
    ) -> Result<Organizations, Failure> {
        let opened = self.opened(context, scope)?;
        let all = opened.organizations();
        if let Some(all) = all? {
            return Ok(Organizations {
                all,
                others: Others::Missing,
            });
        }
        let current = scope.organization.iter();
        Ok(Organizations {
            all: current
                .map(|one| (one.value.to_string(), one.value.to_string()))
                .collect(),
            others: Others::Unnamed,
        })
    }

    fn signs_in_itself(&self) -> bool {
        true
    }
}

/// Whether one of the settings has this name.
pub fn knows(specs: &[SettingSpec], key: &str) -> bool {
    specs.iter().any(|spec| spec.name == key)
}

/// The failure with what the user may have meant, or what there is.
pub fn no_setting(failure: Failure, specs: &[SettingSpec], key: &str) -> Failure {
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let possible = format!("settings: {}", theirs(&names.join(", ")));
    near_or(failure, key, names, possible)
}

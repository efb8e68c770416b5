//! Backends with their own executable, `bot-cli-secrets-NAME`.

use std::collections::BTreeMap;

use bot_cli_engine::compat::User;
use bot_cli_engine::discovery::{BACKEND_PREFIX, Found, Plugin, Standing};
use bot_cli_engine::driver::Patience;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::{HostName, SettingSpec, UseSpec};
use bot_cli_sdk::session::Session;
use bot_cli_secrets::client::Client;
use bot_cli_secrets::messages::{self as secrets, OpenParams, OpenResult};

use super::names;
use crate::backend::external::External;
use crate::command::context::CommandContext;
use crate::config::Configuration;
use crate::domain::{BUILT_IN, BackendName, Organization};
use crate::environment::Environment;
use crate::scope::{Scope, Setting, unknown_backend};
use crate::source::Source;
use crate::text::theirs;
use crate::words::{external, failed, near_or};

/// The name that backends use for this executable in their requirements.
const EXECUTABLE: &str = "bot-cli-cloud";

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The settings that every installed backend has.
const EVERYWHERE: [(&str, &str); 2] = [
    ("organization", "The organization, as --organization"),
    ("region", "The region, as --region"),
];

pub struct Installed {
    pub name: BackendName,
    plugin: Box<Plugin>,
}

/// Returns the supported version of the backend protocol and the names of the built-in backends.
pub fn uses() -> UseSpec {
    UseSpec::new(secrets::VERSION).names(BUILT_IN.each_ref().map(BackendName::as_str))
}

/// Returns all backends found, whether or not they are usable.
pub fn all(environment: &Environment) -> Vec<Found<Plugin>> {
    let built_in = BUILT_IN.each_ref().map(BackendName::as_str);
    let search = environment.plugins.search();
    search.backends(Some(&user()), &built_in)
}

fn user() -> User {
    User::new(EXECUTABLE, VERSION, uses())
}

impl Installed {
    pub fn find(environment: &Environment, name: &Setting<BackendName>) -> Result<Self, Failure> {
        let Setting { value, source } = name;
        let search = environment.plugins.search();
        let found = search.backend(value.as_str(), Some(&user()));
        for Found {
            place, standing, ..
        } in found
        {
            match standing {
                Standing::Used(plugin) => {
                    let (name, plugin) = (value.clone(), Box::new(plugin));
                    return Ok(Self { name, plugin });
                }
                Standing::Refused(refused) => {
                    let message = format!("can't use the backend `{value}`: {refused}");
                    return Err(failed("backend_refused", message)
                        .hint(format!("it is `{}`", place.display())));
                }
                Standing::Shadowed(_) => {}
            }
        }
        let names = names(environment);
        let instead = format!(
            "backends: {}; another one is an executable `bot-cli-{BACKEND_PREFIX}NAME` where `bot-cli plugin list` looks",
            names.join(", ")
        );
        let failure = unknown_backend(value.as_str(), *source);
        let known = names.iter().map(String::as_str);
        Err(near_or(failure, value.as_str(), known, instead))
    }

    /// Returns the settings declared by the backend and the settings common to all backends.
    pub fn settings(&self) -> Vec<SettingSpec> {
        let manifest = self.plugin.manifest.as_ref();
        let mut settings = manifest.map_or_else(Vec::new, |manifest| manifest.settings.clone());
        settings.retain(|setting| EVERYWHERE.iter().all(|(name, _)| *name != setting.name));
        settings.extend(EVERYWHERE.map(|(name, about)| SettingSpec::new(name, about)));
        settings
    }

    /// Returns the configured settings. Fails if a setting is unknown or a required setting is missing.
    fn set(&self, environment: &Environment) -> Result<BTreeMap<String, String>, Failure> {
        let (name, specs) = (&self.name, self.settings());
        let mut set = Configuration::of_backend(environment, name)?.all();
        let is_known = |key: &str| specs.iter().any(|spec| spec.name == key);
        if let Some(unknown) = set.keys().find(|key| !is_known(key)) {
            let remove = format!("bot-cli cloud config set {name}.{} ''", theirs(unknown));
            return Err(no_setting(name, &specs, unknown).hint(format!("`{remove}` removes it")));
        }
        let is_missing = |spec: &&SettingSpec| spec.required && !set.contains_key(&spec.name);
        if let Some(spec) = specs.iter().find(is_missing) {
            let setting = theirs(&spec.name);
            let message = format!("the backend `{name}` needs its setting `{setting}`");
            return Err(Failure::new(Exit::Usage, "missing_setting", message)
                .hint(format!("bot-cli cloud config set {name}.{setting} VALUE")));
        }
        set.retain(|key, _| EVERYWHERE.iter().all(|(name, _)| name != key));
        Ok(set)
    }

    pub fn open(
        &self,
        context: CommandContext<'_>,
        scope: &mut Scope,
    ) -> Result<External, Failure> {
        // A project's region is for its bot, not for this backend.
        let region = scope.region.as_ref();
        let region = region.filter(|region| region.source != Source::DeployFile);
        let params = OpenParams {
            secrets: secrets::VERSION.to_owned(),
            organization: scope.organization.as_ref().map(|one| one.value.to_string()),
            region: region.map(|region| region.value.to_string()),
            settings: self.set(context.environment)?,
        };
        let plugin = format!("{BACKEND_PREFIX}{}", self.name);
        let mut launch = context.environment.plugins.nesting.launch(
            &plugin,
            &self.plugin.file,
            context.session.cwd(),
            Patience::default(),
        )?;
        launch.patience.silence = Some(scope.pace.request);
        // The token is for the hosting service only.
        launch.env_remove.push("BOT_CLI_TOKEN".into());
        let caller = HostName::new(EXECUTABLE, VERSION);
        let relay = context.session.relay(&plugin);
        let client = Client::open(&launch, caller, &params, relay);
        let client = client.map_err(|error| external::told(&self.name, error))?;
        self.note(context.session, scope, client.opened())?;
        Ok(External::new(self.name.clone(), client))
    }

    /// Updates the scope with the location and the organization that the backend reported.
    fn note(
        &self,
        session: &Session,
        scope: &mut Scope,
        opened: &OpenResult,
    ) -> Result<(), Failure> {
        let (name, wanted) = (&self.name, scope.organization.take());
        match (&opened.organization, wanted) {
            (Some(organization), wanted) => {
                let value = Organization::parse(organization).map_err(|problem| {
                    let message = format!("the organization of the backend `{name}` {problem}");
                    failed("invalid_response", message)
                })?;
                let wanted = wanted.filter(|wanted| wanted.value == value);
                let source = wanted.map_or(Source::Backend, |wanted| wanted.source);
                scope.organization = Some(Setting::new(value, source));
            }
            (None, Some(Setting { value, .. })) => session.warn(&format!(
                "the backend `{name}` has no organizations; `{value}` is ignored"
            )),
            (None, None) => {}
        }
        scope.place = match (opened.place.as_str(), &scope.organization) {
            ("", Some(_)) => None,
            ("", None) => Some("its only place".to_owned()),
            (place, _) => Some(place.to_owned()),
        };
        Ok(())
    }
}

pub fn no_setting(backend: &BackendName, specs: &[SettingSpec], key: &str) -> Failure {
    let message = format!("the backend `{backend}` has no setting `{}`", theirs(key));
    let failure = Failure::new(Exit::Usage, "unknown_setting", message);
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let possible = format!("settings: {}", theirs(&names.join(", ")));
    near_or(failure, key, names, possible)
}

//! The `config` commands.

use bot_cli_protocol::failure::Failure;
use bot_cli_sdk::plugin::Reply;
use bot_cli_secrets::names_a_credential;
use bot_cli_vault::secret_file::{SecretFile, Storage};
use serde_json::json;

use super::context::CommandContext;
use super::kind::{Installed, Kind, no_setting};
use super::list::table_of;
use super::open;
use crate::address::address;
use crate::config::{Configuration, KEYS};
use crate::domain::{BUILT_IN, BackendName, Organization, Region};
use crate::environment::Environment;
use crate::input::wrong;
use crate::scope::{Setting, Wanted, backend_of, keyring_of, keyring_word, seconds};
use crate::source::Source;
use crate::text::theirs;
use crate::words::near_or;

pub(super) fn show(context: CommandContext<'_>) -> Result<Reply, Failure> {
    let scope = open::scope(context, &Wanted::default())?;
    let mut settings = scope.json();
    match Kind::of(context.environment, &scope.backend) {
        Ok(kind) => {
            let implied = kind.profile().implied();
            let own = implied.map(|(organization, region)| {
                [
                    ("organization", organization.to_string()),
                    ("region", region.to_owned()),
                ]
            });
            for (name, value) in own.into_iter().flatten() {
                if settings[name]["value"].is_null() {
                    settings[name] = Setting::new(value, Source::Default).json();
                }
            }
        }
        Err(failure) => context.session.warn(&failure.message),
    }
    let keyring = keyring_word(scope.keyring.value);
    let timeout = scope.pace.request.as_secs_f64();
    settings["api_url"] = Setting::new(scope.shown_url(), scope.api_url.source).json();
    settings["timeout"] = Setting::new(timeout, scope.timeout).json();
    settings["keyring"] = Setting::new(keyring, scope.keyring.source).json();
    let backend = &scope.backend.value;
    if !BUILT_IN.contains(backend) {
        for (key, value) in Configuration::of_backend(context.environment, backend)?.all() {
            let name = format!("{backend}.{}", theirs(&key));
            settings[name] = Setting::new(theirs(&value), Source::Config).json();
        }
    }
    let rows = settings.as_object().into_iter().flatten();
    let rows = rows.map(|(name, setting)| match setting["value"].as_str() {
        Some(value) => {
            let source = setting["source"].as_str().unwrap_or_default();
            [name.as_str(), value, source]
        }
        None => [name.as_str(), "(not set)", ""],
    });
    let config = Configuration::read(context.environment)?.path;
    let vault = context.environment.vault_folder()?;
    let file = SecretFile::new(vault.join("vault.key"), context.session);
    let key = file.exists().then(|| file.place());
    let key_words = key.map_or("none yet".to_owned(), |place| place.words(file.path()));
    let text = format!(
        "{}\nConfiguration: {}\nVault: {}\nVault key: {key_words}\n",
        table_of(["SETTING", "VALUE", "FROM"], rows),
        config.display(),
        vault.display(),
    );
    Ok(Reply::text(text).data(json!({
        "scope": settings,
        "config": config,
        "vault": vault,
        "vault_key": key.map(Storage::name),
    })))
}

pub(super) fn set(context: CommandContext<'_>, key: &str, value: &str) -> Result<Reply, Failure> {
    let new = Some(value).filter(|value| !value.is_empty());
    let (mut settings, key, shown) = if let Some((backend, key)) = key.split_once('.') {
        let name = backend_with(context, backend, key, new)?;
        let settings = Configuration::of_backend(context.environment, &name)?;
        (settings, key.to_owned(), format!("{name}.{}", theirs(key)))
    } else {
        let key = key.replace('-', "_");
        check(context.environment, &key, new)?;
        (Configuration::read(context.environment)?, key.clone(), key)
    };
    settings.set(&key, new)?;
    let config = settings.path.display();
    let text = match new {
        None => format!("Removed {shown} from {config}\n"),
        Some(value) => format!("Set {shown} to {value} in {config}\n"),
    };
    let data = json!({ "key": shown, "value": new, "config": settings.path });
    Ok(Reply::text(text).data(data))
}

/// Checks one of the plugin's own settings.
fn check(environment: &Environment, key: &str, new: Option<&str>) -> Result<(), Failure> {
    if !KEYS.contains(&key) {
        let possible = format!("settings: {}", KEYS.join(", "));
        let failure = near_or(wrong("key", "is not a setting"), key, KEYS, possible);
        return Err(failure.hint("a setting of an installed backend is `NAME.KEY`"));
    }
    let Some(value) = new else {
        return Ok(());
    };
    let checked = match key {
        "organization" => Organization::parse(value).map(drop),
        "region" => Region::parse(value).map(drop),
        "timeout" => seconds(value).map(drop),
        "keyring" => keyring_of(value).map(drop),
        "api_url" => return address(value).map(drop),
        _ => {
            // A backend must be installed before it can be configured.
            let name = Setting::new(backend_of(value, Source::Flag)?, Source::Flag);
            return Kind::of(environment, &name).map(drop);
        }
    };
    checked.map_err(|problem| wrong("value", problem))
}

/// Checks a setting of an installed backend and returns the backend's name. Settings of a backend that is not installed can only be
/// removed.
fn backend_with(
    context: CommandContext<'_>,
    backend: &str,
    key: &str,
    new: Option<&str>,
) -> Result<BackendName, Failure> {
    let problem = "must be `NAME.KEY`, with the name of a backend that is installed";
    let name = BackendName::parse(backend).filter(|name| !BUILT_IN.contains(name));
    let name = name.ok_or_else(|| wrong("key", problem))?;
    let Some(value) = new else {
        return Ok(name);
    };
    let setting = Setting::new(name, Source::Flag);
    let installed = Installed::find(context.environment, &setting).map_err(|mut failure| {
        if failure.code == "unknown_backend" {
            failure.fields.clear();
            return failure.field("key", None, problem);
        }
        failure
    })?;
    let (name, specs) = (setting.value, installed.settings());
    if !specs.iter().any(|spec| spec.name == key) {
        return Err(no_setting(&name, &specs, key));
    }
    let checked = match key {
        "organization" => Organization::parse(value).map(drop),
        "region" => Region::parse(value).map(drop),
        _ if value.chars().any(char::is_control) => Err("must be one printable line".to_owned()),
        _ => Ok(()),
    };
    checked.map_err(|problem| wrong("value", problem))?;
    let has_password = url::Url::parse(value).is_ok_and(|url| url.password().is_some());
    if names_a_credential(key).is_some() || has_password {
        context.session.warn(&format!(
            "`{name}.{key}` looks like a credential, and settings are stored as plain text"
        ));
    }
    Ok(name)
}

//! `config show` and `config set`.

use std::path::Path;

use bot_cli_protocol::failure::Failure;
use bot_cli_sdk::plugin::Reply;
use bot_cli_secrets::names_a_credential;
use serde_json::json;

use super::context::CommandContext;
use super::kind::{Installed, Kind, no_setting, own_organization};
use super::list::table_of;
use super::open;
use crate::address::address;
use crate::backend::local::REGIONS;
use crate::config::{KEYS, Settings};
use crate::domain::{BUILT_IN, BackendName, Organization, Region};
use crate::input::wrong;
use crate::scope::{Setting, Wanted, backend_of, keyring_of, keyring_word, seconds};
use crate::secret_file::{SecretFile, Storage};
use crate::source::Source;
use crate::text::theirs;
use crate::words::near_or;

pub(super) fn show(context: &CommandContext<'_>) -> Result<Reply, Failure> {
    let mut scope = open::scope(context, &Wanted::default())?;
    match Kind::of(&context.environment, &scope.backend) {
        Ok(Kind::Local) => {
            let own = own_organization()?;
            scope.organization.get_or_insert(own);
            let region = Region::parse(REGIONS[0].0).map_err(|problem| wrong("region", problem))?;
            let own = Setting::new(region, Source::Default);
            scope.region.get_or_insert(own);
        }
        Ok(Kind::Hosted | Kind::Installed(_)) => {}
        Err(failure) => context.warn(&failure.message),
    }
    let mut settings = scope.json();
    let keyring = keyring_word(scope.keyring.value);
    let timeout = scope.pace.request.as_secs_f64();
    settings["api_url"] = Setting::new(scope.shown_url(), scope.api_url.source).json();
    settings["timeout"] = Setting::new(timeout, scope.timeout).json();
    settings["keyring"] = Setting::new(keyring, scope.keyring.source).json();
    let backend = &scope.backend.value;
    if !BUILT_IN.contains(backend) {
        for (key, value) in Settings::of_backend(&context.environment, backend)?.all() {
            let name = format!("{backend}.{}", theirs(&key));
            settings[name] = Setting::new(theirs(&value), Source::Config).json();
        }
    }
    let rows = settings.as_object().into_iter().flatten();
    let rows = rows.map(|(name, setting)| match setting["value"].as_str() {
        Some(value) => [
            name.as_str(),
            value,
            setting["source"].as_str().unwrap_or_default(),
        ],
        None => [name.as_str(), "(not set)", ""],
    });
    let config = Settings::read(&context.environment)?.path;
    let vault = context.vault_folder()?;
    let file = SecretFile::new(vault.join("vault.key"), context);
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

pub(super) fn set(context: &CommandContext<'_>, key: &str, value: &str) -> Result<Reply, Failure> {
    if let Some((backend, key)) = key.split_once('.') {
        return set_of_backend(context, backend, key, value);
    }
    let key = key.replace('-', "_");
    if !KEYS.contains(&key.as_str()) {
        let possible = format!("settings: {}", KEYS.join(", "));
        return Err(
            near_or(wrong("key", "is not a setting"), &key, KEYS, possible)
                .hint("a setting of an installed backend is `NAME.KEY`"),
        );
    }
    if !value.is_empty() {
        check(context, &key, value)?;
    }
    let mut settings = Settings::read(&context.environment)?;
    settings.set(&key, (!value.is_empty()).then_some(value))?;
    Ok(done(&key, value, &settings.path))
}

/// Sets a setting of an installed backend. One that is not installed can only lose settings.
fn set_of_backend(
    context: &CommandContext<'_>,
    backend: &str,
    key: &str,
    value: &str,
) -> Result<Reply, Failure> {
    let problem = "must be `NAME.KEY`, with the name of a backend that is installed";
    let name = BackendName::parse(backend).filter(|name| !BUILT_IN.contains(name));
    let name = name.ok_or_else(|| wrong("key", problem))?;
    if !value.is_empty() {
        let setting = Setting::new(name.clone(), Source::Flag);
        let installed =
            Installed::find(&context.environment, &setting).map_err(|mut failure| {
                if failure.code == "unknown_backend" {
                    failure.fields.clear();
                    return failure.field("key", None, problem);
                }
                failure
            })?;
        let specs = installed.settings();
        if !specs.iter().any(|spec| spec.name == key) {
            return Err(no_setting(&name, &specs, key));
        }
        let checked = match key {
            "organization" => Organization::parse(value).map(drop),
            "region" => Region::parse(value).map(drop),
            _ if value.chars().any(char::is_control) => {
                Err("must be one printable line".to_owned())
            }
            _ => Ok(()),
        };
        checked.map_err(|problem| wrong("value", problem))?;
    }
    let has_password = url::Url::parse(value).is_ok_and(|url| url.password().is_some());
    if !value.is_empty() && (names_a_credential(key).is_some() || has_password) {
        context.warn(&format!(
            "`{name}.{key}` looks like a credential, and settings are stored as plain text"
        ));
    }
    let mut settings = Settings::of_backend(&context.environment, &name)?;
    settings.set(key, (!value.is_empty()).then_some(value))?;
    Ok(done(
        &format!("{name}.{}", theirs(key)),
        value,
        &settings.path,
    ))
}

/// Reports that a setting is set or removed.
fn done(key: &str, value: &str, path: &Path) -> Reply {
    let shown = path.display();
    let text = match value {
        "" => format!("Removed {key} from {shown}\n"),
        value => format!("Set {key} to {value} in {shown}\n"),
    };
    let value = (!value.is_empty()).then_some(value);
    Reply::text(text).data(json!({ "key": key, "value": value, "config": path }))
}

fn check(context: &CommandContext<'_>, key: &str, value: &str) -> Result<(), Failure> {
    let wrong = |problem| wrong("value", problem);
    match key {
        "organization" => Organization::parse(value).map(drop).map_err(wrong),
        "region" => Region::parse(value).map(drop).map_err(wrong),
        "timeout" => seconds(value).map(drop).map_err(wrong),
        "keyring" => keyring_of(value).map(drop).map_err(wrong),
        "api_url" => address(value).map(drop),
        _ => {
            // A backend must be there before it is configured.
            let name = Setting::new(backend_of(value, Source::Flag)?, Source::Flag);
            Kind::of(&context.environment, &name).map(drop)
        }
    }
}

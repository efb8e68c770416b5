//! `config show` and `config set`.

mod backend;

use std::path::Path;

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::suggest::{did_you_mean, nearest};
use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::table;
use serde_json::json;

use super::context::CommandContext;
use super::{kind, open};
use crate::address::address;
use crate::config::{ConfigFile, KEYS};
use crate::domain::{Organization, Region};
use crate::input::wrong;
use crate::keyring::{self, KeyringError};
use crate::scope::{Setting, Wanted, backend_of, keyring_of, keyring_word, seconds};
use crate::secret_file::{SecretFile, Storage};
use crate::source::Source;

pub(super) fn show(context: &CommandContext<'_>) -> Result<Reply, Failure> {
    let mut scope = open::scope(context, &Wanted::default())?;
    let kind = match kind::of(&context.environment, &scope.backend) {
        Ok(kind) => Some(kind),
        Err(failure) => {
            context.warn(&failure.message);
            None
        }
    };
    if let Some(kind) = &kind {
        kind.settle(&mut scope);
    }
    let config = ConfigFile::read(&context.environment)?;
    let nobody = || ("(not set)".to_owned(), "");
    let organization = scope.organization.as_ref();
    let region = scope.region.as_ref();
    let keyring = keyring_word(scope.keyring.value);
    let state = keyring_state(context, scope.keyring.value);
    let shown = state.map_or_else(
        || keyring.to_owned(),
        |state| format!("{keyring} ({state})"),
    );
    let rows = [
        (
            "backend",
            (scope.backend.value.to_string(), scope.backend.source.name()),
        ),
        (
            "organization",
            organization.map_or_else(nobody, |one| (one.value.to_string(), one.source.name())),
        ),
        (
            "region",
            region.map_or_else(nobody, |one| (one.value.to_string(), one.source.name())),
        ),
        ("api_url", (scope.shown_url(), scope.api_url.source.name())),
        (
            "timeout",
            (
                format!("{} s", scope.pace.request.as_secs_f64()),
                scope.timeout.name(),
            ),
        ),
        ("keyring", (shown, scope.keyring.source.name())),
    ];
    let header = ["SETTING", "VALUE", "FROM"].map(str::to_owned).to_vec();
    let rows = rows
        .into_iter()
        .map(|(name, (value, source))| vec![name.to_owned(), value, source.to_owned()]);
    let own = backend::settings(context, &scope.backend.value)?;
    let rows = rows.chain(own.rows);
    let vault = context.vault_folder()?;
    let key = vault_key(context, &vault);
    let mut data = scope.json();
    data["api_url"] = json!({ "value": scope.shown_url(), "source": scope.api_url.source.name() });
    data["keyring"] = json!({
        "value": keyring,
        "source": scope.keyring.source.name(),
        "state": state,
    });
    data["timeout"] = json!(scope.pace.request.as_secs_f64());
    let backends = backend::all(context);
    Ok(Reply::text(format!(
        "{}\nConfiguration: {}\nVault: {}\nVault key: {}\n{}",
        table(&[header].into_iter().chain(rows).collect::<Vec<_>>()),
        config.path.display(),
        vault.display(),
        key.map_or_else(
            || "none yet".to_owned(),
            |place| place.words(&vault.join("vault.key"))
        ),
        backends.text
    ))
    .data(json!({
        "scope": data,
        "config": config.path,
        "vault": vault,
        "vault_key": key.map(Storage::name),
        "settings": own.data,
        "backends": backends.data,
    })))
}

/// Whether the keyring that is wanted is there.
fn keyring_state(context: &CommandContext<'_>, wanted: Storage) -> Option<&'static str> {
    if wanted == Storage::File {
        return None;
    }
    Some(match keyring::available(context) {
        Ok(()) => "found",
        Err(KeyringError::None(_)) => "none found",
        Err(_) => "no response",
    })
}

/// Returns the storage of the vault's key, if there is one.
fn vault_key(context: &CommandContext<'_>, vault: &Path) -> Option<Storage> {
    let file = SecretFile::new(vault.join("vault.key"), context);
    file.exists().then(|| file.place())
}

pub(super) fn set(context: &CommandContext<'_>, key: &str, value: &str) -> Result<Reply, Failure> {
    if let Some((backend, key)) = key.split_once('.') {
        return backend::set(context, backend, key, value);
    }
    let key = key.replace('-', "_");
    if !KEYS.contains(&key.as_str()) {
        let failure = wrong("key", "is not a setting");
        let failure = match nearest(&key, KEYS) {
            Some(near) => failure.hint(did_you_mean(&[near])),
            None => failure,
        };
        return Err(failure
            .hint(format!("settings: {}", KEYS.join(", ")))
            .hint("a setting of an installed backend is `NAME.KEY`"));
    }
    if !value.is_empty() {
        check(context, &key, value)?;
    }
    let mut config = ConfigFile::read(&context.environment)?;
    config.set(&key, (!value.is_empty()).then_some(value))?;
    if !value.is_empty() {
        backend::warn_of_others(context, &config, &key);
    }
    Ok(done(&key, value, &config.path))
}

/// Says that a setting is set or removed.
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
            kind::of(&context.environment, &name).map(drop)
        }
    }
}

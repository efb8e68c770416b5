//! The backends that have an executable of their own: which there are, and their settings.

use std::collections::BTreeMap;

use bot_cli_engine::discovery::{BackendStanding, FoundBackend};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use bot_cli_secrets::names_a_credential;
use serde_json::{Map, Value, json};

use super::done;
use crate::command::context::CommandContext;
use crate::command::kind::{self, Installed, knows, no_setting};
use crate::config::{BackendSettings, ConfigFile};
use crate::domain::{BUILT_IN, BackendName, Organization, Region};
use crate::input::wrong;
use crate::scope::{Setting, unknown_backend};
use crate::source::Source;
use crate::text::theirs;

/// The settings of a backend, for display.
pub struct Settings {
    /// A row for each.
    pub rows: Vec<Vec<String>>,
    /// The same for programs.
    pub data: Value,
}

/// All backends, for display.
pub struct Backends {
    /// Lines for people; empty where there are only those that are built in.
    pub text: String,
    /// The same for programs.
    pub data: Value,
}

/// Sets a setting of a backend. One that is not installed can only lose settings.
pub fn set(
    context: &CommandContext<'_>,
    backend: &str,
    key: &str,
    value: &str,
) -> Result<Reply, Failure> {
    let source = Source::Flag;
    let Some(name) = BackendName::parse(backend) else {
        return Err(not_a_backend(unknown_backend(backend, source)));
    };
    if BUILT_IN.contains(&name) {
        let failure = wrong("key", "is not a setting");
        return Err(failure.hint(format!("`{name}` has no settings of its own")));
    }
    let mut settings = BackendSettings::read(&context.environment, &name)?;
    let key = if value.is_empty() {
        key.to_owned()
    } else {
        let setting = Setting::new(name.clone(), source);
        let installed = Installed::find(&context.environment, &setting).map_err(not_a_backend)?;
        check(&installed, key, value)?
    };
    if !value.is_empty() && (names_a_credential(&key).is_some() || has_a_password(value)) {
        let shown = format!("{name}.{}", theirs(&key));
        context.warn(&format!(
            "`{shown}` looks like a credential, and settings are kept as plain text: `bot-cli cloud config set {shown} ''` removes it"
        ));
    }
    settings.set(&name, &key, (!value.is_empty()).then_some(value))?;
    Ok(done(
        &format!("{name}.{}", theirs(&key)),
        value,
        &settings.path,
    ))
}

/// The failure of a key whose first word is no backend that there is: no option was given.
fn not_a_backend(mut failure: Failure) -> Failure {
    if failure.code == "unknown_backend" {
        failure.fields.clear();
        let problem = "must be `NAME.KEY`, with the name of a backend that is installed";
        return failure.field("key", None, problem);
    }
    failure
}

/// Whether an address has a user and a password in it.
fn has_a_password(value: &str) -> bool {
    url::Url::parse(value).is_ok_and(|url| url.password().is_some())
}

/// The name of the setting, as the backend has it.
fn check(installed: &Installed, key: &str, value: &str) -> Result<String, Failure> {
    let name = installed.name();
    let specs = installed.settings();
    let other = [key.replace('-', "_"), key.replace('_', "-")];
    let known = [key.to_owned()].into_iter().chain(other);
    let Some(known) = known.into_iter().find(|key| knows(&specs, key)) else {
        let message = format!("the backend `{name}` has no such setting");
        let failure = Failure::new(Exit::Usage, "unknown_setting", message);
        return Err(no_setting(failure, &specs, key));
    };
    let checked = match known.as_str() {
        "organization" => Organization::parse(value).map(drop),
        "region" => Region::parse(value).map(drop),
        _ if value.chars().any(char::is_control) => Err("must be one printable line".to_owned()),
        _ => Ok(()),
    };
    checked.map_err(|problem| wrong("value", problem))?;
    Ok(known)
}

/// Says that a setting is not for the backend that is in use, where that has its own.
pub fn warn_of_others(context: &CommandContext<'_>, config: &ConfigFile, key: &str) {
    if !["organization", "region"].contains(&key) {
        return;
    }
    let environment = context.environment.backend.as_deref();
    let Some(backend) = environment.or_else(|| config.get("backend")) else {
        return;
    };
    let built_in = BUILT_IN.iter().any(|built_in| built_in.as_str() == backend);
    if !built_in {
        let backend = theirs(backend);
        context.warn(&format!(
            "the backend `{backend}` has a setting of its own for that: `bot-cli cloud config set {backend}.{key} …`"
        ));
    }
}

/// The settings of the backend that is in use.
pub fn settings(context: &CommandContext<'_>, name: &BackendName) -> Result<Settings, Failure> {
    let all = if BUILT_IN.contains(name) {
        BTreeMap::new()
    } else {
        BackendSettings::read(&context.environment, name)?.all(name)
    };
    let rows = all.iter().map(|(key, value)| {
        let setting = format!("{name}.{}", theirs(key));
        vec![setting, theirs(value), Source::Config.name().to_owned()]
    });
    let data: Map<String, Value> = all
        .iter()
        .map(|(key, value)| (theirs(key), json!(theirs(value))))
        .collect();
    Ok(Settings {
        rows: rows.collect(),
        data: Value::Object(data),
    })
}

/// Every backend: those that can be used, and why others can't.
pub fn all(context: &CommandContext<'_>) -> Backends {
    let found = kind::found(&context.environment);
    let mut usable: Vec<String> = BUILT_IN.iter().map(ToString::to_string).collect();
    let mut others = String::new();
    let mut data: Vec<Value> = usable
        .iter()
        .map(|name| json!({ "name": name, "used": true }))
        .collect();
    let is_any = !found.is_empty();
    for FoundBackend {
        name,
        file,
        manifest,
        standing,
        ..
    } in found
    {
        let version = manifest.map(|manifest| theirs(&manifest.version));
        let reason = match standing {
            BackendStanding::Usable(..) => None,
            BackendStanding::Shadowed(winner) => {
                Some(format!("`{}` has the same name", winner.display()))
            }
            BackendStanding::Refused(refused) => Some(refused.to_string()),
        };
        data.push(json!({
            "name": name,
            "version": version,
            "file": file,
            "used": reason.is_none(),
            "reason": reason,
        }));
        match reason {
            None => usable.push(format!("{name} {}", version.unwrap_or_default())),
            Some(reason) => {
                others.extend([
                    "Not used: ",
                    &file.display().to_string(),
                    ": ",
                    &reason,
                    "\n",
                ]);
            }
        }
    }
    Backends {
        text: if is_any {
            format!("Backends: {}\n{others}", usable.join(", "))
        } else {
            String::new()
        },
        data: Value::Array(data),
    }
}

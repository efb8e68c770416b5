//! Completion, from local data: the vault, the settings, and the manifests of installed backends. The service, the
//! keyring and the backends are not asked.

use bot_cli_protocol::Candidate;

use super::kind::{self, Installed, Kind, own_organization};
use crate::backend::{Ability, local};
use crate::config::{KEYS, Settings};
use crate::domain::{BackendName, Organization, SetName};
use crate::environment::Environment;
use crate::scope::Setting;
use crate::source::Source;

/// The arguments whose values are known.
pub(super) const ARGUMENTS: &[&str] = &[
    "name",
    "secret_key",
    "region",
    "backend",
    "from",
    "to",
    "key",
];

pub(super) fn complete(
    argument: &str,
    words: &[String],
    environment: &Environment,
) -> Vec<Candidate> {
    match argument {
        "name" => plain(sets(words, environment).unwrap_or_default()),
        "secret_key" => plain(keys(words, environment).unwrap_or_default()),
        "region" => regions(words, environment).unwrap_or_default(),
        "backend" | "from" | "to" => plain(kind::names(environment)),
        "key" => settings(environment),
        _ => Vec::new(),
    }
}

fn plain<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Vec<Candidate> {
    values.into_iter().map(Candidate::new).collect()
}

fn regions(words: &[String], environment: &Environment) -> Option<Vec<Candidate>> {
    let backend = backend(words, environment, &["--backend", "--to"])?;
    if let Kind::Installed(_) = kind_of(environment, &backend)? {
        return None;
    }
    let regions = local::REGIONS.iter();
    Some(
        regions
            .map(|(code, name)| Candidate::new(*code).about(*name))
            .collect(),
    )
}

/// Returns the settings, with those of every backend that is installed.
fn settings(environment: &Environment) -> Vec<Candidate> {
    let mut settings = plain(KEYS.map(|key| key.replace('_', "-")));
    for name in kind::names(environment) {
        let parsed = BackendName::parse(&name).map(|name| Setting::new(name, Source::Default));
        let installed = parsed.and_then(|name| Installed::find(environment, &name).ok());
        let own = installed.iter().flat_map(Installed::settings);
        settings.extend(own.map(|spec| Candidate::new(format!("{name}.{}", spec.name))));
    }
    settings
}

/// Returns the sets of the vault, where the command acts on that.
fn sets(words: &[String], environment: &Environment) -> Option<Vec<String>> {
    let [secrets, command, rest @ ..] = words else {
        return None;
    };
    if secrets != "secrets" || command == "image-pull-secret" {
        return None;
    }
    let backend = match command.as_str() {
        "copy" => option(rest, &["--from"]).unwrap_or_else(local_backend),
        _ => backend(rest, environment, &["--backend"])?,
    };
    let kind = kind_of(environment, &backend)?;
    // `run` falls back to the vault where the configured backend gives no values.
    let falls_back = command == "run" && !kind.profile().can(Ability::Values);
    if !matches!(kind, Kind::Local) && !falls_back {
        return None;
    }
    local::names(
        &environment.vault_folder()?,
        &organization(rest, environment)?,
    )
}

/// Returns the keys of the set that is named in front, without those that are named already.
fn keys(words: &[String], environment: &Environment) -> Option<Vec<String>> {
    let [secrets, unset, rest @ ..] = words else {
        return None;
    };
    if secrets != "secrets" || unset != "unset" {
        return None;
    }
    let backend = backend(rest, environment, &["--backend"])?;
    if !matches!(kind_of(environment, &backend)?, Kind::Local) {
        return None;
    }
    let (folder, organization) = (
        environment.vault_folder()?,
        organization(rest, environment)?,
    );
    let (last, before) = rest.split_last()?;
    let mut named = before.iter().filter_map(|word| SetName::parse(word).ok());
    let mut keys = named.find_map(|name| local::keys(&folder, &organization, &name))?;
    keys.retain(|key| key == last || !before.contains(key));
    Some(keys)
}

/// Returns the backend that the options, the environment or the configuration name, or the vault.
fn backend(words: &[String], environment: &Environment, options: &[&str]) -> Option<String> {
    let config = Settings::read(environment).ok()?;
    let configured = config.get("backend").map(str::to_owned);
    let variable = environment.backend.clone();
    let named = option(words, options).or(variable).or(configured);
    Some(named.unwrap_or_else(local_backend))
}

fn local_backend() -> String {
    BackendName::LOCAL.to_string()
}

fn kind_of(environment: &Environment, backend: &str) -> Option<Kind> {
    let name = BackendName::parse(backend)?;
    Kind::of(environment, &Setting::new(name, Source::Flag)).ok()
}

fn organization(words: &[String], environment: &Environment) -> Option<Organization> {
    let config = Settings::read(environment).ok()?;
    let configured = config.get("organization").map(str::to_owned);
    let variable = environment.organization.clone();
    let named = option(words, &["--organization", "-o"]).or(variable);
    match named.or(configured) {
        Some(name) => Organization::parse(&name).ok(),
        None => own_organization().ok().map(|own| own.value),
    }
}

fn option(words: &[String], names: &[&str]) -> Option<String> {
    words
        .windows(2)
        .find(|pair| names.contains(&pair[0].as_str()))
        .map(|pair| pair[1].clone())
}

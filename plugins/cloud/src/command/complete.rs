//! Argument completion from local data: the vault, the settings and the manifests of installed backends.
//!
//! Completion never accesses the service, the keyring or a backend.

use std::path::{Path, PathBuf};

use bot_cli_protocol::Candidate;
use bot_cli_secrets::messages::Ability;
use bot_cli_vault::REGIONS;

use super::kind::{self, Installed, Kind};
use super::project;
use crate::auth::sign_in;
use crate::config::KEYS;
use crate::domain::{BackendName, Organization, SetName};
use crate::environment::Environment;
use crate::scope::{Scope, Setting, Wanted};
use crate::source::Source;

pub(super) const ARGUMENTS: &[&str] = &[
    "name",
    "secret_key",
    "only",
    "region",
    "backend",
    "environment",
    "from",
    "to",
    "key",
];

pub(super) fn complete(
    argument: &str,
    words: &[String],
    environment: &Environment,
    folder: &Path,
) -> Vec<Candidate> {
    match argument {
        "name" if option(words, &["--environment"]).is_some() => Vec::new(),
        "name" if words.first().is_some_and(|word| word == "agents") => {
            plain(project::agents(folder))
        }
        "name" => plain(sets(words, environment).unwrap_or_default()),
        "secret_key" => plain(keys(words, environment, folder, false).unwrap_or_default()),
        "only" => plain(keys(words, environment, folder, true).unwrap_or_default()),
        "region" => match scope(words, environment, option(words, &["--backend", "--to"])) {
            Some((_, kind)) if kind.profile().has_regions_of_agents() => REGIONS
                .map(|(code, name)| Candidate::new(code).about(name))
                .into(),
            Some(_) | None => Vec::new(),
        },
        "environment" => plain(project::environments(folder)),
        "from" if words.first().is_some_and(|word| word == "deploy") => {
            plain(project::environments(folder))
        }
        "backend" | "from" | "to" => plain(kind::names(environment)),
        "key" => settings(environment),
        _ => Vec::new(),
    }
}

fn plain<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Vec<Candidate> {
    values.into_iter().map(Candidate::new).collect()
}

/// Returns the names of all settings, including those of installed backends.
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

/// Returns the vault's set names, if the command uses the vault.
fn sets(words: &[String], environment: &Environment) -> Option<Vec<String>> {
    let from = option(words, &["--from"]).unwrap_or(BackendName::LOCAL.to_string());
    let (folder, organization) = match words.get(..2)?.join(" ").as_str() {
        "secrets list" | "secrets set" | "secrets unset" | "secrets delete" => {
            vault(words, environment, option(words, &["--backend"]), false)?
        }
        "secrets copy" => vault(words, environment, Some(from), false)?,
        "secrets run" | "secrets export" => {
            vault(words, environment, option(words, &["--backend"]), true)?
        }
        _ => return None,
    };
    bot_cli_vault::names(&folder, &organization)
}

/// Returns the keys of the given set, except keys that are already on the command line. `reads` is as for [`vault`].
fn keys(
    words: &[String],
    environment: &Environment,
    cwd: &Path,
    reads: bool,
) -> Option<Vec<String>> {
    let backend = option(words, &["--backend"]);
    let (folder, organization) = vault(words, environment, backend, reads)?;
    let (last, before) = words.get(2..)?.split_last()?;
    let mut named: Vec<SetName> = before
        .iter()
        .filter_map(|it| SetName::parse(it).ok())
        .collect();
    if let Some(environment) = option(words, &["--environment"]) {
        named = vec![project::set_in(cwd, &environment)?];
    }
    let mut named = named.into_iter();
    let keys = named.find_map(|name| bot_cli_vault::keys(&folder, &organization, &name))?;
    let keys = keys
        .into_iter()
        .filter(|key| key == last || !before.contains(key));
    Some(keys.collect())
}

/// Returns the vault's folder and organization, or `None` if the command uses another backend. If `reads` is set, the vault replaces a
/// backend that can't return values.
fn vault(
    words: &[String],
    environment: &Environment,
    backend: Option<String>,
    reads: bool,
) -> Option<(PathBuf, Organization)> {
    let (scope, kind) = scope(words, environment, backend)?;
    let falls_back = reads && !kind.profile().can(&Ability::Values);
    if !kind.profile().is_here() && !falls_back {
        return None;
    }
    let organization = scope.organization.map(|one| one.value);
    let organization = organization.unwrap_or_else(Organization::of_vault);
    Some((environment.vault_folder().ok()?, organization))
}

fn scope(
    words: &[String],
    environment: &Environment,
    backend: Option<String>,
) -> Option<(Scope, Kind)> {
    let wanted = Wanted {
        organization: option(words, &["--organization", "-o"]),
        region: None,
        backend,
    };
    let signed_in = sign_in::is_stored(environment);
    let scope = Scope::resolve(&wanted, environment, signed_in, |_| Ok(())).ok()?;
    let kind = Kind::of(environment, &scope.backend).ok()?;
    Some((scope, kind))
}

fn option(words: &[String], names: &[&str]) -> Option<String> {
    let mut pairs = words.windows(2);
    let pair = pairs.find(|pair| names.contains(&pair[0].as_str()))?;
    Some(pair[1].clone())
}

//! Completion, from local data: the vault, the settings, and the manifests of installed backends. The service, the
//! keyring and the backends are not asked.

use bot_cli_protocol::Candidate;

use super::kind::{self, Kind};
use crate::backend::Ability;
use crate::config::{ConfigFile, KEYS};
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
    "value",
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
        "value" => match words {
            [.., key, _] if key == "region" => regions(words, environment).unwrap_or_default(),
            [.., key, _] if key == "backend" => plain(kind::names(environment)),
            [.., key, _] if key == "keyring" => plain(["auto", "off"]),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn plain<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Vec<Candidate> {
    values.into_iter().map(Candidate::new).collect()
}

fn regions(words: &[String], environment: &Environment) -> Option<Vec<Candidate>> {
    let place = CompletionScope::find(words, environment, ["--backend", "--to"])?;
    let regions = place.kind.regions().into_iter();
    Some(
        regions
            .map(|(code, name)| Candidate::new(code).about(name))
            .collect(),
    )
}

/// The settings, with those of every backend that is installed.
fn settings(environment: &Environment) -> Vec<Candidate> {
    let mut settings = plain(KEYS.map(|key| key.replace('_', "-")));
    settings.extend(kind::settings(environment));
    settings
}

fn sets(words: &[String], environment: &Environment) -> Option<Vec<String>> {
    let [secrets, command, rest @ ..] = words else {
        return None;
    };
    if secrets != "secrets" || command == "image-pull-secret" {
        return None;
    }
    let place = match command.as_str() {
        // Only an option names the place of the original.
        "copy" => CompletionScope::of(option(rest, ["--from"; 2]), rest, environment),
        "run" => CompletionScope::readable(rest, environment),
        _ => CompletionScope::find(rest, environment, ["--backend"; 2]),
    }?;
    place.kind.sets(environment, place.organization.as_ref())
}

/// The keys of the set that is named in front, without those that are named already.
fn keys(words: &[String], environment: &Environment) -> Option<Vec<String>> {
    let [secrets, unset, rest @ ..] = words else {
        return None;
    };
    if secrets != "secrets" || unset != "unset" {
        return None;
    }
    let place = CompletionScope::find(rest, environment, ["--backend"; 2])?;
    let (last, before) = rest.split_last()?;
    let mut named = before.iter().filter_map(|word| SetName::parse(word).ok());
    let organization = place.organization.as_ref();
    let mut keys = named.find_map(|name| place.kind.keys(environment, organization, &name))?;
    keys.retain(|key| key == last || !before.contains(key));
    Some(keys)
}

/// The scope of the words, as far as it is known without the sign-in.
struct CompletionScope {
    kind: Box<dyn Kind>,
    organization: Option<Organization>,
}

impl CompletionScope {
    /// The place that the options, the environment or the configuration name; the vault where they name none.
    fn find(words: &[String], environment: &Environment, options: [&str; 2]) -> Option<Self> {
        let config = ConfigFile::read(environment).ok()?;
        let backend = option(words, options)
            .or_else(|| environment.backend.clone())
            .or_else(|| config.get("backend").map(str::to_owned));
        Self::of(backend, words, environment)
    }

    /// The same for a command that reads values, which the vault has where the named backend gives none.
    fn readable(words: &[String], environment: &Environment) -> Option<Self> {
        let place = Self::find(words, environment, ["--backend"; 2])?;
        if place.kind.profile().can(Ability::Values) {
            return Some(place);
        }
        Self::of(None, words, environment)
    }

    fn of(backend: Option<String>, words: &[String], environment: &Environment) -> Option<Self> {
        let config = ConfigFile::read(environment).ok()?;
        let name = match backend {
            Some(name) => BackendName::parse(&name)?,
            None => BackendName::LOCAL,
        };
        let organization = option(words, ["--organization", "-o"])
            .or_else(|| environment.organization.clone())
            .or_else(|| config.get("organization").map(str::to_owned));
        let organization = organization.map(|name| Organization::parse(&name));
        let value = Setting::new(name, Source::Flag);
        Some(Self {
            kind: kind::of(environment, &value).ok()?,
            organization: organization.transpose().ok()?,
        })
    }
}

fn option(words: &[String], names: [&str; 2]) -> Option<String> {
    words
        .windows(2)
        .find(|pair| names.contains(&pair[0].as_str()))
        .map(|pair| pair[1].clone())
}

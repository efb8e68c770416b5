//! What words may become, from what is at hand: the vault and the settings. The service and the keyring are not asked.

use bot_cli_sdk::protocol::Candidate;

use crate::backend::local::{self, ORGANIZATION, REGIONS};
use crate::config::{Config, KEYS};
use crate::domain::{Organization, SetName};
use crate::environment::Environment;

/// The arguments whose values are known.
pub(super) const ARGUMENTS: &[&str] = &["name", "secret_key", "region", "backend", "key", "value"];

const BACKENDS: [&str; 2] = ["local", "hosted"];

pub(super) fn complete(
    argument: &str,
    words: &[String],
    environment: &Environment,
) -> Vec<Candidate> {
    match argument {
        "name" => plain(sets(words, environment).unwrap_or_default()),
        "secret_key" => plain(keys(words, environment).unwrap_or_default()),
        "region" => REGIONS
            .into_iter()
            .map(|(code, name)| Candidate::new(code).about(name))
            .collect(),
        "backend" => plain(BACKENDS),
        "key" => plain(KEYS.map(|key| key.replace('_', "-"))),
        "value" => match words {
            [.., key, _] if key == "region" => complete("region", words, environment),
            [.., key, _] if key == "backend" => plain(BACKENDS),
            [.., key, _] if key == "keyring" => plain(["auto", "off"]),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn plain<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Vec<Candidate> {
    values.into_iter().map(Candidate::new).collect()
}

fn sets(words: &[String], environment: &Environment) -> Option<Vec<String>> {
    let [secrets, command, rest @ ..] = words else {
        return None;
    };
    let named = ["list", "set", "unset", "delete", "run", "copy"];
    if secrets != "secrets" || !named.contains(&command.as_str()) {
        return None;
    }
    // These two read the vault, whatever else is configured.
    let reads_the_vault = ["run", "copy"].contains(&command.as_str());
    let organization = organization(rest, environment, reads_the_vault)?;
    local::names(&environment.vault_folder()?, &organization)
}

/// The keys of the set that is named in front, without those that are named already.
fn keys(words: &[String], environment: &Environment) -> Option<Vec<String>> {
    let [secrets, unset, rest @ ..] = words else {
        return None;
    };
    if secrets != "secrets" || unset != "unset" {
        return None;
    }
    let organization = organization(rest, environment, false)?;
    let (last, before) = rest.split_last()?;
    let mut named = before.iter().filter_map(|word| SetName::parse(word).ok());
    let folder = environment.vault_folder()?;
    let mut keys = named.find_map(|name| local::keys(&folder, &organization, &name))?;
    keys.retain(|key| key == last || !before.contains(key));
    Some(keys)
}

/// The organization whose sets are in the vault; `None` where the vault is not what keeps them.
fn organization(
    rest: &[String],
    environment: &Environment,
    reads_the_vault: bool,
) -> Option<Organization> {
    let config = Config::read(environment).ok()?;
    let option = |names: [&str; 2]| {
        rest.windows(2)
            .find(|pair| names.contains(&pair[0].as_str()))
            .map(|pair| pair[1].clone())
    };
    let backend = option(["--backend", "--backend"])
        .or_else(|| environment.backend.clone())
        .or_else(|| config.get("backend").map(str::to_owned));
    if !reads_the_vault && backend.is_some_and(|backend| backend != "local") {
        return None;
    }
    let organization = option(["--organization", "-o"])
        .or_else(|| environment.organization.clone())
        .or_else(|| config.get("organization").map(str::to_owned))
        .unwrap_or_else(|| ORGANIZATION.to_owned());
    Organization::parse(&organization).ok()
}

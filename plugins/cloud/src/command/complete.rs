//! What a name may become: the sets of the vault, which are at hand. The service and the keyring are not asked.

use bot_cli_sdk::protocol::Candidate;

use crate::backend::local::{self, ORGANIZATION};
use crate::config::Config;
use crate::domain::Organization;
use crate::environment::Environment;

pub(super) fn sets(words: &[String], environment: &Environment) -> Vec<Candidate> {
    names(words, environment)
        .unwrap_or_default()
        .into_iter()
        .map(Candidate::new)
        .collect()
}

fn names(words: &[String], environment: &Environment) -> Option<Vec<String>> {
    let [secrets, command, rest @ ..] = words else {
        return None;
    };
    let named = ["list", "set", "unset", "delete", "run", "copy"];
    if secrets != "secrets" || !named.contains(&command.as_str()) {
        return None;
    }
    let config = Config::read(environment).ok()?;
    let option = |names: [&str; 2]| {
        rest.windows(2)
            .find(|pair| names.contains(&pair[0].as_str()))
            .map(|pair| pair[1].clone())
    };
    let backend = option(["--backend", "--backend"])
        .or_else(|| environment.backend.clone())
        .or_else(|| config.get("backend").map(str::to_owned));
    // These two read the vault, whatever else is configured.
    let reads_the_vault = ["run", "copy"].contains(&command.as_str());
    if !reads_the_vault && backend.is_some_and(|backend| backend != "local") {
        return None;
    }
    let organization = option(["--organization", "-o"])
        .or_else(|| environment.organization.clone())
        .or_else(|| config.get("organization").map(str::to_owned))
        .unwrap_or_else(|| ORGANIZATION.to_owned());
    let organization = Organization::parse(&organization).ok()?;
    local::names(&environment.vault_folder()?, &organization)
}

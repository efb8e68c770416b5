//! Reads the providers in a pack, one service at a time. Invalid services are skipped, each with a reason.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::form::{self, shown};
use super::rules::{check_provider, check_service, variables};
use super::{MOST_DATA, Origin, Provider, SCHEMA, Service, Taken};
use bot_cli_protocol::shape;

/// The provider's name for use in messages, and either the provider or the reason why the provider can't be read.
pub type ProviderFile = (String, Result<Value, String>);

/// The services of a pack.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contents {
    /// The providers with at least one service.
    pub providers: Vec<Provider>,
    /// The services, providers and files that can't be used.
    pub left_out: Vec<LeftOut>,
}

/// A service, a provider or a file that can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The identifier if it is valid, otherwise a description such as `service 2 of Acme`.
    pub what: String,
    /// A nonempty list of all problems.
    pub problems: Vec<String>,
    /// Whether the problem is a key or value that this version of the catalogue doesn't have, so that the rest was not read.
    pub is_unknown: bool,
}

impl LeftOut {
    /// Returns the first problem, on one line.
    pub fn reason(&self) -> String {
        self.problems.first().cloned().unwrap_or_default()
    }
}

/// Reads the providers from the manifest of the pack `pack` and reserves their names. Fails if the providers aren't a list or are too
/// large.
pub fn read(pack: &str, providers: Value, taken: &mut Taken) -> Result<Contents, String> {
    if providers.to_string().len() > MOST_DATA {
        return Err(too_much("providers"));
    }
    let Value::Array(providers) = providers else {
        return Err("`providers` must be a list".to_owned());
    };
    let numbered = (1..).map(|number| format!("provider {number}"));
    let files = numbered.zip(providers.into_iter().map(Ok)).collect();
    Ok(read_files(pack, files, taken))
}

/// Reads the providers from a folder and reserves their names, as [`read`] does for a manifest.
pub fn read_files(pack: &str, files: Vec<ProviderFile>, taken: &mut Taken) -> Contents {
    let mut reader = PackReader {
        pack,
        taken,
        contents: Contents::default(),
    };
    for (what, provider) in files {
        let read = provider.map_err(|reason| vec![reason].into());
        if let Err(problems) = read.and_then(|value| reader.provider(value)) {
            reader.leave_out(what, problems);
        }
    }
    reader.contents
}

/// All problems, and whether the only one is an unknown key or value.
struct Problems(Vec<String>, bool);

impl From<Vec<String>> for Problems {
    fn from(problems: Vec<String>) -> Self {
        Self(problems, false)
    }
}

struct PackReader<'a> {
    pack: &'a str,
    taken: &'a mut Taken,
    contents: Contents,
}

impl PackReader<'_> {
    fn leave_out(&mut self, what: String, Problems(problems, is_unknown): Problems) {
        self.contents.left_out.push(LeftOut {
            what,
            problems,
            is_unknown,
        });
    }

    fn provider(&mut self, mut value: Value) -> Result<(), Problems> {
        let services = value.get_mut("service").and_then(Value::as_array_mut);
        let services = services.map(std::mem::take).unwrap_or_default();
        let mut provider: Provider = shaped("provider", value)?;
        let problems = check_provider(&provider);
        if !problems.is_empty() {
            return Err(problems.into());
        }
        for (index, value) in services.into_iter().enumerate() {
            let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
            let name = match form::ID.problem(id) {
                None => id.to_owned(),
                Some(_) => format!("service {} of {}", index + 1, provider.label),
            };
            match self.service(&provider, value) {
                Ok(service) => provider.services.push(service),
                Err(problems) => self.leave_out(name, problems),
            }
        }
        if !provider.services.is_empty() {
            let services = provider.services.iter().flat_map(variables);
            let used: BTreeSet<String> = services.map(str::to_owned).collect();
            provider.env.retain(|name, _| used.contains(name));
            self.contents.providers.push(provider);
        }
        Ok(())
    }

    fn service(&mut self, provider: &Provider, value: Value) -> Result<Service, Problems> {
        let mut service: Service = shaped("service", value)?;
        // Only built-in services can have these.
        (service.recommended, service.alias) = (None, None);
        let mut problems = check_service(provider, &service, Origin::Pack(self.pack));
        problems.extend(self.taken.conflict(provider, &service));
        if !problems.is_empty() {
            return Err(problems.into());
        }
        let whose = format!("pack `{}`", self.pack);
        self.taken.service(provider, &service, &whose);
        Ok(service)
    }
}

fn shaped<T: DeserializeOwned>(field: &str, value: Value) -> Result<T, Problems> {
    if !value.is_object() {
        return Err(vec![format!("`{field}` must be a table")].into());
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let path = path.split('.').filter(|part| !part.is_empty()).map(shown);
        let field: Vec<String> = std::iter::once(field.to_owned()).chain(path).collect();
        let field = field.join(".");
        let reason = error.into_inner().to_string();
        let is_key = reason.starts_with("unknown field `");
        let is_unknown = is_key || reason.starts_with("unknown variant `");
        let reason = if is_key {
            format!("is not a key of catalogue {SCHEMA}")
        } else {
            shape::problem("", &reason)
                .trim_start_matches("`` ")
                .to_owned()
        };
        Problems(vec![format!("`{field}` {reason}")], is_unknown)
    })
}

pub(super) fn too_much(what: &str) -> String {
    let most = MOST_DATA / (1024 * 1024);
    format!("`{what}` has more than {most} MiB of data, the most of a pack")
}

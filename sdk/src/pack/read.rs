//! Reads the providers of a pack, one service at a time: one that can't be used is left out with the reason, and the others stay.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::check::{check_provider, check_service, variables};
use super::grammar::{self, shown};
use super::{MOST_DATA, Origin, Provider, SCHEMA, Service, Taken, Variable};
use crate::protocol::shape;
use crate::protocol::strict::Strict;

/// The most providers of a pack.
const MOST_PROVIDERS: usize = 100;

/// The services of a pack.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Contents {
    /// The providers that have a service.
    pub providers: Vec<Provider>,
    /// What is left out.
    pub left_out: Vec<LeftOut>,
}

/// A service, a provider or a file that can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// Which: its identifier as far as it has one; ``service 2 of `Acme` ``.
    pub what: String,
    /// Why, in a line.
    pub reason: String,
}

/// Reads the providers of a pack.
#[derive(Debug)]
pub struct Reader<'a> {
    pack: &'a str,
    /// The schema that the pack declares, and who reads it, where it is newer than what that knows.
    newer: Option<(&'a str, &'a str)>,
    taken: &'a mut Taken,
    contents: Contents,
}

impl<'a> Reader<'a> {
    /// For the pack of this name. What its services have is `taken` then.
    pub fn new(pack: &'a str, taken: &'a mut Taken) -> Self {
        Self {
            pack,
            newer: None,
            taken,
            contents: Contents::default(),
        }
    }

    /// The pack declares `schema`, which is newer than what `reader` knows: `bot-cli-init 0.1.0`.
    #[must_use]
    pub fn newer(mut self, schema: &'a str, reader: &'a str) -> Self {
        self.newer = Some((schema, reader));
        self
    }

    /// Reads `providers` of a manifest or of a reply; the reason why they are no providers.
    pub fn list(&mut self, providers: Value) -> Result<(), String> {
        if size(&providers) > MOST_DATA {
            return Err(too_much_data());
        }
        let Value::Array(providers) = providers else {
            return Err("its `providers` are not a list".to_owned());
        };
        if providers.len() > MOST_PROVIDERS {
            return Err(format!(
                "it has {} providers; {MOST_PROVIDERS} are the most",
                providers.len()
            ));
        }
        for (index, provider) in providers.into_iter().enumerate() {
            self.provider(&format!("provider {}", index + 1), provider);
        }
        Ok(())
    }

    /// Leaves out what can't be read at all.
    pub fn leave_out(&mut self, what: impl Into<String>, reason: impl Into<String>) {
        self.contents.left_out.push(LeftOut {
            what: what.into(),
            reason: reason.into(),
        });
    }

    /// Reads a provider, which is called `what` as long as it has no label.
    pub fn provider(&mut self, what: &str, value: Value) {
        let Value::Object(mut members) = value else {
            return self.leave_out(
                what,
                "is not an object with `label`, `site`, `env` and `service`",
            );
        };
        let label = members.get("label").and_then(Value::as_str);
        let what = match label {
            Some(label) if grammar::LABEL.problem(label).is_none() => format!("`{label}`"),
            _ => what.to_owned(),
        };
        let services = members.remove("service");
        let described = members.remove("env");
        members.insert("service".to_owned(), Value::Array(Vec::new()));
        let mut provider: Provider = match self.shaped(Value::Object(members)) {
            Ok(provider) => provider,
            Err(reason) => return self.leave_out(what, reason),
        };
        let Some(Value::Array(services)) = services else {
            return self.leave_out(what, "`service` must be a list");
        };
        let described = match described {
            None => Map::new(),
            Some(Value::Object(described)) => described,
            Some(_) => return self.leave_out(what, "`env` must be an object"),
        };
        let mut unusable: BTreeMap<String, String> = BTreeMap::new();
        for (name, variable) in described {
            match self.shaped::<Variable>(variable) {
                Ok(variable) => drop(provider.env.insert(name, variable)),
                Err(reason) => drop(unusable.insert(name, reason)),
            }
        }
        // With a service in it, the provider's own rules are all that can fail.
        let found = check_provider(&provider);
        let own = found.into_iter().find(|problem| problem.field != "service");
        if let Some(problem) = own {
            return self.leave_out(what, problem.reason());
        }
        if services.is_empty() {
            return self.leave_out(what, "has no service");
        }
        for (index, service) in services.into_iter().enumerate() {
            let id = service.get("id").and_then(Value::as_str);
            let name = match id {
                Some(id) if grammar::ID.problem(id).is_none() => id.to_owned(),
                _ => format!("service {} of {what}", index + 1),
            };
            match self.service(&provider, &unusable, service) {
                Ok(service) => {
                    let whose = format!("pack `{}`", self.pack);
                    self.taken.service(&provider, &service, &whose);
                    provider.services.push(service);
                }
                Err(reason) => self.leave_out(name, reason),
            }
        }
        if provider.services.is_empty() {
            return;
        }
        let used: Vec<String> = provider
            .services
            .iter()
            .flat_map(variables)
            .map(str::to_owned)
            .collect();
        provider.env.retain(|name, _| used.contains(name));
        self.contents.providers.push(provider);
    }

    fn service(
        &self,
        provider: &Provider,
        unusable: &BTreeMap<String, String>,
        value: Value,
    ) -> Result<Service, String> {
        let mut service: Service = self.shaped(value)?;
        // Which services come first is not a pack's to say.
        service.recommended = None;
        for name in variables(&service) {
            if let Some(reason) = unusable.get(name) {
                return Err(format!("its variable `{}`: {reason}", shown(name)));
            }
        }
        let problems = check_service(provider, &service, Origin::Pack(self.pack));
        if let Some(problem) = problems.first() {
            return Err(problem.reason());
        }
        let label = |other: &Service| {
            other.kind == service.kind && other.label.to_lowercase() == service.label.to_lowercase()
        };
        if provider.services.iter().any(label) {
            return Err("`label` is that of another service of its kind".to_owned());
        }
        match self.taken.conflict(provider, &service) {
            Some(reason) => Err(reason),
            None => Ok(service),
        }
    }

    /// What was read.
    pub fn finish(self) -> Contents {
        self.contents
    }

    /// Reads a value. A key that is unknown may be of a later version of the schema.
    fn shaped<T: DeserializeOwned>(&self, value: Value) -> Result<T, String> {
        serde_path_to_error::deserialize(Strict(value)).map_err(|error| {
            let path = error.path().to_string();
            let text = error.into_inner().to_string();
            let unknown = text
                .strip_prefix("unknown field `")
                .and_then(|rest| rest.split_once("`, expected ").or(rest.split_once("`, there ")));
            let Some((key, _)) = unknown else {
                let field = if path == "." { "it" } else { &path };
                return shape::problem(field, &text);
            };
            let key = shown(key);
            match self.newer {
                None => format!("`{key}` is not a key of catalogue {SCHEMA}"),
                Some((schema, reader)) => {
                    let executable = reader.split(' ').next().unwrap_or_default();
                    format!("`{key}` is not a key of catalogue {SCHEMA}, which {reader} knows; the pack has catalogue {schema}: install a newer {executable}")
                }
            }
        })
    }
}

/// Reads the providers of the pack `pack` and takes what they have.
pub fn read(pack: &str, providers: Value, taken: &mut Taken) -> Result<Contents, String> {
    let mut reader = Reader::new(pack, taken);
    reader.list(providers)?;
    Ok(reader.finish())
}

/// Why so much data is not looked at.
pub fn too_much_data() -> String {
    format!(
        "it has more than {} MiB of data, the most of a pack",
        MOST_DATA / (1024 * 1024)
    )
}

/// About as many bytes as a value has in JSON.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| size(item) + 1).sum::<usize>() + 2,
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(key, value)| key.len() + 4 + size(value))
                .sum::<usize>()
                + 2
        }
    }
}

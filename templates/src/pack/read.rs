//! Reads the providers of a pack, one service at a time: one that can't be used is left out with the reason, and the others stay.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::form::{self, shown};
use super::rules::{check_provider, check_service, variables};
use super::{MOST_DATA, Origin, Problem, Provider, Rule, SCHEMA, Service, Taken, Variable};
use bot_cli_protocol::shape;

/// The most providers of a pack.
pub(super) const MOST_PROVIDERS: usize = 100;

/// The services of a pack.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contents {
    /// The providers that have a service.
    pub providers: Vec<Provider>,
    /// The services that are left out.
    pub left_out: Vec<LeftOut>,
}

/// A service, a provider or a file that can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Which: its identifier as far as it has one, or `service 2 of Acme`.
    pub what: String,
    /// Everything that is wrong with it; at least one.
    pub problems: Vec<Problem>,
}

impl LeftOut {
    /// Returns the first reason, in a line.
    #[must_use]
    pub fn reason(&self) -> String {
        match self.problems.first() {
            // A file is named once.
            Some(problem) if problem.field == self.what => format!("it {}", problem.problem),
            first => first.map(Problem::reason).unwrap_or_default(),
        }
    }
}

/// Reads the providers of a pack, one after the other.
#[derive(Debug)]
pub struct Reader<'a> {
    pack: &'a str,
    newer: Option<String>,
    taken: &'a mut Taken,
    contents: Contents,
}

/// A provider whose services are not read yet.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unread {
    label: String,
    site: String,
    #[serde(default)]
    env: BTreeMap<String, Variable>,
    service: Vec<Value>,
}

impl<'a> Reader<'a> {
    /// For the pack of this name, that of its file without `bot-cli-pack-`. What its services have is `taken` then. `newer` is what
    /// there is to say where the pack has a newer schema than this one.
    pub fn new(pack: &'a str, newer: Option<String>, taken: &'a mut Taken) -> Self {
        Self {
            pack,
            newer,
            taken,
            contents: Contents::default(),
        }
    }

    /// Reads `providers` of a manifest or of a reply; or says why they are no providers.
    pub fn list(&mut self, providers: Value) -> Result<(), Problem> {
        if providers.to_string().len() > MOST_DATA {
            return Err(too_much("providers"));
        }
        let Value::Array(providers) = providers else {
            return Err(Problem::new(Rule::Shape, "providers", "must be a list"));
        };
        if providers.len() > MOST_PROVIDERS {
            let most = format!("has more than {MOST_PROVIDERS} entries");
            return Err(Problem::new(Rule::Size, "providers", most));
        }
        for (index, provider) in providers.into_iter().enumerate() {
            self.provider(&format!("provider {}", index + 1), provider);
        }
        Ok(())
    }

    /// Leaves out what can't be read at all.
    pub fn leave_out(&mut self, what: impl Into<String>, problems: Vec<Problem>) {
        let what = what.into();
        self.contents.left_out.push(LeftOut { what, problems });
    }

    /// Reads a provider, which is called `what` as long as it has no label.
    pub fn provider(&mut self, what: &str, value: Value) {
        let unread: Unread = match self.shaped("provider", value) {
            Ok(unread) => unread,
            Err(problem) => return self.leave_out(what, vec![problem]),
        };
        let mut provider = Provider {
            label: unread.label,
            site: unread.site,
            env: unread.env,
            services: Vec::new(),
        };
        let problems = check_provider(&provider, unread.service.len());
        if !problems.is_empty() {
            return self.leave_out(what, problems);
        }
        for (index, value) in unread.service.into_iter().enumerate() {
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
    }

    fn service(&mut self, provider: &Provider, value: Value) -> Result<Service, Vec<Problem>> {
        let shaped = self.shaped("service", value);
        let mut service: Service = shaped.map_err(|problem| vec![problem])?;
        // Neither is a pack's to say.
        (service.recommended, service.alias) = (None, None);
        let mut problems = check_service(provider, &service, Origin::Pack(self.pack));
        let label = service.label.to_lowercase();
        let mut others = provider.services.iter();
        if others.any(|it| it.kind == service.kind && it.label.to_lowercase() == label) {
            let twice = "is that of another service of its kind";
            problems.push(Problem::new(Rule::Identifiers, "label", twice));
        }
        problems.extend(self.taken.conflict(provider, &service));
        if !problems.is_empty() {
            return Err(problems);
        }
        let whose = format!("pack `{}`", self.pack);
        self.taken.service(provider, &service, &whose);
        Ok(service)
    }

    /// Returns what was read.
    #[must_use]
    pub fn finish(self) -> Contents {
        self.contents
    }

    /// Reads a value. What is unknown may be of a later version of the schema.
    fn shaped<T: DeserializeOwned>(&self, field: &str, value: Value) -> Result<T, Problem> {
        if !value.is_object() {
            return Err(Problem::new(Rule::Shape, field, "must be a table"));
        }
        serde_path_to_error::deserialize(value).map_err(|error| {
            let path = error.path().to_string();
            let path = path.split('.').filter(|part| !part.is_empty()).map(shown);
            let field: Vec<String> = std::iter::once(field.to_owned()).chain(path).collect();
            let said = error.into_inner().to_string();
            let (rule, said) = if said.starts_with("unknown field `") {
                (Rule::Keys, format!("is not a key of catalogue {SCHEMA}"))
            } else {
                let said = shape::problem("", &said);
                (Rule::Shape, said.trim_start_matches("`` ").to_owned())
            };
            let newer = self.newer.iter().map(|newer| format!("; {newer}"));
            let said = std::iter::once(said).chain(newer).collect::<String>();
            Problem::new(rule, &field.join("."), said)
        })
    }
}

/// Reads the providers of the pack `pack` and takes what they have; or says why they are no providers.
pub fn read(
    pack: &str,
    providers: Value,
    newer: Option<String>,
    taken: &mut Taken,
) -> Result<Contents, Problem> {
    let mut reader = Reader::new(pack, newer, taken);
    reader.list(providers)?;
    Ok(reader.finish())
}

pub(super) fn too_much(field: &str) -> Problem {
    let most = MOST_DATA / (1024 * 1024);
    let problem = format!("has more than {most} MiB of data, the most of a pack");
    Problem::new(Rule::Size, field, problem)
}

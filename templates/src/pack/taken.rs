//! What is there already: identifiers that name one service, variables that mean one thing.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::form::shown;
use super::rules::{Reading, arguments, variables};
use super::{Problem, Provider, Rule, Service, Variable};

/// Names that the services that are there have taken.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Taken {
    /// The identifiers of each owner.
    ids: BTreeMap<String, BTreeSet<String>>,
    variables: BTreeMap<String, Meaning>,
}

/// The meaning of a variable.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Meaning {
    of: String,
    /// `None`: no service can share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    means: Option<Variable>,
    #[serde(default, skip_serializing_if = "Reading::is_plain")]
    read: Reading,
}

impl Taken {
    /// Takes an identifier that is no service's: a transport's.
    pub fn id(&mut self, id: &str, whose: &str) {
        let ids = self.ids.entry(whose.to_owned()).or_default();
        ids.insert(id.to_owned());
    }

    /// Takes a variable that no service can share.
    pub fn variable(&mut self, name: &str, whose: &str) {
        let meaning = Meaning {
            of: whose.to_owned(),
            means: None,
            read: Reading::default(),
        };
        self.variables.insert(name.to_owned(), meaning);
    }

    /// Takes what a service has. `whose` follows "is that of": `a service that is built in`.
    pub fn service(&mut self, provider: &Provider, service: &Service, whose: &str) {
        for id in service.alias.iter().chain([&service.id]) {
            self.id(id, whose);
        }
        for name in variables(service) {
            let args = arguments(service);
            let mut readers = args.iter().filter(|arg| arg.env.as_deref() == Some(name));
            let new = || Meaning {
                of: whose.to_owned(),
                means: provider.env.get(name).cloned(),
                read: readers
                    .next()
                    .map_or_else(Reading::default, |arg| Reading::of(arg)),
            };
            let meaning = self.variables.entry(name.to_owned()).or_insert_with(new);
            let default = readers.find_map(|arg| arg.default.clone());
            meaning.read.default = meaning.read.default.take().or(default);
        }
    }

    /// Returns why a service can't stand beside what is there.
    #[must_use]
    pub fn conflict(&self, provider: &Provider, service: &Service) -> Option<Problem> {
        let mut owners = self.ids.iter();
        if let Some((whose, _)) = owners.find(|(_, ids)| ids.contains(&service.id)) {
            let problem = format!("is that of {whose}");
            return Some(Problem::new(Rule::Identifiers, "id", problem));
        }
        let arguments = arguments(service);
        variables(service).into_iter().find_map(|name| {
            let known = self.variables.get(name)?;
            let own = provider.env.get(name);
            let reads = arguments
                .iter()
                .filter(|arg| arg.env.as_deref() == Some(name));
            let whose = &known.of;
            let (part, problem) = match (&known.means, own) {
                (None, _) => ("", format!("is a variable of {whose}")),
                (Some(known), Some(own)) if own.about != known.about => {
                    let about = shown(&known.about);
                    (".about", format!("must be `{about}`, as in {whose}"))
                }
                (Some(known), Some(own)) if own.secret != known.secret => (
                    ".secret",
                    format!("must be {}, as in {whose}", known.secret),
                ),
                _ if reads.clone().any(|arg| !known.read.is_like(arg)) => {
                    ("", format!("has another type or default than in {whose}"))
                }
                _ => return None,
            };
            let field = format!("env.{}{part}", shown(name));
            Some(Problem::new(Rule::Variables, &field, problem))
        })
    }

    /// Returns what is taken in the form of a manifest.
    #[must_use]
    pub fn declared(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Returns what a manifest declares as taken. What can't be read is free.
    #[must_use]
    pub fn from_declared(declared: &Value) -> Self {
        Self::deserialize(declared).unwrap_or_default()
    }
}

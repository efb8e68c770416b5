//! Identifiers and variables that exist already.

use std::collections::BTreeMap;

use super::form::shown;
use super::rules::variables;
use super::{Provider, Service, Variable};

/// The names of the services and transports that exist already.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// The owner of each identifier.
    ids: BTreeMap<String, String>,
    /// The owner and the meaning of each variable. No service can share one without a meaning.
    variables: BTreeMap<String, (String, Option<Variable>)>,
}

impl Taken {
    /// Takes an identifier. `whose` follows "is that of": `a transport`.
    pub fn id(&mut self, id: &str, whose: &str) {
        let ids = &mut self.ids;
        ids.entry(id.to_owned()).or_insert_with(|| whose.to_owned());
    }

    /// Takes a variable.
    pub fn variable(&mut self, name: &str, whose: &str, meaning: Option<&Variable>) {
        let variables = &mut self.variables;
        variables
            .entry(name.to_owned())
            .or_insert_with(|| (whose.to_owned(), meaning.cloned()));
    }

    /// Takes the names of a service.
    pub fn service(&mut self, provider: &Provider, service: &Service, whose: &str) {
        for id in service.alias.iter().chain([&service.id]) {
            self.id(id, whose);
        }
        for name in variables(service) {
            self.variable(name, whose, provider.env.get(name));
        }
    }

    /// Returns why a service can't exist beside the others: its identifier is taken, or a variable would mean two things.
    #[must_use]
    pub fn conflict(&self, provider: &Provider, service: &Service) -> Option<String> {
        if let Some(whose) = self.ids.get(&service.id) {
            return Some(format!("`id` is that of {whose}"));
        }
        variables(service).into_iter().find_map(|name| {
            let (whose, meaning) = self.variables.get(name)?;
            let field = format!("env.{}", shown(name));
            let Some(known) = meaning else {
                return Some(format!("`{field}` is a variable of {whose}"));
            };
            let own = provider.env.get(name)?;
            if own.about != known.about {
                let about = shown(&known.about);
                return Some(format!("`{field}.about` must be `{about}`, as in {whose}"));
            }
            let secret = known.secret;
            (own.secret != secret)
                .then(|| format!("`{field}.secret` must be {secret}, as in {whose}"))
        })
    }
}

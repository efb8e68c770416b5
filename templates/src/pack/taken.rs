//! Identifiers and variables that are already in use.

use std::collections::BTreeMap;

use super::form::shown;
use super::rules::variables;
use super::{Provider, Service, Variable};

/// The names of existing services and transports.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// The owner of each identifier.
    ids: BTreeMap<String, String>,
    /// The owner and the meaning of each variable. A variable without a meaning can't be shared with a service.
    variables: BTreeMap<String, (String, Option<Variable>)>,
}

impl Taken {
    /// Reserves an identifier. `whose` completes the message "is that of", as in `a transport`.
    pub fn id(&mut self, id: &str, whose: &str) {
        let ids = &mut self.ids;
        ids.entry(id.to_owned()).or_insert_with(|| whose.to_owned());
    }

    /// Reserves a variable.
    pub fn variable(&mut self, name: &str, whose: &str, meaning: Option<&Variable>) {
        let variables = &mut self.variables;
        variables
            .entry(name.to_owned())
            .or_insert_with(|| (whose.to_owned(), meaning.cloned()));
    }

    /// Reserves the names of a service.
    pub fn service(&mut self, provider: &Provider, service: &Service, whose: &str) {
        for id in service.alias.iter().chain([&service.id]) {
            self.id(id, whose);
        }
        for name in variables(service) {
            self.variable(name, whose, provider.env.get(name));
        }
    }

    /// Returns the reason why a service conflicts with existing ones: its identifier is in use, or a variable would have two meanings.
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

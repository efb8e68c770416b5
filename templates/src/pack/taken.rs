//! Identifiers and environment variables that are already in use.

use std::collections::BTreeMap;

use super::form::shown;
use super::rules::variables;
use super::{Provider, Service, Variable};

/// The names used by existing services and transports.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// The owner of each identifier.
    ids: BTreeMap<String, String>,
    /// The owner and description of each environment variable. A variable without a description can't be shared with a service.
    variables: BTreeMap<String, (String, Option<Variable>)>,
}

impl Taken {
    /// Reserves an identifier. `whose` describes the owner in error messages, such as `a transport`.
    pub fn id(&mut self, id: &str, whose: &str) {
        let ids = &mut self.ids;
        ids.entry(id.to_owned()).or_insert_with(|| whose.to_owned());
    }

    /// Reserves an environment variable. Services can share the variable only if `meaning` is given.
    pub fn variable(&mut self, name: &str, whose: &str, meaning: Option<&Variable>) {
        let variables = &mut self.variables;
        variables
            .entry(name.to_owned())
            .or_insert_with(|| (whose.to_owned(), meaning.cloned()));
    }

    /// Reserves the identifiers and variables of a service.
    pub fn service(&mut self, provider: &Provider, service: &Service, whose: &str) {
        for id in service.alias.iter().chain([&service.id]) {
            self.id(id, whose);
        }
        for name in variables(service) {
            self.variable(name, whose, provider.env.get(name));
        }
    }

    /// Returns the owner of an environment variable.
    pub(super) fn owner(&self, variable: &str) -> Option<&str> {
        self.variables.get(variable).map(|(owner, _)| &**owner)
    }

    /// Returns the reason why a service conflicts with existing ones, if any: its identifier is in use, or a variable would have two
    /// meanings.
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

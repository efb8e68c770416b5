//! What is there already: identifiers that name one service, variables that mean one thing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::check::{arguments, is_read_alike, variables};
use super::grammar::shown;
use super::{Arg, Problem, Provider, Rule, Service, Type, Variable};

/// Names that the services that are there have taken.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// The owner of each identifier.
    ids: BTreeMap<String, String>,
    variables: BTreeMap<String, Meaning>,
}

/// The meaning of a variable, and the arguments that read it.
#[derive(Debug, Clone)]
struct Meaning {
    whose: String,
    /// `None`: no service can share it.
    variable: Option<Variable>,
    readers: Vec<Arg>,
}

impl Taken {
    /// Takes an identifier that is no service's: a transport's.
    pub fn id(&mut self, id: &str, whose: &str) {
        self.ids.insert(id.to_owned(), whose.to_owned());
    }

    /// Takes a variable that no service can share.
    pub fn variable(&mut self, name: &str, whose: &str) {
        let meaning = Meaning {
            whose: whose.to_owned(),
            variable: None,
            readers: Vec::new(),
        };
        self.variables.insert(name.to_owned(), meaning);
    }

    /// Takes what a service has. `whose` follows "is that of": `a service that is built in`.
    pub fn service(&mut self, provider: &Provider, service: &Service, whose: &str) {
        for id in [Some(&service.id), service.alias.as_ref()]
            .into_iter()
            .flatten()
        {
            self.id(id, whose);
        }
        for name in variables(service) {
            let Some(variable) = provider.env.get(name) else {
                continue;
            };
            let meaning = self.variables.entry(name.to_owned());
            let meaning = meaning.or_insert_with(|| Meaning {
                whose: whose.to_owned(),
                variable: Some(variable.clone()),
                readers: Vec::new(),
            });
            for arg in arguments(service) {
                let reads_it = arg.env.as_deref() == Some(name);
                // One of each kind is enough.
                if reads_it
                    && !meaning
                        .readers
                        .iter()
                        .any(|known| reads_the_same(known, arg))
                {
                    meaning.readers.push(arg.clone());
                }
            }
        }
    }

    /// Why a service can't stand beside what is there.
    #[must_use]
    pub fn conflict(&self, provider: &Provider, service: &Service) -> Option<Problem> {
        let found = |rule, field: &str, problem: String| {
            Some(Problem {
                rule,
                service: Some(service.id.clone()),
                field: field.to_owned(),
                problem,
            })
        };
        if let Some(whose) = self.ids.get(&service.id) {
            return found(Rule::Identifiers, "id", format!("is that of {whose}"));
        }
        for name in variables(service) {
            let Some(meaning) = self.variables.get(name) else {
                continue;
            };
            let field = format!("env.{}", shown(name));
            let Some(variable) = &meaning.variable else {
                return found(
                    Rule::Variables,
                    &field,
                    format!("is a variable of {}", meaning.whose),
                );
            };
            let whose = &meaning.whose;
            let own = provider.env.get(name);
            if own.is_some_and(|own| own.about != variable.about) {
                return found(
                    Rule::Variables,
                    &format!("{field}.about"),
                    format!("must be `{}`, as in {whose}", shown(&variable.about)),
                );
            }
            if own.is_some_and(|own| own.secret != variable.secret) {
                return found(
                    Rule::Variables,
                    &format!("{field}.secret"),
                    format!("must be {}, as in {whose}", variable.secret),
                );
            }
            let is_alike = |arg: &Arg| {
                meaning
                    .readers
                    .iter()
                    .all(|known| is_read_alike(known, arg))
            };
            let differs = |arg: &&Arg| arg.env.as_deref() == Some(name) && !is_alike(arg);
            if arguments(service).iter().any(differs) {
                return found(
                    Rule::Variables,
                    &field,
                    format!("has another type or default than in {whose}"),
                );
            }
        }
        None
    }
}

/// Taken names in the form of a manifest: everything that has the same owner together.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Declared {
    /// Identifiers, by whose they are.
    ids: BTreeMap<String, Vec<String>>,
    variables: BTreeMap<String, DeclaredVariable>,
}

#[derive(Serialize, Deserialize)]
struct DeclaredVariable {
    of: String,
    /// The meaning; absent: nothing that a service can share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    means: Option<Variable>,
    /// The arguments that read it, without their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    read: Vec<Reading>,
}

#[derive(Serialize, Deserialize)]
struct Reading {
    #[serde(default, skip_serializing_if = "Type::is_str")]
    r#type: Type,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    choices: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<String>,
}

impl Taken {
    /// Returns what is taken in the form of a manifest.
    #[must_use]
    pub fn declared(&self) -> Value {
        let mut declared = Declared::default();
        for (id, whose) in &self.ids {
            let ids = declared.ids.entry(whose.clone()).or_default();
            ids.push(id.clone());
        }
        for (name, meaning) in &self.variables {
            let read = meaning.readers.iter().map(|arg| Reading {
                r#type: arg.r#type,
                choices: arg.choices.clone(),
                default: arg.default.clone(),
            });
            let variable = DeclaredVariable {
                of: meaning.whose.clone(),
                means: meaning.variable.clone(),
                read: read.collect(),
            };
            declared.variables.insert(name.clone(), variable);
        }
        serde_json::to_value(declared).unwrap_or_default()
    }

    /// Takes what a manifest, or the text of one, declares as taken, where nothing has it yet. What can't be read is free.
    pub fn add_declared(&mut self, declared: &Value) {
        let declared: Option<Declared> = match declared {
            Value::String(text) => serde_json::from_str(text).ok(),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => Declared::deserialize(declared).ok(),
        };
        let declared = declared.unwrap_or_default();
        for (whose, ids) in declared.ids {
            for id in ids {
                self.ids.entry(id).or_insert_with(|| whose.clone());
            }
        }
        for (name, variable) in declared.variables {
            let read = variable.read.into_iter().map(|reading| Arg {
                r#type: reading.r#type,
                choices: reading.choices,
                default: reading.default,
                ..Arg::of_variable(&name)
            });
            let meaning = Meaning {
                whose: variable.of,
                variable: variable.means,
                readers: read.collect(),
            };
            self.variables.entry(name).or_insert(meaning);
        }
    }
}

fn reads_the_same(one: &Arg, other: &Arg) -> bool {
    one.r#type == other.r#type && one.choices == other.choices && one.default == other.default
}

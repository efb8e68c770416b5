//! Reads the providers of a pack, one service at a time: one that can't be used is left out with the reason, and the others stay.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::check::{check_provider, check_service, variables};
use super::grammar::{self, shown};
use super::{MOST_DATA, Origin, Problem, Provider, Rule, SCHEMA, Service, Taken, Variable};
use bot_cli_protocol::shape;

/// The most providers of a pack.
const MOST_PROVIDERS: usize = 100;

/// The services of a pack.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contents {
    /// The providers that have a service.
    pub providers: Vec<Provider>,
    /// The services that are left out.
    pub left_out: Vec<LeftOut>,
    /// Harmless problems: a variable that no service reads.
    pub remarks: Vec<Problem>,
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
    /// Why, in a line.
    #[must_use]
    pub fn reason(&self) -> String {
        let first = self.problems.first().map(|problem| {
            // A file is named once.
            if problem.field == self.what.trim_matches('`') {
                format!("it {}", problem.problem)
            } else {
                problem.reason()
            }
        });
        let first = first.unwrap_or_default();
        match self.problems.len() {
            0 | 1 => first,
            2 => format!("{first}; and 1 more problem"),
            count => format!("{first}; and {} more problems", count - 1),
        }
    }
}

/// The versions of a pack whose schema is newer than what its reader knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newer {
    /// The version of the schema that the pack declares.
    pub schema: String,
    /// The executable that reads it: `bot-cli-init`.
    pub executable: String,
    /// The version of that.
    pub version: String,
}

/// Reads the providers of a pack, one after the other.
#[derive(Debug)]
pub struct Reader<'a> {
    pack: &'a str,
    newer: Option<Newer>,
    taken: &'a mut Taken,
    providers: usize,
    contents: Contents,
}

impl<'a> Reader<'a> {
    /// For the pack of this name, that of its file without `bot-cli-pack-`. What its services have is `taken` then.
    pub fn new(pack: &'a str, newer: Option<Newer>, taken: &'a mut Taken) -> Self {
        Self {
            pack,
            newer,
            taken,
            providers: 0,
            contents: Contents::default(),
        }
    }

    /// Reads `providers` of a manifest or of a reply; or says why they are no providers.
    pub fn list(&mut self, providers: Value) -> Result<(), Problem> {
        if size(&providers) > MOST_DATA {
            return Err(too_much_data());
        }
        let Value::Array(providers) = providers else {
            return Err(problem(Rule::Shape, "providers", "must be a list"));
        };
        for (index, provider) in providers.into_iter().enumerate() {
            self.provider(&format!("provider {}", index + 1), provider);
        }
        Ok(())
    }

    /// Leaves out what can't be read at all.
    pub fn leave_out(&mut self, what: impl Into<String>, problems: Vec<Problem>) {
        self.contents.left_out.push(LeftOut {
            what: what.into(),
            problems,
        });
    }

    /// Reads a provider, which is called `what` as long as it has no label.
    pub fn provider(&mut self, what: &str, value: Value) {
        self.providers += 1;
        // Of thousands, one line is enough.
        if self.providers > MOST_PROVIDERS {
            if self.providers == MOST_PROVIDERS + 1 {
                let most = format!("has more than {MOST_PROVIDERS} entries");
                self.leave_out(what, vec![problem(Rule::Size, "providers", most)]);
            }
            return;
        }
        let label = value.get("label").and_then(Value::as_str);
        let what = match label {
            Some(label) if grammar::LABEL.problem(label).is_none() => label.to_owned(),
            _ => what.to_owned(),
        };
        match self.parts(value) {
            Ok((provider, parts)) => self.services(&what, provider, parts),
            Err(problems) => self.leave_out(what, problems),
        }
    }

    /// The provider without its services and variables, and these.
    fn parts(&self, value: Value) -> Result<(Provider, Parts), Vec<Problem>> {
        let Value::Object(mut members) = value else {
            return Err(vec![problem(Rule::Shape, "provider", "must be an object")]);
        };
        let services = match members.insert("service".to_owned(), Value::Array(Vec::new())) {
            Some(Value::Array(services)) => services,
            Some(_) => return Err(vec![problem(Rule::Shape, "service", "must be a list")]),
            None => return Err(vec![problem(Rule::Shape, "service", "is missing")]),
        };
        let described = match members.remove("env") {
            Some(Value::Object(described)) => described,
            Some(_) => return Err(vec![problem(Rule::Shape, "env", "must be an object")]),
            None => Map::new(),
        };
        let mut provider: Provider = self
            .shaped(None, "provider", Value::Object(members))
            .map_err(|problem| vec![problem])?;
        let mut unusable = BTreeMap::new();
        for (name, variable) in described {
            let field = format!("env.{}", shown(&name));
            match self.shaped::<Variable>(None, &field, variable) {
                Ok(variable) => drop(provider.env.insert(name, variable)),
                Err(problem) => drop(unusable.insert(name, problem)),
            }
        }
        let problems = check_provider(&provider, services.len());
        if problems.is_empty() {
            Ok((provider, Parts { services, unusable }))
        } else {
            Err(problems)
        }
    }

    fn services(&mut self, what: &str, mut provider: Provider, parts: Parts) {
        let mut read: BTreeSet<String> = BTreeSet::new();
        let mut all_read = parts.unusable.is_empty();
        for (index, service) in parts.services.into_iter().enumerate() {
            let id = service.get("id").and_then(Value::as_str);
            let id = id.filter(|id| grammar::ID.problem(id).is_none());
            let id = id.map(str::to_owned);
            let name = match &id {
                Some(id) => id.clone(),
                None => format!("service {} of {what}", index + 1),
            };
            let service: Service = match self.shaped(id, "service", service) {
                Ok(service) => service,
                Err(problem) => {
                    all_read = false;
                    self.leave_out(name, vec![problem]);
                    continue;
                }
            };
            read.extend(variables(&service).into_iter().map(str::to_owned));
            match self.service(&provider, &parts.unusable, service) {
                Ok(service) => {
                    let whose = format!("pack `{}`", self.pack);
                    self.taken.service(&provider, &service, &whose);
                    provider.services.push(service);
                }
                Err(problems) => self.leave_out(name, problems),
            }
        }
        // What could not be read may be what reads it.
        for name in provider
            .env
            .keys()
            .filter(|name| all_read && !read.contains(*name))
        {
            let field = format!("env.{}", shown(name));
            let remark = problem(Rule::Variables, &field, "is read by no service");
            self.contents.remarks.push(remark);
        }
        if provider.services.is_empty() {
            return;
        }
        let services = provider.services.iter().flat_map(variables);
        let used: BTreeSet<String> = services.map(str::to_owned).collect();
        provider.env.retain(|name, _| used.contains(name));
        self.contents.providers.push(provider);
    }

    fn service(
        &self,
        provider: &Provider,
        unusable: &BTreeMap<String, Problem>,
        mut service: Service,
    ) -> Result<Service, Vec<Problem>> {
        // Which services come first is not a pack's to say.
        service.recommended = None;
        let of_variables = variables(&service).into_iter();
        let mut problems: Vec<Problem> = of_variables
            .filter_map(|name| unusable.get(name))
            .cloned()
            .collect();
        let not_described = |problem: &Problem| {
            problems
                .iter()
                .any(|known| known.field.starts_with(&problem.field))
        };
        let found = check_service(provider, &service, Origin::Pack(self.pack));
        let found: Vec<Problem> = found.into_iter().filter(|it| !not_described(it)).collect();
        problems.extend(found);
        let has_label = |other: &Service| {
            other.kind == service.kind && other.label.to_lowercase() == service.label.to_lowercase()
        };
        if provider.services.iter().any(has_label) {
            let twice = "is that of another service of its kind";
            problems.push(problem(Rule::Identifiers, "label", twice));
        }
        problems.extend(self.taken.conflict(provider, &service));
        if problems.is_empty() {
            return Ok(service);
        }
        for problem in &mut problems {
            problem.service = Some(service.id.clone());
        }
        Err(problems)
    }

    /// Returns what was read.
    #[must_use]
    pub fn finish(self) -> Contents {
        self.contents
    }

    /// Reads a value. What is unknown may be of a later version of the schema.
    fn shaped<T: DeserializeOwned>(
        &self,
        service: Option<String>,
        field: &str,
        value: Value,
    ) -> Result<T, Problem> {
        serde_path_to_error::deserialize(value).map_err(|error| {
            let path = error.path().to_string();
            let field = if path == "." {
                field.to_owned()
            } else {
                format!("{field}.{path}")
            };
            Problem {
                service,
                ..self.misshape(&field, &error.into_inner().to_string())
            }
        })
    }

    /// The problem behind an error of serde's.
    fn misshape(&self, field: &str, error: &str) -> Problem {
        let (rule, said) = if error.starts_with("unknown field `") {
            (Rule::Keys, format!("is not a key of catalogue {SCHEMA}"))
        } else {
            let sentence = shape::problem("", error);
            let said = sentence.strip_prefix("`` ").unwrap_or(&sentence);
            (Rule::Shape, said.to_owned())
        };
        let said = match &self.newer {
            None => said,
            Some(Newer {
                schema,
                executable,
                version,
            }) => format!(
                "{said}; the pack has catalogue {schema}, {executable} {version} knows {SCHEMA}: install a newer {executable}"
            ),
        };
        problem(rule, &shown_path(field), said)
    }
}

/// The services of a provider.
struct Parts {
    services: Vec<Value>,
    /// The variables that can't be read.
    unusable: BTreeMap<String, Problem>,
}

/// Reads the providers of the pack `pack` and takes what they have; or says why they are no providers.
pub fn read(
    pack: &str,
    providers: Value,
    newer: Option<Newer>,
    taken: &mut Taken,
) -> Result<Contents, Problem> {
    let mut reader = Reader::new(pack, newer, taken);
    reader.list(providers)?;
    Ok(reader.finish())
}

/// Why so much data is not looked at.
pub fn too_much_data() -> Problem {
    let most = format!(
        "has more than {} MiB of data, the most of a pack",
        MOST_DATA / (1024 * 1024)
    );
    problem(Rule::Size, "providers", most)
}

pub fn problem(rule: Rule, field: &str, problem: impl Into<String>) -> Problem {
    Problem {
        rule,
        service: None,
        field: field.to_owned(),
        problem: problem.into(),
    }
}

/// The end of a path, whatever its keys are.
fn shown_path(path: &str) -> String {
    path.split('.').map(shown).collect::<Vec<_>>().join(".")
}

/// About as many bytes as a value has in JSON.
pub fn size(value: &Value) -> usize {
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

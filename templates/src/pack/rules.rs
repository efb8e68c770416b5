//! The rules that a service must keep: the same for those that are built in and for those of packs.

mod arguments;
mod reach;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::form::{self, Form, shown};
use super::names::is_reserved_variable;
use super::{Arg, Kind, Problem, Provider, Rule, Service, Type};
pub use reach::{Effects, effects};

/// The origin of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin<'a> {
    /// It is built in: its identifier is as it is, and so is what it imports.
    BuiltIn,
    /// The pack of this name, that of its file without `bot-cli-pack-`.
    Pack(&'a str),
}

/// The most services of a provider.
const MOST_SERVICES: usize = 200;

/// The endings of the names of credentials.
const CREDENTIALS: [&str; 5] = [
    "_API_KEY",
    "_SECRET",
    "_TOKEN",
    "_SECRET_ACCESS_KEY",
    "_PASSWORD",
];

/// Returns everything that is wrong with a provider and its services.
#[must_use]
pub fn check(provider: &Provider, origin: Origin<'_>) -> Vec<Problem> {
    let mut problems = check_provider(provider, provider.services.len());
    for service in &provider.services {
        problems.extend(check_service(provider, service, origin));
    }
    problems
}

/// Checks a provider itself, which brings so many services.
pub(super) fn check_provider(provider: &Provider, services: usize) -> Vec<Problem> {
    let mut found = Found::default();
    found.form("label", &provider.label, &form::LABEL);
    found.form("site", &provider.site, &form::SITE);
    if services == 0 {
        found.add(Rule::Shape, "service", "must not be empty");
    } else if services > MOST_SERVICES {
        let most = format!("has more than {MOST_SERVICES} entries");
        found.add(Rule::Size, "service", most);
    }
    found.0
}

/// Checks one of its services.
pub(super) fn check_service(
    provider: &Provider,
    service: &Service,
    origin: Origin<'_>,
) -> Vec<Problem> {
    let mut found = Found::default();
    found.identity(service, origin);
    found.texts(service);
    found.imports(service);
    if let Origin::Pack(_) = origin {
        found.reach(service);
    }
    found.arguments(service);
    found.variables(provider, service, origin);
    found.one_of(service);
    found.place(service);
    found.0
}

/// The variables of a service: those of its arguments and those it reads by itself.
#[must_use]
pub fn variables(service: &Service) -> BTreeSet<&str> {
    let of_arguments = arguments(service)
        .into_iter()
        .filter_map(|arg| arg.env.as_deref());
    of_arguments
        .chain(service.reads.iter().map(|read| read.name.as_str()))
        .collect()
}

/// Every argument of a service, those of calls included.
#[must_use]
pub fn arguments(service: &Service) -> Vec<&Arg> {
    fn collect<'a>(args: &'a [Arg], found: &mut Vec<&'a Arg>) {
        for arg in args {
            collect(&arg.args, found);
            found.push(arg);
        }
    }
    let mut found = Vec::new();
    collect(&service.args, &mut found);
    found
}

/// The problems of a service or a provider.
#[derive(Default)]
struct Found(Vec<Problem>);

impl Found {
    fn add(&mut self, rule: Rule, field: &str, problem: impl Into<String>) {
        self.0.push(Problem::new(rule, field, problem));
    }

    fn form(&mut self, field: &str, text: &str, form: &Form) {
        if let Some(problem) = form.problem(text) {
            self.add(form.0, field, problem);
        }
    }

    fn identity(&mut self, service: &Service, origin: Origin<'_>) {
        let id = &service.id;
        self.form("id", id, &form::ID);
        let ending = format!("_{}", service.kind.name());
        if !id.ends_with(&ending) {
            let kind = format!("must end in `{ending}`, its kind");
            self.add(Rule::Identifiers, "id", kind);
        }
        if let Origin::Pack(pack) = origin {
            let beginning = format!("{}_", pack.replace('-', "_"));
            if !id.starts_with(&beginning) {
                let name = format!("must begin with `{beginning}`, the pack's name");
                self.add(Rule::Identifiers, "id", name);
            }
        }
        if let Some(alias) = &service.alias {
            self.form("alias", alias, &form::ID);
        }
    }

    /// Checks what people read, and what is installed.
    fn texts(&mut self, service: &Service) {
        self.form("label", &service.label, &form::LABEL);
        for (field, text, form) in [
            ("note", &service.note, &form::TEXT),
            ("functions", &service.functions, &form::TEXT),
            ("deprecated", &service.deprecated, &form::TEXT),
            ("requires_python", &service.requires_python, &form::PYTHON),
        ] {
            if let Some(text) = text {
                self.form(field, text, form);
            }
        }
        for extra in &service.extras {
            self.form("extras", extra, &form::EXTRA);
        }
        for package in &service.packages {
            self.form("packages", package, &form::PACKAGE);
        }
    }

    /// Each name once, so that none takes the place of another.
    fn imports(&mut self, service: &Service) {
        self.form("module", &service.module, &form::MODULE);
        self.form("class", &service.class, &form::CLASS);
        let mut names = BTreeSet::from([service.class.as_str()]);
        for (module, imported) in &service.imports {
            self.form("imports", module, &form::MODULE);
            for name in imported {
                self.form("imports", name, &form::NAME);
                if !names.insert(name) {
                    let twice = format!("has `{}` twice", shown(name));
                    self.add(Rule::Imports, "imports", twice);
                }
            }
        }
    }

    /// Each variable is described, and read in one way.
    fn variables(&mut self, provider: &Provider, service: &Service, origin: Origin<'_>) {
        let mut known: BTreeMap<&str, Reading> = BTreeMap::new();
        let arguments = arguments(service);
        let reads = arguments
            .iter()
            .filter_map(|arg| Some((arg.env.as_deref()?, arg)));
        let alike = reads.map(|(name, arg)| {
            let first = known.entry(name).or_insert_with(|| Reading::of(arg));
            (name, first.is_like(arg))
        });
        let alike: BTreeSet<(&str, bool)> = alike.collect();
        for name in variables(service) {
            let field = format!("env.{}", shown(name));
            self.form(&field, name, &form::VARIABLE);
            if origin != Origin::BuiltIn && is_reserved_variable(name) {
                let others = "is a variable that other programs use; begin its name with that of the service, such as `ACME_REGION`";
                self.add(Rule::Variables, &field, others);
            }
            if alike.contains(&(name, false)) {
                self.add(Rule::Variables, &field, "is read in two ways");
            }
            let Some(variable) = provider.env.get(name) else {
                self.add(Rule::Variables, &field, "is read and not described");
                continue;
            };
            self.form(&format!("{field}.about"), &variable.about, &form::TEXT);
            if !variable.secret && CREDENTIALS.iter().any(|ending| name.ends_with(ending)) {
                let open = "is named like a credential: it must have `secret`";
                self.add(Rule::Variables, &field, open);
            }
        }
        let mut reads: BTreeSet<&str> = known.into_keys().collect();
        for read in &service.reads {
            if !reads.insert(&read.name) {
                let twice = format!("has `{}`, which is read already", shown(&read.name));
                self.add(Rule::Variables, "reads", twice);
            }
        }
    }

    /// Ways to give the same: each is read, and can be left unset.
    fn one_of(&mut self, service: &Service) {
        let arguments = arguments(service);
        let mut ways = BTreeSet::new();
        for name in &service.one_of {
            let reading = arguments
                .iter()
                .filter(|arg| arg.env.as_ref() == Some(name));
            let reads = service.reads.iter().filter(|read| read.name == *name);
            let optional: Vec<bool> = reading
                .map(|arg| arg.optional && arg.r#type == Type::Str)
                .chain(reads.map(|read| read.optional))
                .collect();
            if optional.is_empty() || optional.contains(&false) || !ways.insert(name) {
                let name = shown(name);
                let problem = format!("has `{name}`, which is no text that is read and `optional`");
                self.add(Rule::Variables, "one_of", problem);
            }
        }
        if service.one_of.len() == 1 {
            self.add(Rule::Variables, "one_of", "must have two variables or none");
        }
    }

    /// Checks what only some kinds have.
    fn place(&mut self, service: &Service) {
        let kind = service.kind;
        let speaks = matches!(kind, Kind::Llm | Kind::Realtime);
        let hears = matches!(kind, Kind::Stt | Kind::Realtime);
        let is_realtime = kind == Kind::Realtime;
        let (rate, size) = (service.input_rate, service.video_size);
        for (field, is_given, fits, is_needed) in [
            ("prompt", service.prompt.is_some(), speaks, true),
            ("turns", service.turns.is_some(), is_realtime, true),
            ("input_rate", rate.is_some(), hears, false),
            ("functions", service.functions.is_some(), speaks, false),
            ("video_size", size.is_some(), kind == Kind::Video, false),
        ] {
            if is_given && !fits {
                let other = format!("is not for services of the kind `{}`", kind.name());
                self.add(Rule::Place, field, other);
            } else if fits && is_needed && !is_given {
                let missing = format!("is missing in a service of the kind `{}`", kind.name());
                self.add(Rule::Place, field, missing);
            }
        }
        if rate.is_some_and(|rate| !(8000..=192_000).contains(&rate)) {
            self.add(Rule::Place, "input_rate", "must be from 8000 to 192000");
        }
        let mut sides = size.iter().flatten();
        if sides.any(|side| !(16..=8192).contains(side)) {
            self.add(
                Rule::Place,
                "video_size",
                "must be two numbers from 16 to 8192",
            );
        }
        if let Some(prompt) = service.prompt.as_ref().filter(|_| speaks) {
            self.prompt(service, prompt);
        }
    }

    /// A dotted way from call to call, to an argument that nothing else sets.
    fn prompt(&mut self, service: &Service, prompt: &str) {
        let (way, last) = prompt.rsplit_once('.').unwrap_or(("", prompt));
        self.form("prompt", last, &form::KEYWORD);
        let mut args = &service.args;
        let mut name = last;
        if way == "settings" {
            name = prompt;
        } else {
            for part in way.split('.').filter(|_| !way.is_empty()) {
                let mut calls = args.iter().filter(|arg| arg.call.is_some());
                let Some(call) = calls.find(|arg| arg.name == part) else {
                    let nowhere = format!("leads to no call `{}`", shown(part));
                    return self.add(Rule::Place, "prompt", nowhere);
                };
                args = &call.args;
            }
        }
        if args.iter().any(|arg| arg.name == name) {
            let set = "leads to an argument that has a value";
            self.add(Rule::Place, "prompt", set);
        }
    }
}

/// The way in which arguments read a variable.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Reading {
    r#type: Type,
    choices: Vec<String>,
    pub(super) default: Option<String>,
}

impl Reading {
    pub(super) fn of(arg: &Arg) -> Self {
        Self {
            r#type: arg.r#type,
            choices: arg.choices.clone(),
            default: arg.default.clone(),
        }
    }

    /// Whether an argument can share the variable. One without a default says nothing about it.
    pub(super) fn is_like(&self, arg: &Arg) -> bool {
        let defaults = self.default.as_ref().zip(arg.default.as_ref());
        self.r#type == arg.r#type
            && self.choices == arg.choices
            && defaults.is_none_or(|(one, other)| one == other)
    }

    pub(super) fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

//! The rules that a service must keep: the same for those that are built in and for those of packs.

mod arguments;
mod reach;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::grammar::{self, Form, shown};
use super::{Arg, Kind, Provider, Rule, Service, Type, python};
pub use reach::{Effects, effects};

/// The origin of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin<'a> {
    /// It is built in: it may have an alias and a rank, and its identifier is as it is.
    BuiltIn,
    /// The pack of this name, that of its file without `bot-cli-pack-`.
    Pack(&'a str),
}

/// A rule that is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The rule.
    pub rule: Rule,
    /// The identifier of the service, as far as it is one; `None`: it is the provider's.
    pub service: Option<String>,
    /// The field: `args.api_key.env`.
    pub field: String,
    /// The problem, as it follows the field: `must not be empty`.
    pub problem: String,
}

impl Problem {
    /// The field and what is wrong with it.
    #[must_use]
    pub fn reason(&self) -> String {
        format!("`{}` {}", self.field, self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(service) = &self.service {
            write!(f, "{}: ", shown(service))?;
        }
        f.write_str(&self.reason())
    }
}

/// The most services of a provider, arguments and variables of a service, items of a list, values within each other.
const MOST_SERVICES: usize = 200;
const MOST: usize = 50;
const DEEPEST: usize = 6;

/// The most characters of a variable and its default together, so that they fit a line of code.
const LONGEST_DEFAULT_LINE: usize = 75;

/// Everything that is wrong with a provider and its services.
#[must_use]
pub fn check(provider: &Provider, origin: Origin<'_>) -> Vec<Problem> {
    let mut problems = check_provider(provider, provider.services.len());
    for service in &provider.services {
        problems.extend(check_service(provider, service, origin));
    }
    problems.extend(twice(provider));
    problems.extend(described_without_use(provider));
    problems
}

/// Checks a provider itself, which brings so many services.
pub(super) fn check_provider(provider: &Provider, services: usize) -> Vec<Problem> {
    let mut checker = Checker::new(None);
    checker.form("label", &provider.label, &grammar::LABEL);
    checker.form("site", &provider.site, &grammar::SITE);
    if services == 0 {
        checker.found(Rule::Shape, "service", "must not be empty");
    }
    checker.count("service", services, MOST_SERVICES);
    checker.problems
}

/// Checks one of its services.
pub(super) fn check_service(
    provider: &Provider,
    service: &Service,
    origin: Origin<'_>,
) -> Vec<Problem> {
    let mut checker = Checker::new(Some(service));
    checker.identity(service, origin);
    checker.texts(service);
    checker.imports(service);
    if origin != Origin::BuiltIn {
        checker.reach(service);
    }
    checker.arguments(service);
    checker.variables(provider, service, origin);
    checker.place(service);
    checker.problems
}

/// Identifiers and labels that a provider has twice.
fn twice(provider: &Provider) -> Vec<Problem> {
    let mut ids = BTreeSet::new();
    let mut labels = BTreeSet::new();
    let mut problems = Vec::new();
    for service in &provider.services {
        let mut checker = Checker::new(Some(service));
        if !ids.insert(&service.id) {
            checker.found(Rule::Identifiers, "id", "is there twice");
        }
        if !labels.insert((service.kind, service.label.to_lowercase())) {
            checker.found(
                Rule::Identifiers,
                "label",
                "is that of another service of its kind",
            );
        }
        problems.append(&mut checker.problems);
    }
    problems
}

/// The variables of a provider that none of its services reads.
fn described_without_use(provider: &Provider) -> Vec<Problem> {
    let used: BTreeSet<&str> = provider.services.iter().flat_map(variables).collect();
    let mut checker = Checker::new(None);
    for name in provider.env.keys() {
        if !used.contains(name.as_str()) {
            checker.found(
                Rule::Variables,
                &format!("env.{}", shown(name)),
                "is read by no service",
            );
        }
    }
    checker.problems
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
    fn collect<'a>(args: &'a [Arg], depth: usize, found: &mut Vec<&'a Arg>) {
        for arg in args {
            if depth < DEEPEST {
                collect(&arg.args, depth + 1, found);
            }
            found.push(arg);
        }
    }
    let mut found = Vec::new();
    collect(&service.args, 0, &mut found);
    found
}

struct Checker {
    service: Option<String>,
    problems: Vec<Problem>,
}

impl Checker {
    fn new(service: Option<&Service>) -> Self {
        Self {
            service: service.map(|service| service.id.clone()),
            problems: Vec::new(),
        }
    }

    fn found(&mut self, rule: Rule, field: &str, problem: impl Into<String>) {
        self.problems.push(Problem {
            rule,
            service: self.service.clone(),
            field: field.to_owned(),
            problem: problem.into(),
        });
    }

    fn form(&mut self, field: &str, text: &str, form: &Form) {
        if let Some(problem) = form.problem(text) {
            self.found(form.rule, field, problem);
        }
    }

    fn count(&mut self, field: &str, count: usize, most: usize) {
        if count > most {
            self.found(
                Rule::Size,
                field,
                format!("has {count} entries; {most} are the most"),
            );
        }
    }

    /// Checks the names of the service.
    fn identity(&mut self, service: &Service, origin: Origin<'_>) {
        self.form("id", &service.id, &grammar::ID);
        let ending = format!("_{}", service.kind.name());
        if !service.id.ends_with(&ending) {
            self.found(
                Rule::Identifiers,
                "id",
                format!("must end in `{ending}`, its kind"),
            );
        }
        if let Origin::Pack(pack) = origin {
            let beginning = id_prefix(pack);
            if !service.id.starts_with(&beginning) {
                self.found(
                    Rule::Identifiers,
                    "id",
                    format!("must begin with `{beginning}`, the pack's name"),
                );
            }
            if service.alias.is_some() {
                self.found(
                    Rule::Identifiers,
                    "alias",
                    "is for services that are built in",
                );
            }
        } else if let Some(alias) = &service.alias {
            self.form("alias", alias, &grammar::ID);
        }
    }

    /// Checks what people read, and what is installed.
    fn texts(&mut self, service: &Service) {
        self.form("label", &service.label, &grammar::LABEL);
        for (field, text) in [
            ("note", &service.note),
            ("functions", &service.functions),
            ("deprecated", &service.deprecated),
        ] {
            if let Some(text) = text {
                self.form(field, text, &grammar::SENTENCE);
            }
        }
        if service.deprecated.is_some() && service.recommended.is_some() {
            self.found(
                Rule::Texts,
                "recommended",
                "is not for a service that is deprecated",
            );
        }
        for (field, texts, form) in [
            ("extras", &service.extras, &grammar::EXTRA),
            ("packages", &service.packages, &grammar::PACKAGE),
        ] {
            self.count(field, texts.len(), MOST);
            for text in texts {
                self.form(field, text, form);
            }
        }
        if let Some(python) = &service.requires_python {
            self.form("requires_python", python, &grammar::PYTHON);
        }
    }

    /// Each name once, so that none takes the place of another.
    fn imports(&mut self, service: &Service) {
        self.form("module", &service.module, &grammar::MODULE);
        self.form("class", &service.class, &grammar::CLASS);
        self.count("imports", service.imports.len(), MOST);
        let mut names = BTreeSet::from([service.class.as_str()]);
        for (module, imported) in &service.imports {
            self.form("imports", module, &grammar::MODULE);
            self.count("imports", imported.len(), MOST);
            for name in imported {
                self.form("imports", name, &grammar::NAME);
                if !names.insert(name) {
                    self.found(
                        Rule::Imports,
                        "imports",
                        format!("has `{}` twice", shown(name)),
                    );
                }
            }
        }
    }

    /// Each variable is described, and read in one way.
    fn variables(&mut self, provider: &Provider, service: &Service, origin: Origin<'_>) {
        for name in variables(service) {
            let field = format!("env.{}", shown(name));
            self.form(&field, name, &grammar::VARIABLE);
            if origin != Origin::BuiltIn && is_reserved(name) {
                self.found(Rule::Variables, &field, "is a variable that other programs use; begin its name with that of the service, such as `ACME_REGION`");
            }
            let Some(variable) = provider.env.get(name) else {
                self.found(Rule::Variables, &field, "is read and not described");
                continue;
            };
            self.form(&format!("{field}.about"), &variable.about, &grammar::ABOUT);
            if !variable.secret && names_a_credential(name) {
                self.found(
                    Rule::Variables,
                    &field,
                    "is named like a credential: it must have `secret`",
                );
            }
        }
        let mut known: BTreeMap<&str, &Arg> = BTreeMap::new();
        for arg in arguments(service) {
            let Some(name) = arg.env.as_deref() else {
                continue;
            };
            if !is_read_alike(known.entry(name).or_insert(arg), arg) {
                self.found(
                    Rule::Variables,
                    &format!("env.{}", shown(name)),
                    "is read in two ways",
                );
            }
        }
        self.count("reads", service.reads.len(), MOST);
        let mut reads = BTreeSet::new();
        for read in &service.reads {
            if known.contains_key(read.name.as_str()) || !reads.insert(&read.name) {
                self.found(
                    Rule::Variables,
                    "reads",
                    format!("has `{}`, which is read already", shown(&read.name)),
                );
            }
        }
        self.one_of(service);
    }

    /// Ways to give the same: each is read, and can be left unset.
    fn one_of(&mut self, service: &Service) {
        self.count("one_of", service.one_of.len(), MOST);
        if service.one_of.len() == 1 {
            self.found(Rule::Variables, "one_of", "must have two variables or none");
        }
        let mut ways = BTreeSet::new();
        for name in service.one_of.iter().take(MOST) {
            if !ways.insert(name) {
                self.found(
                    Rule::Variables,
                    "one_of",
                    format!("has `{}` twice", shown(name)),
                );
            }
            let mut read = arguments(service)
                .into_iter()
                .filter(|arg| arg.env.as_deref() == Some(name))
                .map(|arg| arg.optional && arg.r#type == Type::Str)
                .chain(
                    service
                        .reads
                        .iter()
                        .filter(|read| read.name == *name)
                        .map(|read| read.optional),
                )
                .peekable();
            if read.peek().is_none() || read.any(|optional| !optional) {
                self.found(
                    Rule::Variables,
                    "one_of",
                    format!(
                        "has `{}`, which is no text that is read and `optional`",
                        shown(name)
                    ),
                );
            }
        }
    }

    /// Checks where the service stands in the pipeline.
    fn place(&mut self, service: &Service) {
        let speaks = matches!(service.kind, Kind::Llm | Kind::Realtime);
        match &service.prompt {
            Some(prompt) if speaks => self.prompt(service, prompt),
            Some(_) => self.found(
                Rule::Place,
                "prompt",
                "is for language models and realtime services",
            ),
            None if speaks => self.found(
                Rule::Place,
                "prompt",
                "is missing: a language model is told what to be",
            ),
            None => {}
        }
        match (service.kind, service.turns) {
            (Kind::Realtime, None) => {
                self.found(Rule::Place, "turns", "is missing: `service` or `bot`");
            }
            (Kind::Stt | Kind::Llm | Kind::Tts | Kind::Video, Some(_)) => {
                self.found(Rule::Place, "turns", "is for realtime services");
            }
            _ => {}
        }
        if let Some(rate) = service.input_rate {
            if !matches!(service.kind, Kind::Stt | Kind::Realtime) {
                self.found(Rule::Place, "input_rate", "is for services that hear");
            }
            if !(8000..=192_000).contains(&rate) {
                self.found(Rule::Place, "input_rate", "must be from 8000 to 192000");
            }
        }
        if service.functions.is_some() && !matches!(service.kind, Kind::Llm | Kind::Realtime) {
            self.found(
                Rule::Place,
                "functions",
                "is for services that call functions",
            );
        }
        if let Some(size) = service.video_size {
            if service.kind != Kind::Video {
                self.found(Rule::Place, "video_size", "is for video services");
            }
            if !size.iter().all(|side| (16..=8192).contains(side)) {
                self.found(
                    Rule::Place,
                    "video_size",
                    "must be two numbers from 16 to 8192",
                );
            }
        }
    }

    /// A dotted way from call to call, to an argument that nothing else sets.
    fn prompt(&mut self, service: &Service, prompt: &str) {
        let mut parts: Vec<&str> = prompt.split('.').collect();
        let last = parts.pop().unwrap_or_default();
        self.form("prompt", last, &grammar::KEYWORD);
        let names = |args: &[Arg]| args.iter().any(|arg| arg.name == last);
        let is_set = if parts == ["settings"] {
            service.args.iter().any(|arg| arg.name == prompt)
        } else {
            let mut args = &service.args;
            for part in parts {
                let Some(call) = args
                    .iter()
                    .find(|arg| arg.name == part && arg.call.is_some())
                else {
                    return self.found(
                        Rule::Place,
                        "prompt",
                        format!("leads to no call `{}`", shown(part)),
                    );
                };
                args = &call.args;
            }
            names(args)
        };
        if is_set {
            self.found(
                Rule::Place,
                "prompt",
                "leads to an argument that has a value",
            );
        }
    }
}

/// Returns what the identifiers of a pack's services begin with.
pub(super) fn id_prefix(pack: &str) -> String {
    format!("{}_", pack.replace('-', "_"))
}

/// Whether two arguments can share their variable.
pub(super) fn is_read_alike(one: &Arg, other: &Arg) -> bool {
    let differ = |one: &Option<String>, other: &Option<String>| matches!((one, other), (Some(one), Some(other)) if one != other);
    one.r#type == other.r#type
        && one.choices == other.choices
        && !differ(&one.default, &other.default)
}

fn is_reserved(variable: &str) -> bool {
    !variable.contains('_')
        || python::RESERVED_VARIABLES.contains(variable)
        || python::RESERVED_PREFIXES
            .iter()
            .any(|prefix| variable.starts_with(prefix))
}

fn names_a_credential(variable: &str) -> bool {
    [
        "_API_KEY",
        "_SECRET",
        "_TOKEN",
        "_SECRET_ACCESS_KEY",
        "_PASSWORD",
    ]
    .iter()
    .any(|ending| variable.ends_with(ending))
}

//! The rules for services, both built-in and from packs.

mod addresses;
mod arguments;
mod reach;

use std::collections::{BTreeMap, BTreeSet};

use super::form::{self, Form, shown};
use super::names::is_reserved_variable;
use super::{Arg, Kind, Provider, Service, Type};
pub use addresses::address;
pub use reach::{Effects, effects};

/// The origin of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin<'a> {
    /// The built-in catalogue, which has no restrictions on identifiers and imports.
    BuiltIn,
    /// The pack with this name, which is its file name without `bot-cli-pack-`.
    Pack(&'a str),
}

const CREDENTIALS: [&str; 5] = [
    "_API_KEY",
    "_SECRET",
    "_TOKEN",
    "_SECRET_ACCESS_KEY",
    "_PASSWORD",
];

/// Returns all problems with a provider and its services.
pub fn check(provider: &Provider, origin: Origin<'_>) -> Vec<String> {
    let mut problems = check_provider(provider);
    for service in &provider.services {
        problems.extend(check_service(provider, service, origin));
    }
    problems
}

/// Returns the problems with a provider, excluding those of its services.
pub(super) fn check_provider(provider: &Provider) -> Vec<String> {
    let mut found = Found::default();
    found.form("label", &provider.label, &form::LABEL);
    found.form("site", &provider.site, &form::SITE);
    found.0
}

pub(super) fn check_service(
    provider: &Provider,
    service: &Service,
    origin: Origin<'_>,
) -> Vec<String> {
    let mut found = Found::default();
    found.identity(service, origin);
    found.texts(service);
    found.imports(service);
    if let Origin::Pack(_) = origin {
        found.reach(service);
    }
    let imported = service.imports.values().flatten();
    let imported = imported.map(String::as_str).collect();
    found.arguments("args", &service.args, &imported);
    found.variables(provider, service, origin);
    found.one_of(service);
    found.languages(service);
    found.place(service);
    found.0
}

/// Returns the environment variables that a service reads, either through arguments or directly.
pub fn variables(service: &Service) -> BTreeSet<&str> {
    let of_arguments = arguments(service)
        .into_iter()
        .filter_map(|arg| arg.env.as_deref());
    of_arguments
        .chain(service.reads.iter().map(|read| read.name.as_str()))
        .collect()
}

/// Returns all arguments of a service, including nested ones.
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

#[derive(Default)]
struct Found(Vec<String>);

impl Found {
    fn add(&mut self, field: &str, problem: &str) {
        self.0.push(format!("`{field}` {problem}"));
    }

    fn form(&mut self, field: &str, text: &str, form: &Form) {
        if let Some(problem) = form.problem(text) {
            self.add(field, &problem);
        }
    }

    fn identity(&mut self, service: &Service, origin: Origin<'_>) {
        let id = &service.id;
        self.form("id", id, &form::ID);
        let ending = format!("_{}", service.kind.name());
        if !id.ends_with(&ending) {
            self.add("id", &format!("must end in `{ending}`, its kind"));
        }
        if let Origin::Pack(pack) = origin {
            let beginning = format!("{}_", pack.replace('-', "_"));
            if !id.starts_with(&beginning) {
                let problem = format!("must begin with `{beginning}`, the pack's name");
                self.add("id", &problem);
            }
        }
    }

    fn texts(&mut self, service: &Service) {
        self.form("label", &service.label, &form::LABEL);
        for (field, text, form) in [
            ("note", &service.note, &form::TEXT),
            ("downloads", &service.downloads, &form::TEXT),
            ("downloads_to", &service.downloads_to, &form::VALUE),
            ("pull", &service.pull, &form::TEXT),
            ("functions", &service.functions, &form::TEXT),
            ("deprecated", &service.deprecated, &form::TEXT),
            ("requires_python", &service.requires_python, &form::PYTHON),
        ] {
            if let Some(text) = text {
                self.form(field, text, form);
            }
        }
        for family in &service.models {
            self.form("models", family, &form::LABEL);
        }
        for language in &service.languages {
            self.form("languages", language, &form::LANGUAGE);
        }
        if let Some(field) = &service.language_list {
            self.form("language_list", field, &form::KEYWORD);
        }
        for extra in &service.extras {
            self.form("extras", extra, &form::EXTRA);
        }
        for package in &service.packages {
            self.form("packages", package, &form::PACKAGE);
        }
    }

    /// Checks that each name is imported only once, so that no import replaces another.
    fn imports(&mut self, service: &Service) {
        self.form("module", &service.module, &form::MODULE);
        self.form("class", &service.class, &form::CLASS);
        let mut names = BTreeSet::from([service.class.as_str()]);
        for (module, imported) in &service.imports {
            self.form("imports", module, &form::MODULE);
            for name in imported {
                self.form("imports", name, &form::NAME);
                if !names.insert(name) {
                    self.add("imports", &format!("has `{}` twice", shown(name)));
                }
            }
        }
    }

    /// Checks that each variable is described and always read in the same way.
    fn variables(&mut self, provider: &Provider, service: &Service, origin: Origin<'_>) {
        let mut known: BTreeMap<&str, &Arg> = BTreeMap::new();
        for arg in arguments(service) {
            let Some(name) = &arg.env else { continue };
            let first = known.entry(name).or_insert(arg);
            let is_like = (first.r#type, &first.choices) == (arg.r#type, &arg.choices);
            let mut defaults = first.default.iter().zip(&arg.default);
            if !is_like || defaults.any(|(one, other)| one != other) {
                self.add(&format!("env.{}", shown(name)), "is read in two ways");
            }
        }
        for name in variables(service) {
            let field = format!("env.{}", shown(name));
            self.form(&field, name, &form::VARIABLE);
            if origin != Origin::BuiltIn && is_reserved_variable(name) {
                let problem = "is a variable that other programs use; begin its name with that of the service, such as `ACME_REGION`";
                self.add(&field, problem);
            }
            let Some(variable) = provider.env.get(name) else {
                self.add(&field, "is read and not described");
                continue;
            };
            self.form(&format!("{field}.about"), &variable.about, &form::TEXT);
            if !variable.secret && CREDENTIALS.iter().any(|ending| name.ends_with(ending)) {
                let problem = "is named like a credential: it must have `secret`";
                self.add(&field, problem);
            }
        }
    }

    /// Checks that every variable in `one_of` is read and optional.
    fn one_of(&mut self, service: &Service) {
        let arguments = arguments(service);
        for name in &service.one_of {
            let args = arguments.iter();
            let args = args.filter(|arg| arg.env.as_ref() == Some(name));
            let reads = service.reads.iter().filter(|read| read.name == *name);
            let optional: Vec<bool> = args
                .map(|arg| arg.optional && arg.r#type == Type::Str)
                .chain(reads.map(|read| read.optional))
                .collect();
            if optional.is_empty() || optional.contains(&false) {
                let name = shown(name);
                let problem = format!("has `{name}`, which is no text that is read and `optional`");
                self.add("one_of", &problem);
            }
        }
    }

    /// Checks that languages are told to services that hear or speak, and that the variable for another voice is read.
    fn languages(&mut self, service: &Service) {
        let says = !service.languages.is_empty() || service.language_list.is_some();
        if says && !matches!(service.kind, Kind::Stt | Kind::Tts) {
            self.add("languages", "is for the kinds `stt` and `tts`");
        }
        let is_read = |name: &String| variables(service).contains(name.as_str());
        if !service.english.iter().all(is_read) {
            self.add("english", "is no variable that is read");
        }
    }

    /// Checks the keys that some kinds of service require and others don't allow.
    fn place(&mut self, service: &Service) {
        let kind = service.kind;
        let speaks = matches!(kind, Kind::Llm | Kind::Realtime);
        for (field, is_given, fits) in [
            ("prompt", service.prompt.is_some(), speaks),
            ("turns", service.turns.is_some(), kind == Kind::Realtime),
        ] {
            let kind = kind.name();
            match (is_given, fits) {
                (true, false) => self.add(field, &format!("is not for the kind `{kind}`")),
                (false, true) => self.add(field, &format!("must be given for the kind `{kind}`")),
                _ => {}
            }
        }
        let to = service.downloads_to.as_deref().unwrap_or("..");
        let is_below = !to.starts_with('/') && to.split('/').all(|part| part != "..");
        let needs_session = arguments(service)
            .iter()
            .any(|it| it.expr.as_deref() == Some("session"));
        let fits = matches!(kind, Kind::Stt | Kind::Tts) && is_below && !needs_session;
        if service.downloads.is_some() && !fits {
            let problem = "needs `downloads_to`, a folder below the user's, and is for `stt` and `tts` without the `session`";
            self.add("downloads", problem);
        }
        let has = |name| {
            service
                .args
                .iter()
                .any(|it| it.name == name && it.env.is_some())
        };
        if service.pull.is_some() && !(has("base_url") && has("settings.model")) {
            self.add(
                "pull",
                "needs variables for `base_url` and `settings.model`",
            );
        }
        if let Some(prompt) = service.prompt.as_ref().filter(|_| speaks) {
            self.prompt(service, prompt);
        }
    }

    /// Checks that the dotted path of the system prompt argument leads through nested calls.
    fn prompt(&mut self, service: &Service, prompt: &str) {
        let (way, last) = prompt.rsplit_once('.').unwrap_or(("", prompt));
        self.form("prompt", last, &form::KEYWORD);
        let mut args = &service.args;
        for part in way.split('.') {
            if way.is_empty() || way == "settings" {
                return;
            }
            let mut calls = args.iter().filter(|arg| arg.call.is_some());
            let Some(call) = calls.find(|arg| arg.name == part) else {
                return self.add("prompt", &format!("leads to no call `{}`", shown(part)));
            };
            args = &call.args;
        }
    }
}

//! The code that a service in a pack can use: framework services and the service's own packages.

use std::collections::{BTreeMap, BTreeSet};

use super::addresses::addresses;
use super::{Found, arguments, variables};
use crate::pack::form::{self, shown};
use crate::pack::{Provider, Service, Taken, is_standard_module};

/// The framework modules that a pack can import. Other framework modules can run files or modules specified by a string argument.
const FRAMEWORK: [&str; 2] = ["pipecat.services", "pipecat.transcriptions"];

/// Framework modules that a pack can't import, because they run a program or code from a model's repository.
const RUNS_CODE: [&str; 3] = [
    "pipecat.services.funasr",
    "pipecat.services.mcp_service",
    "pipecat.services.moondream",
];

/// The effects of services, for reviewers of a pack: `addresses`, `calls`, `modules`, `packages` and `variables`.
pub type Effects = BTreeMap<&'static str, BTreeSet<String>>;

/// Returns the effects of a pack's services. Variables that also belong to an owner in `taken` are marked.
pub fn effects(providers: &[Provider], taken: &Taken) -> Effects {
    let mut effects = Effects::new();
    for provider in providers {
        for service in &provider.services {
            let mut add = |what, text| {
                effects.entry(what).or_default().insert(text);
            };
            for requirement in service.requirements() {
                add("packages", requirement);
            }
            let brought = brought(service);
            for (module, name) in service.names() {
                let top = top(module);
                match brought.get(top) {
                    Some(package) => add("modules", format!("{top} of {package}")),
                    None => add("modules", module.to_owned()),
                }
                let mut calls = arguments(service).into_iter();
                if name == service.class || calls.any(|arg| arg.call.as_deref() == Some(name)) {
                    add("calls", format!("{module}.{name}"));
                }
            }
            for address in addresses(service) {
                add("addresses", address);
            }
            for name in variables(service) {
                let is_secret = provider.env.get(name).is_some_and(|it| it.secret);
                let secret = is_secret.then(|| "secret".to_owned());
                let owner = taken.owner(name);
                let owner = owner.map(|owner| format!("{owner} reads it too"));
                let marks: Vec<String> = secret.into_iter().chain(owner).collect();
                add(
                    "variables",
                    match marks.as_slice() {
                        [] => name.to_owned(),
                        marks => format!("{name} ({})", marks.join("; ")),
                    },
                );
            }
        }
    }
    effects
}

impl Found {
    /// Checks that each module belongs to the framework's services or to one of the service's packages.
    pub(super) fn reach(&mut self, service: &Service) {
        for (package, modules) in &service.modules {
            if !service.packages.iter().any(|it| name(it) == package) {
                let package = shown(package);
                let problem = format!("has `{package}`, which `packages` does not have");
                self.add("modules", &problem);
            }
            for module in modules {
                self.form("modules", module, &form::MODULE);
            }
        }
        let brought = brought(service);
        for (module, name) in service.names() {
            if is_framework(module) {
                self.of_framework(service, name);
            } else if is_others(top(module)) || !brought.contains_key(top(module)) {
                let problem = format!(
                    "has `{}`, which is neither of the framework's services nor of `packages`",
                    shown(module)
                );
                self.add("imports", &problem);
            }
        }
    }

    /// Checks that only classes are imported from the framework, because framework modules also expose the modules that they import.
    fn of_framework(&mut self, service: &Service, name: &str) {
        let is_class = name.starts_with(|first: char| first.is_ascii_uppercase());
        if !is_class || name == service.class && !name.contains("Service") {
            let name = shown(name);
            let problem = format!("has `{name}`, which is no service or class of the framework");
            self.add("imports", &problem);
        }
        let expressions = arguments(service).into_iter();
        for code in expressions.filter_map(|arg| arg.expr.as_deref()) {
            let (first, attributes) = code.split_once('.').unwrap_or((code, ""));
            if first == name && attributes.contains('.') {
                let problem = format!("has `{}`, which is no value of a class", shown(code));
                self.add("args", &problem);
            }
        }
    }
}

/// Returns the top-level modules in the service's packages, each with its package.
fn brought(service: &Service) -> BTreeMap<String, &str> {
    let packages = service.packages.iter().map(|package| name(package));
    let brought = packages.flat_map(|package| {
        let own = || vec![package.replace('-', "_")];
        let modules = service.modules.get(package).cloned();
        let modules = modules.unwrap_or_else(own).into_iter();
        modules.map(move |module| (module, package))
    });
    brought.collect()
}

fn name(requirement: &str) -> &str {
    requirement.split(['[', '>']).next().unwrap_or_default()
}

fn top(module: &str) -> &str {
    module.split('.').next().unwrap_or_default()
}

fn is_framework(module: &str) -> bool {
    let is_in = |part: &&str| {
        let below = module.strip_prefix(part);
        below.is_some_and(|below| below.is_empty() || below.starts_with('.'))
    };
    FRAMEWORK.iter().any(is_in) && !RUNS_CODE.iter().any(is_in)
}

/// Reports whether a top-level module is private, or belongs to the framework or the Python standard library.
fn is_others(top: &str) -> bool {
    let lower = top.to_ascii_lowercase();
    top.starts_with('_') || lower == "pipecat" || is_standard_module(&lower)
}

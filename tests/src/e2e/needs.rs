//! Checks the requirements of groups on this machine, and installs them.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::{Group, TABLE, say};
use crate::kubernetes::api_server;
use crate::python::{CLIENT, FRAMEWORK, Pins, newest_interpreter};

/// A requirement that some machines don't meet.
#[derive(Debug, Deserialize)]
pub(super) struct Need {
    /// A shell command that succeeds if the requirement is met.
    test: String,
    /// The message if the requirement is not met. The default says that a program is not installed.
    lacks: Option<String>,
    /// The Debian packages that meet the requirement.
    packages: Option<String>,
    /// The shell command that installs the missing software.
    install: Option<String>,
}

/// Returns the reasons why a group can't run on this machine.
pub(super) fn lacks(group: &Group) -> Vec<String> {
    let lacks = group.needs.iter().filter_map(|need| lack(need));
    let mut lacks: Vec<String> = lacks.collect();
    lacks.dedup();
    lacks
}

fn lack(name: &str) -> Option<String> {
    let found = match name {
        "framework" => FRAMEWORK.find().map(drop),
        "python index" => FRAMEWORK.find().and_then(|python| {
            let uv = python.executable("uv").display().to_string();
            let is_there = succeeds(&format!(
                "echo pip | {uv} pip compile --quiet --no-cache - >/dev/null 2>&1"
            ));
            let problem = || "packages of Python can't be downloaded".to_owned();
            is_there.then_some(()).ok_or_else(problem)
        }),
        "client" => CLIENT.find().map(drop),
        "api server" => api_server::find().map(drop),
        _ => TABLE.need.get(name).map_or_else(
            || Err(format!("`{name}` is no need of `groups.toml`")),
            |need| need.find(name),
        ),
    };
    found.err()
}

impl Need {
    fn find(&self, name: &str) -> Result<(), String> {
        let test = &self.test;
        let alone = "at=$(mktemp -d); trap 'rm -rf \"$at\"' EXIT; cd \"$at\" || exit";
        if succeeds(&format!("{alone}; {{ {test}; }} >/dev/null 2>&1")) {
            return Ok(());
        }
        let is_missing = || format!("`{name}` is not installed");
        let reason = self.lacks.clone().unwrap_or_else(is_missing);
        Err(match &self.packages {
            Some(packages) => format!("{reason} (Debian: {packages})"),
            None => reason,
        })
    }
}

/// Installs the missing requirements of `groups` where possible. Debian packages come first, because the Python environments need some of
/// them. Requirements that are still missing are reported when the groups run.
pub(super) fn install(groups: &[&Group]) {
    let names = groups.iter().flat_map(|group| &group.needs);
    let missing: BTreeSet<&str> = names
        .map(String::as_str)
        .filter(|name| lack(name).is_some())
        .collect();
    let known = || missing.iter().filter_map(|name| TABLE.need.get(*name));
    let pins: Vec<&Pins> = [("framework", &FRAMEWORK), ("client", &CLIENT)]
        .into_iter()
        .filter_map(|(name, pins)| missing.contains(name).then_some(pins))
        .collect();
    let mut packages: Vec<&str> = known().filter_map(|it| it.packages.as_deref()).collect();
    // Debian packs what makes an environment apart from the interpreter.
    let interpreter = newest_interpreter().unwrap_or_else(|_| "python3".to_owned());
    let venv = format!("{interpreter} -c 'import ensurepip, venv'");
    if !pins.is_empty() && !succeeds(&format!("{venv} 2>/dev/null")) {
        packages.push("python3-venv");
    }
    let apt = format!(
        "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends {}",
        packages.join(" ")
    );
    let apt = (!packages.is_empty()).then_some(apt.as_str());
    for command in apt
        .into_iter()
        .chain(known().filter_map(|it| it.install.as_deref()))
    {
        say(command);
        if !succeeds(&format!("{command} >&2")) {
            say("error: not everything could be installed");
        }
    }
    for pins in pins {
        say(&format!("installing {} ({})", pins.name, pins.size));
        if let Err(problem) = pins.install() {
            say(&format!("error: {problem}"));
        }
    }
}

fn succeeds(command: &str) -> bool {
    let mut shell = Command::new("sh");
    let status = shell.args(["-c", command]).stdin(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

//! Installs what groups lack, as far as it can be installed.

use std::process::Command;

use super::groups::Group;
use super::needs::Remedy;
use super::say;
use crate::python::{Pins, newest_interpreter};

/// Packages first: environments are made with some of them.
pub(super) fn install(groups: &[&Group]) {
    let mut packages: Vec<&str> = Vec::new();
    let mut environments: Vec<&Pins> = Vec::new();
    let mut targets: Vec<&str> = Vec::new();
    let lacks = groups.iter().flat_map(|group| group.needs);
    for lack in lacks.filter_map(|need| need.lack()) {
        match lack.remedy {
            Remedy::Package(package) => packages.push(package),
            Remedy::Environment(pins) => environments.push(pins),
            Remedy::Target(name) => targets.push(name),
            Remedy::None => {}
        }
    }
    environments.dedup_by_key(|pins| pins.name);
    if !environments.is_empty() && !makes_environments() {
        packages.push("python3-venv");
    }
    packages.sort_unstable();
    packages.dedup();
    if !packages.is_empty() {
        install_packages(&packages);
    }
    for name in targets {
        say(&format!("installing the standard library for {name}"));
        let status = Command::new("rustup")
            .args(["target", "add", name])
            .status();
        if !status.is_ok_and(|status| status.success()) {
            say("error: `rustup` could not install it");
        }
    }
    for pins in environments {
        say(&format!("installing {} ({})", pins.name, pins.size));
        // The groups that need it then name it as missing.
        if let Err(problem) = pins.install() {
            say(&format!("error: {problem}"));
        }
    }
}

/// Debian packs what makes an environment apart from the interpreter.
fn makes_environments() -> bool {
    newest_interpreter().is_ok_and(|python| {
        let modules = Command::new(python)
            .args(["-c", "import ensurepip, venv"])
            .output();
        modules.is_ok_and(|output| output.status.success())
    })
}

/// What can't be installed is named as missing by the groups that need it.
fn install_packages(packages: &[&str]) {
    let names = packages.join(" ");
    if !rustix::process::geteuid().is_root() {
        say(&format!(
            "as root, `apt-get install {names}` installs what is missing"
        ));
        return;
    }
    say(&format!("installing {names}"));
    let apt =
        format!("apt-get update -qq && apt-get install -y -qq --no-install-recommends {names}");
    let status = Command::new("sh")
        .args(["-c", &apt])
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdout(std::io::stderr())
        .status();
    if !status.is_ok_and(|status| status.success()) {
        say("error: not everything could be installed");
    }
}

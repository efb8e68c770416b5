//! The Python version and the package requirements for a project, each with lower and upper bounds.

use std::collections::BTreeSet;

use bot_cli_templates::FRAMEWORK;
use serde_json::{Value, json};

use super::variables::self_host;
use crate::config::Config;
use crate::option_table::Feature;

/// The packages that every bot requires in addition to the framework. Windows and slim images have no time zones of their own.
const ALWAYS: [&str; 3] = [
    "loguru>=0.7.3,<1",
    "python-dotenv>=1.0.1,<2",
    "tzdata>=2025.2,<2030",
];

const SESSION: &str = "aiohttp>=3.11,<4";

pub(super) fn variable(config: &Config, needs_session: bool) -> Value {
    let wanted = config.services().filter_map(|service| {
        let version = service.requires_python.as_deref();
        python_version(version?)
    });
    let oldest = wanted.fold(FRAMEWORK.oldest_python, Ord::max);
    let below = FRAMEWORK.python_below;
    let shown = |(major, minor): (u32, u32)| format!("{major}.{minor}");
    let framework = format!(">={},<{}", FRAMEWORK.release, FRAMEWORK.below);
    json!({
        "oldest": shown(oldest),
        "newest": shown((below.0, below.1 - 1)),
        "below": shown(below),
        "version": shown(oldest.max(FRAMEWORK.image_python)),
        "base_image": FRAMEWORK.base_image,
        "dependencies": dependencies(config, needs_session, &framework),
        "framework": framework,
    })
}

fn dependencies(config: &Config, needs_session: bool, framework: &str) -> Vec<String> {
    // `runner` serves sessions during development and in the image.
    let mut extras = BTreeSet::from(["runner"]);
    let mut packages = BTreeSet::from(ALWAYS);
    for service in config.services() {
        extras.extend(service.extras.iter().map(String::as_str));
        packages.extend(service.packages.iter().map(String::as_str));
    }
    for transport in &config.transports {
        extras.extend(transport.extras.iter().map(String::as_str));
        packages.extend(transport.packages.iter().map(String::as_str));
        let served = self_host(config, transport).map(|it| &it.packages);
        packages.extend(served.into_iter().flatten().map(String::as_str));
    }
    packages.extend(needs_session.then_some(SESSION));
    for feature in Feature::ALL.into_iter().filter(|it| config.has(*it)) {
        packages.extend(feature.row().packages);
    }
    let extras: Vec<&str> = extras.into_iter().collect();
    let mut all: Vec<String> = packages.into_iter().map(str::to_owned).collect();
    all.push(format!("pipecat-ai[{}]{framework}", extras.join(",")));
    let name = |requirement: &String| {
        let end = requirement.find(['[', '>', '=', '<', '~']);
        requirement[..end.unwrap_or(requirement.len())].to_owned()
    };
    all.sort_by_key(name);
    all
}

fn python_version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

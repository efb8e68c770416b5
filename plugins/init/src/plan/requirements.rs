//! The requirements in `pyproject.toml` and of the image, each with a lower and an upper bound.

use std::collections::BTreeSet;

use bot_cli_templates::FRAMEWORK;
use serde::Serialize;

use super::PlanError;
use crate::config::Config;
use crate::option_table::Feature;

/// The requirements of a project.
#[derive(Debug, Clone, Serialize)]
pub struct Requirements {
    /// `>=3.11,<3.15`.
    pub requires: String,
    /// `3.11`: the oldest Python, for people.
    pub oldest: String,
    /// `3.14`: the newest Python, for people.
    pub newest: String,
    /// `3.12`: the Python that `uv` takes, and that of the image.
    pub version: String,
    /// The requirements of the bot itself.
    pub dependencies: Vec<String>,
    /// The requirements for developing and deploying.
    pub groups: Vec<Group>,
    /// The tag of the base image.
    pub base_image: String,
}

/// A dependency group.
#[derive(Debug, Clone, Serialize)]
pub struct Group {
    /// `dev`.
    pub name: &'static str,
    /// In the order of their names.
    pub requirements: Vec<String>,
}

impl Requirements {
    pub(super) fn new(config: &Config, needs_session: bool) -> Result<Self, PlanError> {
        let oldest = oldest_python(config)?;
        let mut groups = vec![Group {
            name: "dev",
            requirements: Vec::new(),
        }];
        if config.has(Feature::Eval) {
            groups[0].requirements.push(framework("evals"));
        }
        groups[0].requirements.extend([
            "pyright>=1.1.404,<2".to_owned(),
            "ruff>=0.12.11,<1".to_owned(),
        ]);
        if config.has(Feature::DeployToCloud) {
            groups.push(Group {
                name: "cloud",
                requirements: vec!["pipecatcloud>=1.4.0,<2".to_owned()],
            });
        }
        let below = FRAMEWORK.python_below;
        let version = oldest.max(FRAMEWORK.image_python);
        Ok(Self {
            requires: format!(">={}.{},<{}.{}", oldest.0, oldest.1, below.0, below.1),
            oldest: format!("{}.{}", oldest.0, oldest.1),
            newest: format!("{}.{}", below.0, below.1 - 1),
            version: format!("{}.{}", version.0, version.1),
            dependencies: dependencies(config, needs_session),
            groups,
            base_image: format!("{}-py{}.{}", FRAMEWORK.base_image, version.0, version.1),
        })
    }
}

fn dependencies(config: &Config, needs_session: bool) -> Vec<String> {
    // `runner` is the program that serves sessions while developing and inside the image.
    let mut extras = BTreeSet::from(["runner"]);
    let mut packages = BTreeSet::from(["loguru>=0.7.3,<1", "python-dotenv>=1.0.1,<2"]);
    for service in config.services() {
        extras.extend(service.extras.iter().map(String::as_str));
        packages.extend(service.packages.iter().map(String::as_str));
    }
    for transport in &config.transports {
        extras.extend(transport.extras.iter().map(String::as_str));
        packages.extend(transport.packages.iter().map(String::as_str));
    }
    if needs_session {
        packages.insert("aiohttp>=3.11,<4");
    }
    if config.has(Feature::Observability) {
        packages.insert("pipecat-ai-whisker>=2.0.1,<3");
    }
    let extras: Vec<&str> = extras.into_iter().collect();
    let mut all: Vec<String> = packages.into_iter().map(str::to_owned).collect();
    all.push(framework(&extras.join(",")));
    all.sort_by_key(|requirement| {
        requirement
            .split(['[', '>', '=', '<', '~'])
            .next()
            .map(str::to_owned)
    });
    all
}

fn framework(extras: &str) -> String {
    format!(
        "pipecat-ai[{extras}]>={},<{}",
        FRAMEWORK.release, FRAMEWORK.below
    )
}

fn oldest_python(config: &Config) -> Result<(u32, u32), PlanError> {
    let mut oldest = FRAMEWORK.oldest_python;
    for service in config.services() {
        let Some(version) = &service.requires_python else {
            continue;
        };
        let parsed = python_version(version).ok_or_else(|| {
            PlanError::broken(
                "server/pyproject.toml",
                format!("`{version}` is not a Python version"),
            )
        })?;
        oldest = oldest.max(parsed);
    }
    Ok(oldest)
}

/// `3.12` as two numbers.
pub(crate) fn python_version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

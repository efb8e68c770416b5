//! Which files a project has: the one place that decides.

use std::borrow::Cow;

use super::Existing;
use crate::config::Config;
use crate::option_table::Feature;

mod client;

/// A file of a project.
pub(super) struct File {
    /// The path, relative to the target.
    pub path: Cow<'static, str>,
    /// The template, relative to `templates/project`.
    pub template: Cow<'static, str>,
    /// A description, for the project's README.
    pub about: &'static str,
    pub existing: Existing,
}

struct Entry {
    path: &'static str,
    template: &'static str,
    about: &'static str,
    existing: Existing,
    when: fn(&Config) -> bool,
}

/// Returns the files of this project, in the order of their paths.
pub(super) fn files_of(config: &Config) -> Vec<File> {
    let mut files: Vec<File> = MANIFEST
        .iter()
        .chain(client::MANIFEST)
        .filter(|entry| (entry.when)(config))
        .map(|entry| File {
            path: entry.path.into(),
            template: entry.template.into(),
            about: entry.about,
            existing: entry.existing,
        })
        .chain(client::files_of_transports(config))
        .collect();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    // Two transports may need the same one.
    files.dedup_by(|one, other| one.path == other.path);
    files
}

const MANIFEST: &[Entry] = &[
    Entry {
        path: ".gitignore",
        template: "gitignore.liquid",
        about: "What stays out of version control",
        existing: Existing::AddLines,
        when: always,
    },
    Entry {
        path: "README.md",
        template: "README.md.liquid",
        about: "Setup instructions",
        existing: Existing::Conflict,
        when: always,
    },
    Entry {
        path: "server/.dockerignore",
        template: "server/dockerignore.liquid",
        about: "What reaches the image build",
        existing: Existing::Conflict,
        when: deployed,
    },
    Entry {
        path: "server/.env.example",
        template: "server/env.example.liquid",
        about: "Every environment variable; copy it to `.env`",
        existing: Existing::Conflict,
        when: always,
    },
    Entry {
        path: "server/.python-version",
        template: "server/python-version.liquid",
        about: "The Python that `uv` takes: that of the container image",
        existing: Existing::Conflict,
        when: always,
    },
    Entry {
        path: "server/Dockerfile",
        template: "server/Dockerfile.liquid",
        about: "Container image",
        existing: Existing::Conflict,
        when: deployed,
    },
    Entry {
        path: "server/bot.py",
        template: "server/bot.py.liquid",
        about: "The bot",
        existing: Existing::Conflict,
        when: always,
    },
    Entry {
        path: "server/cloud-deploy.toml",
        template: "server/cloud-deploy.toml.liquid",
        about: "How the hosting service runs the bot",
        existing: Existing::Conflict,
        when: deployed,
    },
    Entry {
        path: "server/evals/audio.yaml",
        template: "server/evals/audio.yaml.liquid",
        about: "Eval: a spoken conversation",
        existing: Existing::Conflict,
        when: evaluated,
    },
    Entry {
        path: "server/evals/judge.py",
        template: "server/evals/judge.py.liquid",
        about: "The language model that judges",
        existing: Existing::Conflict,
        when: evaluated,
    },
    Entry {
        path: "server/evals/judged.yaml",
        template: "server/evals/judged.yaml.liquid",
        about: "Eval: answers that a language model judges",
        existing: Existing::Conflict,
        when: evaluated,
    },
    Entry {
        path: "server/evals/text.yaml",
        template: "server/evals/text.yaml.liquid",
        about: "Eval: needs no model and no audio",
        existing: Existing::Conflict,
        when: evaluated,
    },
    Entry {
        path: "server/pyproject.toml",
        template: "server/pyproject.toml.liquid",
        about: "Dependencies and tool settings",
        existing: Existing::Conflict,
        when: always,
    },
    Entry {
        path: "server/server.py",
        template: "server/server.py.liquid",
        about: "The web server that brings calls to the bot",
        existing: Existing::Conflict,
        when: called_in_rooms,
    },
];

fn always(_: &Config) -> bool {
    true
}

fn deployed(config: &Config) -> bool {
    config.has(Feature::DeployToCloud)
}

fn called_in_rooms(config: &Config) -> bool {
    config
        .transports
        .iter()
        .any(|transport| transport.call_server.is_some())
}

fn evaluated(config: &Config) -> bool {
    config.has(Feature::Eval)
}

//! Which files a project has: the one place that decides.

use std::borrow::Cow;

use super::Existing;
use crate::config::{Config, Pipeline};
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
    let own = MANIFEST.iter().filter(|(when, _)| when(config));
    let own = own.flat_map(|(_, files)| *files).map(|(path, about)| File {
        path: (*path).into(),
        template: template_of(path).into(),
        about,
        existing: match *path {
            ".gitignore" => Existing::AddLines,
            _ => Existing::Conflict,
        },
    });
    let of_client = client::MANIFEST.iter().filter(|entry| (entry.when)(config));
    let of_client = of_client.map(|entry| File {
        path: entry.path.into(),
        template: entry.template.into(),
        about: entry.about,
        existing: entry.existing,
    });
    let mut files: Vec<File> = own
        .chain(of_client)
        .chain(client::files_of_transports(config))
        .collect();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    // Two transports may need the same one.
    files.dedup_by(|one, other| one.path == other.path);
    files
}

type Condition = fn(&Config) -> bool;

/// The files beside a web client, by the condition on which a project has them: path and description.
const MANIFEST: &[(Condition, &[(&str, &str)])] = &[
    (
        |_| true,
        &[
            (".gitignore", "Files that git ignores"),
            ("README.md", "Setup instructions"),
            (
                "server/.env.example",
                "Every environment variable; copy it to `.env`",
            ),
            (
                "server/.python-version",
                "The Python version for `uv`, the same as in the container image",
            ),
            ("server/bot.py", "The bot"),
            ("server/pyproject.toml", "Dependencies and tool settings"),
            ("server/services.py", "The AI services, with their settings"),
            (
                "server/settings.py",
                "How environment variables are read and checked",
            ),
            (
                "server/tools.py",
                "Functions that the language model may call: yours",
            ),
        ],
    ),
    (
        |config| config.has(Feature::DeployToCloud),
        &[
            ("server/.dockerignore", "Files that the image build ignores"),
            ("server/Dockerfile", "Container image"),
            (
                "server/cloud-deploy.toml",
                "Settings for the hosting service",
            ),
        ],
    ),
    (
        |config| config.has(Feature::Eval),
        &[
            ("server/evals/audio.yaml", "Eval: a spoken conversation"),
            ("server/evals/judge.py", "The language model that judges"),
            (
                "server/evals/judged.yaml",
                "Eval: answers that a language model judges",
            ),
            ("server/evals/text.yaml", "Eval: text only, without a judge"),
        ],
    ),
    (
        |config| config.has(Feature::NoiseCancel),
        &[("server/noise.py", "The noise cancellation")],
    ),
    (
        |config| config.has(Feature::Observability),
        &[("server/watch.py", "The live view of the pipeline")],
    ),
    (
        |config| config.has(Feature::Recording),
        &[("server/recording.py", "The recorder")],
    ),
    (
        |config| config.has(Feature::Transcription),
        &[("server/transcript.py", "The transcript in the log")],
    ),
    (
        |config| matches!(config.pipeline, Pipeline::Realtime(_)),
        &[("server/typed.py", "Hands typed text to the model")],
    ),
    (
        |config| config.transports.iter().any(|it| it.call_server.is_some()),
        &[(
            "server/server.py",
            "The web server that connects calls to the bot",
        )],
    ),
    (
        opens_plain_sockets,
        &[("server/sockets.py", "Tells who opened a WebSocket")],
    ),
];

/// Returns the template of a file: its path, without the dot that hides it.
fn template_of(path: &str) -> String {
    let shown = path.replace("/.", "/");
    format!("{}.liquid", shown.trim_start_matches('.'))
}

/// Returns whether browsers and programs open a WebSocket, which the hosting service does not tell from a carrier's.
pub(super) fn opens_plain_sockets(config: &Config) -> bool {
    (config.transports.iter()).any(|transport| transport.runner_key == "websocket")
}

//! Lists the files in a project: those from `templates/files/project.toml`, plus the files that transports add to a web client.

use std::borrow::Cow;

use bot_cli_templates::catalogue::Pictures;
use bot_cli_templates::generated_files;
use bot_cli_templates::languages::ENGLISH;
use bot_cli_templates::project::Environment;
use serde::Serialize;

use crate::config::{Client, Config, Pipeline};
use crate::option_table::Feature;

/// The deployment file, whose template those of environments have, too.
const DEPLOYMENT: &str = "server/cloud-deploy.toml";

#[derive(Clone, Serialize)]
pub(super) struct File {
    /// The path relative to the target.
    pub path: String,
    /// The template's path relative to `templates/project`, without the `.liquid` extension.
    #[serde(skip)]
    pub template: String,
    pub about: Cow<'static, str>,
    /// The environment that the file is for.
    #[serde(skip)]
    pub environment: Option<Environment>,
}

pub(super) fn files_of(config: &Config) -> Vec<File> {
    let groups = generated_files().iter();
    let groups = groups.filter(|(condition, _)| is_true(condition, config));
    let mut files: Vec<File> = groups
        .flat_map(|(condition, files)| files.iter().map(move |file| (condition, file)))
        .map(|(condition, (path, about))| {
            let of_client = condition.starts_with("client/");
            let shown = format!("/{path}").replace("/.", "/");
            File {
                path: format!("{}{path}", if of_client { "client/" } else { "" }),
                template: if of_client {
                    format!("{condition}{shown}")
                } else {
                    shown.trim_start_matches('/').to_owned()
                },
                about: about.into(),
                environment: None,
            }
        })
        .collect();
    let deployment = files.iter().find(|file| file.path == DEPLOYMENT).cloned();
    let deployments = config.environments.iter().filter_map(|environment| {
        let file = deployment.clone()?;
        Some(File {
            path: DEPLOYMENT.replace(".toml", &format!(".{environment}.toml")),
            about: format!("{}, for `{environment}`", file.about).into(),
            environment: Some(environment.clone()),
            ..file
        })
    });
    files.extend(deployments.collect::<Vec<_>>());
    if config.client != Client::None {
        let transports = config.transports.iter();
        let clients = transports.filter_map(|transport| transport.client.as_ref());
        files.extend(clients.flat_map(|client| &client.files).map(|file| File {
            path: format!("client/src/{}", file.name),
            template: format!("client/transports/{}", file.name),
            about: file.about.as_str().into(),
            environment: None,
        }));
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    // Two transports may need the same file.
    files.dedup_by(|one, other| one.path == other.path);
    files
}

fn is_true(condition: &str, config: &Config) -> bool {
    let client = config.client;
    match condition {
        "always" => true,
        "local_models" => loads_models(config),
        "realtime" => matches!(config.pipeline, Pipeline::Realtime(_)),
        "call_server" => config.transports.iter().any(|it| it.call_server.is_some()),
        "camera" => looks(config),
        "camera_eval" => looks(config) && config.has(Feature::Eval),
        // The voice of the evals speaks English.
        "spoken_eval" => {
            config.has(Feature::Eval) && (config.language == ENGLISH || is_true("realtime", config))
        }
        "screen" => draws(config),
        "calls" => (config.transports.iter()).any(|it| it.carrier || it.call_server.is_some()),
        "plain_websocket" => opens_plain_sockets(config),
        "client" | "client/shared" => client != Client::None,
        "client/react" => matches!(client, Client::ReactVite | Client::ReactNextjs),
        "client/vite" => matches!(client, Client::Vanilla | Client::ReactVite),
        other => {
            let mut features = Feature::ALL.into_iter();
            let feature = features.find(|feature| feature.row().name == other);
            let folder = other.strip_prefix("client/");
            let ci = other.strip_prefix("ci/");
            feature.is_some_and(|feature| config.has(feature))
                || folder == Some(&client.template_name())
                || ci == Some(config.ci)
        }
    }
}

/// Reports whether a service runs a model on the user's machine.
pub(super) fn loads_models(config: &Config) -> bool {
    (config.services()).any(|it| it.downloads.is_some() || it.pull.is_some())
}

/// Reports whether the language model can request a picture from the user's camera. Realtime services receive the video all the time.
pub(super) fn looks(config: &Config) -> bool {
    let mut transports = config.transports.iter();
    config.has(Feature::VideoInput)
        && matches!(config.pipeline, Pipeline::Cascade { .. })
        && transports.any(|it| it.pictures == Pictures::Captured)
}

/// Reports whether the bot draws the video that it sends, because it has no avatar.
pub(super) fn draws(config: &Config) -> bool {
    config.has(Feature::VideoOutput)
        && config.video.is_none()
        && (config.transports.iter()).all(|it| it.avatar.is_none())
        && (config.transports.iter()).any(|it| it.pictures != Pictures::None)
}

/// Reports whether clients other than carriers can open WebSocket connections. The hosting service can't distinguish such clients from
/// carriers.
pub(super) fn opens_plain_sockets(config: &Config) -> bool {
    (config.transports.iter()).any(|transport| transport.runner_key == "websocket")
}

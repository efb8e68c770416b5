//! The project: what there is to run, as its own files say.

use std::fs;
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure, OrFail as _};
use bot_cli_templates::catalogue::{Catalogue, Transport};
use serde::Deserialize;

/// The record of how a project was made.
const RECORD: &str = ".bot-cli/project.json";

/// The files that name the secret set of a deployment.
const DEPLOYMENT: [&str; 2] = ["cloud-deploy.toml", "pcc-deploy.toml"];

/// A generated project.
#[derive(Debug)]
pub struct Project {
    pub root: PathBuf,
    /// The folder of the bot.
    pub server: PathBuf,
    /// The folder of the web client, and what its server needs to know.
    pub client: Option<Client>,
    pub transports: Vec<&'static Transport>,
    /// The secret set with its keys, if it is there.
    pub secret_set: String,
}

/// A web client with a server for development.
#[derive(Debug)]
pub struct Client {
    pub folder: PathBuf,
    pub port: u16,
    /// The variable with the bot's address.
    pub bot_url: &'static str,
}

#[derive(Deserialize)]
struct Record {
    config: Config,
}

#[derive(Deserialize)]
struct Config {
    transports: Vec<String>,
    client_framework: Option<String>,
    client_server: Option<String>,
}

#[derive(Deserialize)]
struct Deployment {
    secret_set: String,
}

#[derive(Deserialize)]
struct PyProject {
    project: Named,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

impl Project {
    /// The project that `given` is in, a folder as seen from `cwd`.
    pub fn find(cwd: &Path, given: &Path) -> Result<Self, Failure> {
        let folder = fs::canonicalize(cwd.join(given)).or_fail_with(
            Exit::Usage,
            "no_folder",
            could_not("open", given),
        )?;
        let Some(root) = folder
            .ancestors()
            .find(|above| above.join(RECORD).is_file())
        else {
            let message = format!("`{}` is in no project of `bot-cli init`", folder.display());
            return Err(Failure::new(Exit::Usage, "no_project", message)
                .hint("make one: bot-cli init quickstart"));
        };
        let path = root.join(RECORD);
        let text = fs::read_to_string(&path).or_fail(could_not("read", &path))?;
        let record: Record = serde_json::from_str(&text).or_fail(could_not("read", &path))?;
        let config = record.config;
        let catalogue = Catalogue::get();
        let transports = config.transports.iter().map(|id| {
            catalogue.transport(id).ok_or_else(|| {
                let message = format!("the project has an unknown transport, `{id}`");
                Failure::new(Exit::Usage, "invalid_project", message)
                    .hint("a later version of bot-cli may know it")
            })
        });
        let server = root.join("server");
        Ok(Self {
            transports: transports.collect::<Result<_, _>>()?,
            client: config
                .client_framework
                .filter(|name| name != "none")
                .map(|_| {
                    let is_next = config.client_server.as_deref() == Some("nextjs");
                    let (port, bot_url) = if is_next {
                        (3000, "NEXT_PUBLIC_BOT_URL")
                    } else {
                        (5173, "VITE_BOT_URL")
                    };
                    Client {
                        folder: root.join("client"),
                        port,
                        bot_url,
                    }
                }),
            secret_set: secret_set(&server)?,
            root: root.to_owned(),
            server,
        })
    }

    /// The transport that `name` means: its name in the catalogue, or that of the bot's `-t` option.
    pub fn transport(&self, name: &str) -> Result<&'static Transport, Failure> {
        let is_meant = |one: &&&Transport| {
            [&one.id, &one.runner_key].contains(&&name.to_owned())
                || one.alias.as_deref() == Some(name)
        };
        self.transports
            .iter()
            .find(is_meant)
            .copied()
            .ok_or_else(|| {
                let known: Vec<String> = self
                    .transports
                    .iter()
                    .map(|one| format!("`{}`", one.runner_key))
                    .collect();
                let message = format!("the bot has no transport `{name}`");
                Failure::new(Exit::Usage, "invalid_input", message)
                    .hint(format!("it has {}", known.join(", ")))
            })
    }
}

/// The set that the deployment names, or the one that the project's own lines name.
fn secret_set(server: &Path) -> Result<String, Failure> {
    for name in DEPLOYMENT {
        let path = server.join(name);
        if path.is_file() {
            let text = fs::read_to_string(&path).or_fail(could_not("read", &path))?;
            let read: Deployment = toml::from_str(&text).or_fail(could_not("read", &path))?;
            return Ok(read.secret_set);
        }
    }
    let path = server.join("pyproject.toml");
    let text = fs::read_to_string(&path).or_fail(could_not("read", &path))?;
    let read: PyProject = toml::from_str(&text).or_fail(could_not("read", &path))?;
    Ok(format!("{}-secrets", read.project.name))
}

fn could_not(open: &str, path: &Path) -> String {
    format!("could not {open} `{}`", path.display())
}

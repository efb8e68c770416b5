//! Reads a generated project's files to determine the programs to run.

use std::fs;
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure, OrFail as _};
use bot_cli_templates::catalogue::{Catalogue, Transport};
use serde::Deserialize;

/// The file in which `bot-cli init` records the project's options.
const RECORD: &str = ".bot-cli/project.json";

/// The deployment files, which can contain the name of the secret set.
const DEPLOYMENT: [&str; 2] = ["cloud-deploy.toml", "pcc-deploy.toml"];

#[derive(Debug)]
pub struct Project {
    pub root: PathBuf,
    pub server: PathBuf,
    pub client: Option<Client>,
    pub transports: Vec<&'static Transport>,
    /// The name of the secret set. The set may not exist.
    pub secret_set: String,
}

#[derive(Debug)]
pub struct Client {
    pub folder: PathBuf,
    pub port: u16,
    /// The name of the environment variable for the bot's URL.
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
    /// Finds the project that contains the folder `given`, which may be relative to `cwd`.
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

    /// Returns the project's transport with this identifier, alias or `-t` option value.
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

/// Returns the name of the secret set from the deployment file, or the project's default name.
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

//! The bot project around a command, as `bot-cli init --describe --json` describes it.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::session::{Context, Session};
use bot_cli_protocol::failure::{Failure, OrFail as _};
use bot_cli_protocol::{ErrorObject, HOST, RunResult};

/// A project of `bot-cli init`. Later versions may add members.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Project {
    /// The project's root.
    pub root: PathBuf,
    /// The folder with `bot.py`, `.env` and the deployment files.
    pub bot: PathBuf,
    /// The record of the project's options.
    pub record: PathBuf,
    /// The project's name, as the user wrote it.
    pub name: String,
    /// The recorded options, by the keys of the configuration file.
    pub options: Map<String, Value>,
    /// The identifiers of the transports.
    pub transports: Vec<String>,
    /// The AI services, in pipeline order.
    pub services: Vec<Service>,
    /// The project without an environment, and then each of its environments.
    pub environments: Vec<Environment>,
}

/// An AI service of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    /// The identifier, such as `deepgram_stt`.
    pub id: String,
    /// `stt`, `llm`, `tts`, `realtime` or `video`.
    pub kind: String,
    /// The name for people. If the service's pack is not installed, this is the identifier, and the other members are empty.
    pub label: String,
    /// The environment variables that the service reads.
    pub variables: Vec<String>,
    /// The address that the service connects to by default, if the project's code names one.
    pub address: Option<String>,
    /// The Python requirements, such as `pipecat-ai[deepgram]`.
    pub packages: Vec<String>,
}

/// The deployment of a project in one environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// The name, such as `staging`. `None` for the project without an environment.
    pub name: Option<String>,
    /// The deployment file, if there is one.
    pub file: Option<PathBuf>,
    /// The agent's name at the hosting service.
    pub agent: String,
    /// The name of the secret set.
    pub secret_set: String,
}

/// The last line of `--json=lines`.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Last {
    Result(RunResult),
    Error(ErrorObject),
}

impl Session {
    /// Returns the bot project that contains the working directory, as [`find`] does.
    pub fn project(&self) -> Result<Project, Failure> {
        find(self.context())
    }
}

/// Returns the bot project that contains the working directory. Asks the `bot-cli` that started this plugin, or the one on `PATH`. Also for
/// completion, where there is no session.
///
/// # Errors
/// Returns the failure of `bot-cli`, such as `no_project` if there is none.
pub fn find(context: &Context) -> Result<Project, Failure> {
    let host = env::var_os(HOST).unwrap_or_else(|| OsString::from("bot-cli"));
    let asked = Command::new(&host)
        .args(["init", "--describe", "--json=lines"])
        .arg(context.project.as_ref().unwrap_or(&context.cwd))
        .current_dir(&context.cwd)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .or_fail(format!("could not run `{}`", host.display()))?;
    let could_not = "could not read what `bot-cli init --describe` printed";
    let last = asked
        .stdout
        .trim_ascii()
        .rsplit(|byte| *byte == b'\n')
        .next();
    match serde_json::from_slice(last.unwrap_or_default()).or_fail(could_not)? {
        Last::Result(result) => serde_json::from_value(result.data).or_fail(could_not),
        Last::Error(error) => Err(error.into()),
    }
}

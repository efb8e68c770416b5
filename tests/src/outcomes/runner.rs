//! Who carries an operation out: the library in this process, or the executable.

use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use bot_cli_cloud::{Environment, Options, Pace, run};
use bot_cli_protocol::outcome::Outcome;
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::{Context, Session};
use bot_cli_terminal::cancel::Cancel;
use clap::Parser as _;
use serde_json::{Map, Value};

use super::operation::Operation;
use crate::recording_ui::RecordingUi;
use crate::service::{ORGANIZATION, PERSONAL_TOKEN, PRIVATE_KEY, Service};

/// The output of a run.
#[derive(Debug, Clone)]
pub struct Ran {
    /// The exit status.
    pub status: i32,
    /// Every text for people.
    pub said: String,
    /// The document of `--json`.
    pub document: Value,
}

/// Carries operations out.
pub trait Runner {
    /// Returns how long a request is waited for.
    fn longest(&self) -> Duration;

    /// One user in so many wants to stop.
    fn stops(&self) -> u8;

    /// Runs one, and wants it to stop after `stop`.
    fn run(
        &self,
        service: &Service,
        operation: &Operation,
        stop: Option<Duration>,
    ) -> io::Result<Ran>;
}

/// The library, with short pauses.
#[derive(Debug, Clone, Copy)]
pub struct InProcess {
    /// Whether the requests are those of a private API key.
    pub with_key: bool,
}

/// The executable, with real signals.
#[derive(Debug, Clone)]
pub struct Executable {
    pub path: PathBuf,
    /// Whether the requests are those of a private API key.
    pub with_key: bool,
}

impl Runner for InProcess {
    fn stops(&self) -> u8 {
        12
    }

    fn longest(&self) -> Duration {
        Duration::from_millis(80)
    }

    fn run(
        &self,
        service: &Service,
        operation: &Operation,
        stop: Option<Duration>,
    ) -> io::Result<Ran> {
        let heard = Arc::new(Mutex::new(String::new()));
        let cancel = Cancel::new();
        let mut context = Context::new("/");
        context.verbosity = 1;
        let ui = Box::new(RecordingUi(Arc::clone(&heard)));
        let mut session = Session::new(ui, context, Map::new(), cancel.clone());
        let environment = Environment {
            organization: (!self.with_key).then(|| ORGANIZATION.to_owned()),
            api_url: Some(service.url().to_owned()),
            token: Some(Secret::new(token(self.with_key).to_owned())),
            pace: Pace {
                connect: self.longest(),
                request: self.longest(),
                first_retry: Duration::from_millis(1),
                slow: Duration::from_millis(20),
                first_look: Duration::from_millis(1),
                longest_look: Duration::from_millis(5),
                ..Pace::USUAL
            },
            ..Environment::default()
        };
        let words = ["bot-cli-cloud".to_owned()].into_iter();
        let options = Options::try_parse_from(words.chain(operation.arguments()));
        let options = options.map_err(io::Error::other)?;
        if let Some(stop) = stop {
            thread::spawn(move || {
                thread::sleep(stop);
                cancel.request();
            });
        }
        let outcome = Outcome::new(run(options, &mut session, environment));
        let mut said = heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match &outcome.result {
            Ok(reply) => said.push_str(&reply.text),
            Err(failure) => said.extend([&*failure.message, "\n", &failure.hints.join("\n")]),
        }
        Ok(Ran {
            status: outcome.status.into(),
            said,
            document: outcome.document(),
        })
    }
}

impl Runner for Executable {
    fn stops(&self) -> u8 {
        3
    }

    fn longest(&self) -> Duration {
        Duration::from_millis(250)
    }

    fn run(
        &self,
        service: &Service,
        operation: &Operation,
        stop: Option<Duration>,
    ) -> io::Result<Ran> {
        let mut command = Command::new(&self.path);
        command
            .args(["-v", "--json"])
            .args(operation.arguments())
            .env_clear()
            .env("HOME", "/nonexistent")
            .env("BOT_CLI_API_URL", service.url())
            .env("BOT_CLI_TOKEN", token(self.with_key))
            .env("BOT_CLI_TIMEOUT", self.longest().as_secs_f64().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if !self.with_key {
            command.env("BOT_CLI_ORGANIZATION", ORGANIZATION);
        }
        let child = command.spawn()?;
        if let Some(stop) = stop {
            let process = i32::try_from(child.id()).ok();
            thread::sleep(stop);
            if let Some(process) = process.and_then(rustix::process::Pid::from_raw) {
                let signal = if stop.as_millis() % 2 == 0 {
                    rustix::process::Signal::INT
                } else {
                    rustix::process::Signal::TERM
                };
                let _ = rustix::process::kill_process(process, signal);
            }
        }
        let output = child.wait_with_output()?;
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(Ran {
            status: output.status.code().unwrap_or(-1),
            said: format!("{}{stdout}", String::from_utf8_lossy(&output.stderr)),
            // A process that ended before it could say anything says nothing; that it was stopped shows in the status.
            document: serde_json::from_str(&stdout).unwrap_or(Value::Null),
        })
    }
}

const fn token(with_key: bool) -> &'static str {
    if with_key {
        PRIVATE_KEY
    } else {
        PERSONAL_TOKEN
    }
}

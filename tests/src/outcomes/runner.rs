//! Runs operations through the library in this process or through the executable.

use std::io;
use std::path::{Path, PathBuf};
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
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Map, Value};

use super::operation::Operation;
use crate::recording_ui::RecordingUi;
use crate::service::{ORGANIZATION, PERSONAL_TOKEN, PRIVATE_KEY, Service};

/// The result of a run.
#[derive(Debug, Clone)]
pub struct Ran {
    /// The exit status.
    pub status: i32,
    /// All text shown to the user.
    pub said: String,
    /// The document from `--json`.
    pub document: Value,
}

/// Runs operations: through the library with short timeouts and delays, or through an executable with real signals.
#[derive(Debug, Clone, Default)]
pub struct Runner {
    /// Whether requests use a private API key.
    pub with_key: bool,
    /// Whether operations only change the settings of an agent.
    pub only_settings: bool,
    /// The executable, or `None` for the library.
    pub executable: Option<PathBuf>,
}

impl Runner {
    /// Returns the timeout for a request.
    pub(super) fn longest(&self) -> Duration {
        Duration::from_millis(self.executable.as_ref().map_or(80, |_| 250))
    }

    /// Returns `n`, where one in `n` users cancels.
    pub(super) fn stops(&self) -> u8 {
        self.executable.as_ref().map_or(12, |_| 3)
    }

    /// Runs one operation. If `stop` is given, cancels the operation after that time.
    pub(super) fn run(
        &self,
        service: &Service,
        operation: &Operation,
        stop: Option<Duration>,
    ) -> io::Result<Ran> {
        match &self.executable {
            None => self.run_here(service, operation, stop),
            Some(path) => self.run_executable(path, service, operation, stop),
        }
    }

    fn run_here(
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
        let session = Session::new(ui, context, Map::new(), cancel.clone());
        let environment = Environment {
            organization: (!self.with_key).then(|| ORGANIZATION.to_owned()),
            api_url: Some(service.url().to_owned()),
            token: Some(Secret::new(self.token().to_owned())),
            public_key: public_key(service).map(Secret::new),
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
        let outcome = Outcome::new(run(options, &session, &environment));
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

    fn run_executable(
        &self,
        path: &Path,
        service: &Service,
        operation: &Operation,
        stop: Option<Duration>,
    ) -> io::Result<Ran> {
        let mut command = Command::new(path);
        command
            .args(["-v", "--json"])
            .args(operation.arguments())
            .env_clear()
            .env("HOME", "/nonexistent")
            .env("BOT_CLI_API_URL", service.url())
            .env("BOT_CLI_TOKEN", self.token())
            .env(
                "BOT_CLI_PUBLIC_KEY",
                public_key(service).unwrap_or_default(),
            )
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
            if let Some(process) = process.and_then(Pid::from_raw) {
                let is_even = stop.as_millis() % 2 == 0;
                let signal = if is_even { Signal::INT } else { Signal::TERM };
                let _ = kill_process(process, signal);
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

    const fn token(&self) -> &'static str {
        if self.with_key {
            PRIVATE_KEY
        } else {
            PERSONAL_TOKEN
        }
    }
}

fn public_key(service: &Service) -> Option<String> {
    service.world().keys(ORGANIZATION).pop()
}

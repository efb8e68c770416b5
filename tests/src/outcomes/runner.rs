//! Runs operations through the library in this process.

use std::io;
use std::path::Path;
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

/// Runs operations with short timeouts and delays.
#[derive(Debug, Clone)]
pub struct Runner {
    /// Whether requests use a private API key.
    pub with_key: bool,
    /// Whether operations only change the settings of an agent.
    pub only_settings: bool,
}

/// The timeout for a request.
pub(super) const LONGEST: Duration = Duration::from_millis(80);

impl Runner {
    /// Runs one operation in a folder. If `stop` is given, cancels the operation after that time.
    pub(super) fn run(
        &self,
        service: &Service,
        (folder, operation): (&Path, &Operation),
        stop: Option<Duration>,
    ) -> io::Result<Ran> {
        let heard = Arc::new(Mutex::new(String::new()));
        let cancel = Cancel::new();
        let mut context = Context::new(folder);
        context.verbosity = 1;
        let ui = Box::new(RecordingUi(Arc::clone(&heard)));
        let session = Session::new(ui, context, Map::new(), cancel.clone());
        let environment = Environment {
            organization: (!self.with_key).then(|| ORGANIZATION.to_owned()),
            api_url: Some(service.url().to_owned()),
            token: Some(Secret::new(self.token().to_owned())),
            public_key: public_key(service).map(Secret::new),
            pace: Pace {
                connect: LONGEST,
                request: LONGEST,
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

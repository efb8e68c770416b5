//! A client for secrets backends. A backend runs as a separate process and receives one request at a time.
//!
//! The client reports every change as done, not done, partly done or unknown. After the first value has been sent or received, the client
//! no longer shows or quotes the backend's messages, hints, logs, progress or standard error. The backend can no longer prompt the user
//! either. The client still decodes results that contain no values, but ignores any free text in such results.

mod fault;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::messages::{Call, OpenParams, OpenResult, VERSION, methods};
use crate::{ChangeError, Error};
use bot_cli_engine::driver::{Launch, RunningPlugin, Violation};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::{Context, ErrorObject, HostName, shape};
use bot_cli_sdk::session::Relay;
use bot_cli_terminal::ui::{Capabilities, Ui};
use bot_cli_terminal::{LONGEST_TEXT, short_line};

/// A connection to an open backend.
pub struct Client {
    name: String,
    plugin: Option<RunningPlugin>,
    relay: Relay,
    context: Context,
    opened: OpenResult,
    /// Whether a value has been sent or received.
    secretive: bool,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({})", self.name)
    }
}

impl Client {
    /// Starts the backend for `caller` and opens the location described by `scope`. The backend's questions and logs go to `relay`.
    pub fn open(
        launch: &Launch,
        caller: HostName,
        scope: &OpenParams,
        relay: Relay,
    ) -> Result<Self, Error> {
        if relay.cancel().requested() {
            return Err(fault::cancelled());
        }
        let mut client = Self {
            name: launch.name.clone(),
            context: Context {
                host: Some(caller),
                ..relay.context().clone()
            },
            plugin: Some(RunningPlugin::start(launch).map_err(fault::broken)?),
            relay,
            opened: OpenResult::default(),
            secretive: false,
        };
        client.opened = fit_to_show(client.ask(methods::OPEN, scope)?);
        Ok(client)
    }

    /// Returns the result of opening the backend.
    pub fn opened(&self) -> &OpenResult {
        &self.opened
    }

    /// Sends a request that changes nothing.
    pub fn ask<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<T, Error> {
        self.hear_out()?;
        match self.call(method, params)? {
            Ok(result) => self.read(method, result),
            Err(error) => Err(fault::told(&self.name, &error, self.secretive)),
        }
    }

    /// Sends a request that changes `keys`. An error includes the outcome of the change: not done if the request was never sent, and
    /// unknown if no reliable reply arrived.
    pub fn change<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: &impl Serialize,
        keys: &[String],
    ) -> Result<T, ChangeError> {
        if self.relay.cancel().requested() {
            return Err(fault::cancelled().not_done());
        }
        self.hear_out().map_err(Error::not_done)?;
        match self.call(method, params).map_err(Error::unknown)? {
            Ok(result) => self.read(method, result).map_err(Error::unknown),
            Err(error) => {
                let told = fault::told(&self.name, &error, self.secretive);
                Err(told.with_effect(fault::effect(&error, keys)))
            }
        }
    }

    /// Sends a request and returns the reply. If no valid reply arrives, the backend is not used again.
    fn call(
        &mut self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<Result<Value, ErrorObject>, Error> {
        let cancel = self.relay.cancel().clone();
        self.secretive |= methods::SECRETIVE.contains(&method);
        let Some(plugin) = &mut self.plugin else {
            return Err(gone(&self.name));
        };
        let mut offered = Capabilities::default();
        if self.secretive {
            plugin.mute();
        } else {
            offered = self.relay.capabilities();
        }
        let call = Call {
            protocol: VERSION,
            params,
            capabilities: &offered,
            context: &self.context,
        };
        let replied = plugin.call(method, &call, offered.clone(), &mut self.relay, &cancel);
        replied.map_err(|failure| {
            self.plugin = None;
            if cancel.requested() {
                fault::cancelled()
            } else {
                fault::broken(failure)
            }
        })
    }

    /// Checks that the backend is still running and has sent no unexpected messages.
    fn hear_out(&mut self) -> Result<(), Error> {
        let Some(plugin) = &mut self.plugin else {
            return Err(gone(&self.name));
        };
        let heard = plugin.hear_out(&mut self.relay);
        heard.map_err(|failure| {
            self.plugin = None;
            fault::broken(failure)
        })
    }

    fn read<T: DeserializeOwned>(&mut self, method: &str, result: Value) -> Result<T, Error> {
        shape::read("result", result).map_err(|problem| self.wrong(method, &problem))
    }

    /// Stops the backend after a result that has the wrong shape or contains unrequested items. Returns the resulting error.
    pub fn wrong(&mut self, method: &str, reason: &str) -> Error {
        if let Some(mut plugin) = self.plugin.take() {
            plugin.abandon(&mut self.relay);
        }
        let violation = Violation::WrongResult {
            method: method.to_owned(),
            reason: reason.to_owned(),
        };
        fault::broken(violation.by(&self.name))
    }

    /// Prepares free text from the backend for display. Returns `None` once a value has been sent or received.
    pub fn shown(&self, text: Option<String>) -> Option<String> {
        let text = text.filter(|_| !self.secretive)?;
        Some(short_line(&text, LONGEST_TEXT))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(plugin) = self.plugin.take() {
            let cancel = self.relay.cancel().clone();
            // A fault at the end no longer matters.
            let _ = plugin.finish(&mut self.relay, &cancel);
        }
    }
}

/// Makes text from the backend printable and limits its length.
fn fit_to_show(mut opened: OpenResult) -> OpenResult {
    opened.place = short_line(&opened.place, LONGEST_TEXT);
    for region in opened.regions.iter_mut().flat_map(|one| &mut one.all) {
        region.name = short_line(&region.name, LONGEST_TEXT);
    }
    opened
}

fn gone(name: &str) -> Error {
    let message = format!("plugin `{name}` was ended after an earlier fault");
    fault::broken(Failure::new(Exit::Protocol, "ended", message))
}

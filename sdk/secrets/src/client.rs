//! For plugins that use a backend: a process of its own, to which requests go one after the other.
//!
//! Every change ends as done, as not done, as done in part, or as unknown: see [`ChangeFault`]. As soon as a value was sent or received
//! nothing that the backend says is shown or quoted any more: not its messages, hints, logs, progress or standard error,
//! and it can ask nothing. What it answers to a request that is not about values is read as before, apart from free text.

mod answer;
mod fault;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::messages::{
    Call, CredentialsResult, DeleteParams, DeleteResult, GetResult, ListParams, ListResult,
    NameParams, OpenParams, OpenResult, Organization, OrganizationsResult,
    PutImagePullSecretParams, PutParams, PutResult, SetDetails, SetSummary, UnsetParams,
    UnsetResult, ValuesResult, methods,
};
use bot_cli_engine::driver::{Launch, Plugin, Violation, run_context};
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::secret::Secret;
use bot_cli_protocol::{DescribeParams, ErrorObject, HostName, RunContext, VERSION, shape};
use bot_cli_sdk::session::Relay;
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::ui::{Capabilities, Ui};
use bot_cli_terminal::{LONGEST_TEXT, short_line};
pub use fault::{ChangeFault, Fault};

/// The time that a backend may say nothing, where the launch does not limit it.
const SILENCE: Duration = Duration::from_secs(60);

/// A backend that is open.
pub struct Client {
    name: String,
    plugin: Option<Plugin>,
    relay: Relay,
    context: RunContext,
    opened: OpenResult,
    /// Whether a value was sent or received.
    secretive: bool,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("name", &self.name)
            .field("opened", &self.opened)
            .finish_non_exhaustive()
    }
}

/// Whether values go either way in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    None,
    Some,
}

impl Client {
    /// Starts the backend and opens the place that `scope` names, on behalf of `caller`. What it asks and tells goes to `relay`.
    pub fn open(
        launch: &Launch,
        caller: HostName,
        scope: &OpenParams,
        relay: Relay,
    ) -> Result<Self, Fault> {
        if relay.cancel().requested() {
            return Err(Fault::Cancelled);
        }
        let mut launch = launch.clone();
        launch.patience.silence = launch.patience.silence.or(Some(SILENCE));
        let mut client = Self {
            name: launch.name.clone(),
            context: run_context(relay.context(), caller),
            plugin: Some(Plugin::start(&launch).map_err(Fault::broken)?),
            relay,
            opened: OpenResult::default(),
            secretive: false,
        };
        let opened: OpenResult = client.ask(methods::OPEN, scope, Values::None)?;
        client.opened = answer::opened(opened);
        Ok(client)
    }

    /// Returns what the backend says of the place that was opened.
    pub fn opened(&self) -> &OpenResult {
        &self.opened
    }

    /// Returns every set, of one region or of all.
    pub fn list(&mut self, region: Option<&str>) -> Result<Vec<SetSummary>, Fault> {
        let params = ListParams {
            region: region.map(str::to_owned),
        };
        let result: ListResult = self.ask(methods::LIST, &params, Values::None)?;
        let mut sets = result.sets;
        let mut names = BTreeSet::new();
        for set in &sets {
            if set.name.is_empty() {
                return Err(self.wrong(methods::LIST, "a set has no name"));
            }
            if !names.insert(set.name.as_str()) {
                return Err(self.wrong(methods::LIST, "two sets have one name"));
            }
        }
        for set in &mut sets {
            set.error = self.shown(set.error.take());
        }
        Ok(sets)
    }

    /// Returns one set; `None` when no set has that name.
    pub fn get(&mut self, name: &str) -> Result<Option<SetDetails>, Fault> {
        let result: GetResult = self.ask(methods::GET, &named(name), Values::None)?;
        let Some(mut set) = result.set else {
            return Ok(None);
        };
        if set.name != name {
            return Err(self.wrong(methods::GET, "`result.set.name` is another name"));
        }
        set.error = self.shown(set.error.take());
        Ok(Some(set))
    }

    /// Returns the values of a set; `None` when no secret set has that name.
    pub fn values(&mut self, name: &str) -> Result<Option<BTreeMap<String, Secret>>, Fault> {
        let result: ValuesResult = self.ask(methods::VALUES, &named(name), Values::Some)?;
        Ok(result.values)
    }

    /// Returns the registry and the credentials of an image pull secret.
    pub fn credentials(&mut self, name: &str) -> Result<CredentialsResult, Fault> {
        self.ask(methods::CREDENTIALS, &named(name), Values::Some)
    }

    /// Returns the organizations that the user may work in.
    pub fn organizations(&mut self) -> Result<Vec<Organization>, Fault> {
        let result: OrganizationsResult =
            self.ask(methods::ORGANIZATIONS, &json!({}), Values::None)?;
        let mut organizations = result.organizations;
        for organization in &mut organizations {
            organization.label = self.shown(organization.label.take());
        }
        Ok(organizations)
    }

    /// Creates a set or adds to it; other keys stay.
    pub fn put(&mut self, put: &PutParams) -> Result<(), ChangeFault> {
        let keys: Vec<&str> = put.entries.keys().map(String::as_str).collect();
        self.change(methods::PUT, put, &keys, Values::Some, |_: &PutResult| true)
            .map(drop)
    }

    /// Creates an image pull secret or replaces its credentials.
    pub fn put_image_pull_secret(
        &mut self,
        put: &PutImagePullSecretParams,
    ) -> Result<(), ChangeFault> {
        let method = methods::PUT_IMAGE_PULL_SECRET;
        self.change(method, put, &[], Values::Some, |_: &PutResult| true)
            .map(drop)
    }

    /// Removes keys from a set. Returns those that were not there.
    pub fn unset(&mut self, unset: &UnsetParams) -> Result<Vec<String>, ChangeFault> {
        let keys: Vec<&str> = unset.keys.iter().map(String::as_str).collect();
        let is_one = |result: &UnsetResult| {
            let mut missing = result.missing.iter();
            missing.all(|key| unset.keys.contains(key))
        };
        self.change(methods::UNSET, unset, &keys, Values::None, is_one)
            .map(|result| result.missing)
    }

    /// Removes a set of either kind; `false` when there is none.
    pub fn delete(&mut self, delete: &DeleteParams) -> Result<bool, ChangeFault> {
        let is_one = |_: &DeleteResult| true;
        self.change(methods::DELETE, delete, &[], Values::None, is_one)
            .map(|result| result.deleted)
    }

    /// Ends the backend. An error says that it broke the protocol on its way out.
    pub fn close(mut self) -> Result<(), Fault> {
        let Some(plugin) = self.plugin.take() else {
            return Ok(());
        };
        let cancel = self.relay.cancel().clone();
        let finished = plugin.finish(&mut self.relay, &cancel);
        finished.map_err(Fault::broken)
    }

    /// Asks for something that changes nothing.
    fn ask<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: &impl Serialize,
        values: Values,
    ) -> Result<T, Fault> {
        self.hear_out()?;
        let result = self.call(method, params, values)?;
        let result = result.map_err(|error| self.told(error))?;
        shape::read("result", result).map_err(|problem| self.wrong(method, &problem))
    }

    /// Asks for a change of `keys`. Nothing has changed for as long as it was not sent, and nobody knows from then on until there is an
    /// answer that can be relied on.
    fn change<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: &impl Serialize,
        keys: &[&str],
        values: Values,
        is_one: impl Fn(&T) -> bool,
    ) -> Result<T, ChangeFault> {
        if self.relay.cancel().requested() {
            return Err(Fault::Cancelled.not_done());
        }
        self.hear_out().map_err(Fault::not_done)?;
        let replied = self.call(method, params, values);
        let replied = replied.map_err(Fault::unknown)?;
        // Two answers contradict each other, whatever they say.
        self.hear_the_rest().map_err(Fault::unknown)?;
        match replied {
            Ok(result) => match shape::read("result", result) {
                Ok(result) if is_one(&result) => Ok(result),
                Ok(_) => Err(self.wrong(method, "it names what was not asked for")),
                Err(problem) => Err(self.wrong(method, &problem)),
            }
            .map_err(Fault::unknown),
            Err(error) => {
                let effect = answer::effect(&error, keys);
                let fault = self.told(error);
                Err(ChangeFault { fault, effect })
            }
        }
    }

    /// One request and its reply. The backend is not there any more after an error.
    fn call(
        &mut self,
        method: &str,
        params: &impl Serialize,
        values: Values,
    ) -> Result<Result<Value, ErrorObject>, Fault> {
        let cancel = self.relay.cancel().clone();
        self.secretive |= values == Values::Some;
        let Some(plugin) = &mut self.plugin else {
            return Err(gone(&self.name));
        };
        let mut offered = Capabilities::default();
        if self.secretive {
            plugin.mute();
        } else {
            offered = self.relay.capabilities();
        }
        let wire = (&offered).into();
        let call = Call {
            protocol: crate::messages::VERSION,
            params,
            capabilities: &wire,
            context: &self.context,
        };
        let replied = plugin.call(method, &call, offered, &mut self.relay, &cancel);
        replied.map_err(|failure| self.ended(failure, &cancel))
    }

    /// Sees whether the backend is still there and has said nothing that nobody asked for.
    fn hear_out(&mut self) -> Result<(), Fault> {
        let Some(plugin) = &mut self.plugin else {
            return Err(gone(&self.name));
        };
        let heard = plugin.hear_out(&mut self.relay);
        heard.map_err(|failure| {
            self.plugin = None;
            Fault::broken(failure)
        })
    }

    /// Hears all that the backend has said up to now. What it wrote before it read the next request comes before its
    /// reply to that; and every plugin replies to `describe`, if only that it does not know it.
    fn hear_the_rest(&mut self) -> Result<(), Fault> {
        let cancel = self.relay.cancel().clone();
        let Some(plugin) = &mut self.plugin else {
            return Err(gone(&self.name));
        };
        let mut params = DescribeParams::default();
        VERSION.clone_into(&mut params.protocol);
        let nothing = Capabilities::default();
        let heard = plugin.call(
            bot_cli_protocol::methods::DESCRIBE,
            &params,
            nothing,
            &mut self.relay,
            &cancel,
        );
        match heard {
            Ok(_) => Ok(()),
            Err(failure) => {
                self.plugin = None;
                if answer::contradicts(&failure) {
                    return Err(Fault::broken(failure));
                }
                // It is gone, and has answered: the next request finds that out.
                Ok(())
            }
        }
    }

    /// The backend's own answer to a request that it did not serve.
    fn told(&self, error: ErrorObject) -> Fault {
        answer::told(&self.name, error, self.secretive)
    }

    /// The backend was ended without an answer.
    fn ended(&mut self, failure: Failure, cancel: &Cancel) -> Fault {
        self.plugin = None;
        if cancel.requested() {
            return Fault::Cancelled;
        }
        Fault::broken(failure)
    }

    /// The result has another shape than belongs to the method, or names what was not asked for.
    fn wrong(&mut self, method: &str, reason: &str) -> Fault {
        if let Some(mut plugin) = self.plugin.take() {
            plugin.abandon(&mut self.relay);
        }
        let violation = Violation::WrongResult {
            method: method.to_owned(),
            reason: reason.to_owned(),
        };
        Fault::broken(violation.by(&self.name))
    }

    /// Free text of the backend, as far as it may be shown.
    fn shown(&self, text: Option<String>) -> Option<String> {
        let text = text.filter(|_| !self.secretive)?;
        Some(short_line(&text, LONGEST_TEXT))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(plugin) = self.plugin.take() {
            let cancel = self.relay.cancel().clone();
            // What it did wrong at its end is of no use to anybody any more.
            drop(plugin.finish(&mut self.relay, &cancel));
        }
    }
}

fn named(name: &str) -> NameParams {
    NameParams {
        name: name.to_owned(),
    }
}

fn gone(name: &str) -> Fault {
    let message = format!("plugin `{name}` was ended after an earlier fault");
    Fault::broken(Failure::new(
        bot_cli_protocol::failure::Exit::Protocol,
        "ended",
        message,
    ))
}

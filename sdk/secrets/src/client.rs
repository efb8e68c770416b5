//! For plugins that use a backend: a process of its own, to which requests go one after the other.
//!
//! Every change ends as done, as not done, as done in part, or as unknown: see [`ChangeFault`]. As soon as a value was sent or received
//! nothing that the backend says is shown or quoted any more: not its messages, hints, logs, progress or standard error,
//! and it can ask nothing. What it answers to a request that is not about values is read as before, apart from free text.

mod fault;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::messages::{
    Call, CredentialsResult, DeleteParams, DeleteResult, GetResult, ListParams, ListResult,
    NameParams, NameRules, OpenParams, OpenResult, Organization, OrganizationsResult,
    PutImagePullSecretParams, PutParams, PutResult, SetDetails, SetSummary, UnsetParams,
    UnsetResult, VERSION, ValuesResult, methods,
};
use bot_cli_engine::driver::{Launch, Plugin, Violation, run_context};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::methods::DESCRIBE;
use bot_cli_protocol::secret::Secret;
use bot_cli_protocol::{Context, ErrorObject, HostName, shape};
use bot_cli_sdk::session::Relay;
use bot_cli_terminal::ui::{Capabilities, Ui};
use bot_cli_terminal::{LONGEST_TEXT, short_line};
pub use fault::{ChangeFault, Fault};

/// The time that a backend may say nothing, where the launch does not limit it.
const SILENCE: Duration = Duration::from_secs(60);

/// The codes of failures that mean that a plugin said more than its one reply.
const CONTRADICTIONS: [&str; 5] = [
    "double_reply",
    "wrong_id",
    "wrong_reply",
    "invalid_utf8",
    "line_too_long",
];

/// A backend that is open.
pub struct Client {
    name: String,
    plugin: Option<Plugin>,
    relay: Relay,
    context: Context,
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
        client.opened = fit_to_show(client.ask(methods::OPEN, scope)?);
        Ok(client)
    }

    /// Returns what the backend says of the place that was opened.
    pub fn opened(&self) -> &OpenResult {
        &self.opened
    }

    /// Returns every set, of one region or of all.
    pub fn list(&mut self, region: Option<&str>) -> Result<Vec<SetSummary>, Fault> {
        let region = region.map(str::to_owned);
        let ListResult { mut sets } = self.ask(methods::LIST, &ListParams { region })?;
        let mut names = BTreeSet::from([""]);
        if let Some(set) = sets.iter().find(|set| !names.insert(&set.name)) {
            let is_nameless = set.name.is_empty();
            let reason = if is_nameless {
                "a set has no name"
            } else {
                "two sets have one name"
            };
            return Err(self.wrong(methods::LIST, reason));
        }
        for set in &mut sets {
            set.error = self.shown(set.error.take());
        }
        Ok(sets)
    }

    /// Returns one set; `None` when no set has that name.
    pub fn get(&mut self, name: &str) -> Result<Option<SetDetails>, Fault> {
        let result: GetResult = self.ask(methods::GET, &named(name))?;
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
        let result: ValuesResult = self.ask(methods::VALUES, &named(name))?;
        Ok(result.values)
    }

    /// Returns the registry and the credentials of an image pull secret.
    pub fn credentials(&mut self, name: &str) -> Result<CredentialsResult, Fault> {
        self.ask(methods::CREDENTIALS, &named(name))
    }

    /// Returns the organizations that the user may work in.
    pub fn organizations(&mut self) -> Result<Vec<Organization>, Fault> {
        let OrganizationsResult { mut organizations } =
            self.ask(methods::ORGANIZATIONS, &json!({}))?;
        for organization in &mut organizations {
            organization.label = self.shown(organization.label.take());
        }
        Ok(organizations)
    }

    /// Creates a set or adds to it; other keys stay.
    pub fn put(&mut self, put: &PutParams) -> Result<(), ChangeFault> {
        let keys: Vec<&str> = put.entries.keys().map(String::as_str).collect();
        let PutResult {} = self.change(methods::PUT, put, &keys)?;
        Ok(())
    }

    /// Creates an image pull secret or replaces its credentials.
    pub fn put_image_pull_secret(
        &mut self,
        put: &PutImagePullSecretParams,
    ) -> Result<(), ChangeFault> {
        let PutResult {} = self.change(methods::PUT_IMAGE_PULL_SECRET, put, &[])?;
        Ok(())
    }

    /// Removes keys from a set. Returns those that were not there.
    pub fn unset(&mut self, unset: &UnsetParams) -> Result<Vec<String>, ChangeFault> {
        let keys: Vec<&str> = unset.keys.iter().map(String::as_str).collect();
        let UnsetResult { missing } = self.change(methods::UNSET, unset, &keys)?;
        if missing.iter().all(|key| unset.keys.contains(key)) {
            return Ok(missing);
        }
        let wrong = self.wrong(methods::UNSET, "it names what was not asked for");
        Err(wrong.unknown())
    }

    /// Removes a set of either kind; `false` when there is none.
    pub fn delete(&mut self, delete: &DeleteParams) -> Result<bool, ChangeFault> {
        let DeleteResult { deleted } = self.change(methods::DELETE, delete, &[])?;
        Ok(deleted)
    }

    /// Ends the backend. An error says that it broke the protocol on its way out.
    pub fn close(mut self) -> Result<(), Fault> {
        self.finish()
    }

    fn finish(&mut self) -> Result<(), Fault> {
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
    ) -> Result<T, Fault> {
        self.hear_out()?;
        match self.call(method, params)? {
            Ok(result) => self.read(method, result),
            Err(error) => Err(fault::told(&self.name, &error, self.secretive)),
        }
    }

    /// Asks for a change of `keys`. Until the request is sent nothing has changed; from then on the outcome is unknown until there is an
    /// answer that can be relied on.
    fn change<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: &impl Serialize,
        keys: &[&str],
    ) -> Result<T, ChangeFault> {
        if self.relay.cancel().requested() {
            return Err(Fault::Cancelled.not_done());
        }
        self.hear_out().map_err(Fault::not_done)?;
        let replied = self.call(method, params).map_err(Fault::unknown)?;
        self.hear_the_rest().map_err(Fault::unknown)?;
        match replied {
            Ok(result) => self.read(method, result).map_err(Fault::unknown),
            Err(error) => Err(ChangeFault {
                effect: fault::effect(&error, keys),
                fault: fault::told(&self.name, &error, self.secretive),
            }),
        }
    }

    /// Sends one request and returns its reply. After an error the backend is gone.
    fn call(
        &mut self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<Result<Value, ErrorObject>, Fault> {
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
                Fault::Cancelled
            } else {
                Fault::broken(failure)
            }
        })
    }

    /// Checks that the backend is still there and has said nothing without being asked.
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

    /// Checks that the backend has not replied to a change twice, which would contradict the reply. Whatever it wrote before it read the next
    /// request precedes its reply to that; and every plugin replies to `describe`, if only that it does not know it.
    fn hear_the_rest(&mut self) -> Result<(), Fault> {
        let cancel = self.relay.cancel().clone();
        let Some(plugin) = &mut self.plugin else {
            return Ok(());
        };
        let params = json!({ "protocol": VERSION });
        let nothing = Capabilities::default();
        let relay = &mut self.relay;
        let Err(failure) = plugin.call(DESCRIBE, &params, nothing, relay, &cancel) else {
            return Ok(());
        };
        // Where it has just gone, the next request finds that out.
        self.plugin = None;
        if CONTRADICTIONS.contains(&failure.code.as_str()) {
            return Err(Fault::broken(failure));
        }
        Ok(())
    }

    fn read<T: DeserializeOwned>(&mut self, method: &str, result: Value) -> Result<T, Fault> {
        shape::read("result", result).map_err(|problem| self.wrong(method, &problem))
    }

    /// Ends the backend, because a result has the wrong shape or names what was not asked for.
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
        // A fault at the end is of no use to anybody any more.
        drop(self.finish());
    }
}

/// Makes the texts of a place fit to be shown, and its rules for names such that there are names.
fn fit_to_show(mut opened: OpenResult) -> OpenResult {
    opened.place = short_line(&opened.place, LONGEST_TEXT);
    for region in opened.regions.iter_mut().flat_map(|one| &mut one.all) {
        region.name = short_line(&region.name, LONGEST_TEXT);
    }
    let widest = NameRules::default();
    let names = &mut opened.names;
    names.shortest = names.shortest.clamp(widest.shortest, widest.longest);
    names.longest = names.longest.clamp(names.shortest, widest.longest);
    opened
}

fn named(name: &str) -> NameParams {
    NameParams {
        name: name.to_owned(),
    }
}

fn gone(name: &str) -> Fault {
    let message = format!("plugin `{name}` was ended after an earlier fault");
    Fault::broken(Failure::new(Exit::Protocol, "ended", message))
}

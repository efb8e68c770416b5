//! Compares a run's claims with the state that the service stores.

use serde_json::{Map, Value, json};

use super::operation::{AgentChange, Change, OTHER_AGENT, Operation};
use super::runner::Ran;
use super::settings::{AGENT, Wanted};
use crate::service::ORGANIZATION;

/// Returns a label for the outcome of a run, for the tally.
pub fn ending(ran: &Ran) -> String {
    match (ran.status, outcome(ran)) {
        (0, _) => "done".to_owned(),
        (_, Some(outcome)) => outcome.replace('_', " "),
        (_, None) => "failed before".to_owned(),
    }
}

/// Returns every false claim that a run makes.
pub fn untrue(
    operation: &Operation,
    before: &Value,
    after: &Value,
    ran: &Ran,
    with_key: bool,
) -> Vec<String> {
    let (before, after) = (&before[ORGANIZATION], &after[ORGANIZATION]);
    let change = &operation.change;
    let parts = parts(change, before, after, (ran, with_key));
    let mut claims = Claims::default();
    claims.of_the_status(&parts, ran);
    claims.of_the_keys(&parts, ran);
    claims.of_the_sentences(&parts, ran);
    claims.of_what_is_missing(change, before, ran);
    if let (0, Change::List { name }) = (ran.status, change) {
        claims.of_what_is_seen(name.as_deref(), before, ran);
    }
    if let (0, Change::OfAgent(AgentChange::Settings(_))) = (ran.status, change) {
        let agent = |state: &Value| state["/agents"][AGENT].clone();
        claims
            .wrong
            .extend(Wanted::untrue(&agent(before), &agent(after), &ran.document));
    }
    claims.of_the_others(change, before, after);
    claims.claim(!leaks(&operation.secrets, ran), "a value is shown");
    if parts.is_empty() {
        claims.claim(before == after, "nothing was to be changed");
    }
    claims.wrong
}

/// Collects false claims.
#[derive(Default)]
struct Claims {
    wrong: Vec<String>,
}

impl Claims {
    fn claim(&mut self, holds: bool, what: impl Into<String>) {
        if !holds {
            self.wrong.push(what.into());
        }
    }

    fn of_the_status(&mut self, parts: &[Part], ran: &Ran) {
        let outcome = outcome(ran);
        let (all, none) = (all(parts), none(parts));
        if !parts.is_empty() {
            match (ran.status, outcome.as_deref()) {
                (0, None) => self.claim(all, "status 0"),
                (0, Some(outcome)) => self.claim(false, format!("status 0 with {outcome}")),
                (_, Some("not_done") | None) => self.claim(none, "not done"),
                (_, Some("done")) => self.claim(all, "done"),
                (_, Some("partly_done")) => self.claim(!all, "partly done"),
                (_, Some("unknown")) => {}
                (_, Some(other)) => self.claim(false, format!("outcome {other}")),
            }
        }
        let stopped = matches!(ran.status, 130 | 143);
        let is_unknown = outcome.as_deref() == Some("unknown");
        self.claim(
            (ran.status == 3) == (is_unknown && !stopped),
            format!("status {} with {outcome:?}", ran.status),
        );
    }

    fn of_the_keys(&mut self, parts: &[Part], ran: &Ran) {
        let find = |key: &str| parts.iter().find(|part| part.key == key);
        for field in fields(ran) {
            let name = field["field"].as_str().unwrap_or_default();
            let part = find(name);
            match field["problem"].as_str() {
                Some("applied") => {
                    let holds = part.is_some_and(|part| part.applied);
                    self.claim(holds, format!("{name} applied"));
                }
                Some("not applied") => {
                    let holds = part.is_none_or(|part| !part.applied);
                    self.claim(holds, format!("{name} not applied"));
                }
                Some(_) | None => {}
            }
        }
        if ran.status != 0 {
            return;
        }
        for (member, existed) in [("created", false), ("overwritten", true), ("removed", true)] {
            for key in ran.document[member].as_array().into_iter().flatten() {
                let key = key.as_str().unwrap_or_default();
                let holds = find(key).is_some_and(|part| part.existed == existed);
                self.claim(holds, format!("{key} {member}"));
            }
        }
    }

    /// Claims that no set and no agent is changed but the one that the operation is for.
    fn of_the_others(&mut self, change: &Change, before: &Value, after: &Value) {
        let others = |state: &Value| {
            let mut others = state.clone();
            let members = others.as_object_mut();
            members.map(|members| {
                members.remove("/builds");
                name(change).map(|name| members.remove(name))
            });
            let agents = others["/agents"].as_object_mut();
            let is_agent = matches!(change, Change::OfAgent(_));
            agents.map(|agents| is_agent.then(|| agents.remove(AGENT)));
            // The last agent takes the member with it.
            others["/agents"] = others["/agents"]
                .as_object()
                .cloned()
                .unwrap_or_default()
                .into();
            others
        };
        self.claim(
            others(before) == others(after),
            "another set or agent is changed",
        );
    }

    fn of_the_sentences(&mut self, parts: &[Part], ran: &Ran) {
        const NOT_DONE: [&str; 4] = [
            "was not changed",
            "was not deleted",
            "nothing was",
            "othing has changed",
        ];
        const DONE: [&str; 8] = [
            "`my-bot` is ready",
            "Deployed ",
            "Started the session",
            "Saved ",
            "Removed ",
            "Deleted the ",
            "Updated the image",
            "Created the image",
        ];
        if NOT_DONE.iter().any(|words| ran.said.contains(words)) {
            self.claim(none(parts), "a sentence says that nothing was done");
        }
        let done = |line: &str| DONE.iter().any(|words| line.starts_with(words));
        let says_done = ["` is changed", "`my-bot` was deployed, "];
        let says_done = says_done.iter().any(|words| ran.said.contains(words));
        if ran.said.lines().any(done) || says_done {
            let holds = !parts.is_empty() && all(parts);
            self.claim(holds, "a sentence says that it is done");
        }
        let is_unknown = outcome(ran).as_deref() == Some("unknown");
        if ran.said.contains("unknown whether") {
            self.claim(is_unknown, "only a sentence says unknown");
        } else if is_unknown && !ran.said.contains("does not show it") {
            self.claim(false, "no sentence says unknown");
        }
    }

    fn of_what_is_missing(&mut self, change: &Change, before: &Value, ran: &Ran) {
        if ran.said.contains("there is no set") {
            let is_missing = name(change).is_none_or(|name| before.get(name).is_none());
            self.claim(is_missing, "there is no such set");
        }
        if ran.said.contains("there is no agent") {
            let is_missing = before["/agents"].get(AGENT).is_none();
            self.claim(is_missing, "there is no such agent");
        }
        if ran.said.contains("No secrets in") {
            let mut names = before.as_object().into_iter().flat_map(Map::keys);
            let has_none = names.all(|name| name.starts_with('/'));
            self.claim(has_none, "there are no secrets");
        }
    }

    fn of_what_is_seen(&mut self, name: Option<&str>, before: &Value, ran: &Ran) {
        let names = |object: &Value| -> Option<Vec<String>> {
            let names = object.as_object()?.keys();
            Some(
                names
                    .filter(|name| !name.starts_with('/'))
                    .cloned()
                    .collect(),
            )
        };
        let (shown, there) = if let Some(name) = name {
            self.claim(before.get(name).is_some(), "there is such a set");
            let keys = ran.document["keys"].as_array();
            let keys = keys.map(|keys| keys.iter().filter_map(Value::as_str));
            let keys = keys.map(|keys| keys.map(str::to_owned).collect());
            (keys, names(&before[name]["secrets"]))
        } else {
            let sets = ran.document["sets"].as_array().into_iter().flatten();
            let sets = sets.filter_map(|set| set["name"].as_str());
            (Some(sets.map(str::to_owned).collect()), names(before))
        };
        self.claim(shown == there, format!("shown {shown:?}"));
    }
}

fn all(parts: &[Part]) -> bool {
    parts.iter().all(|part| part.applied || part.was_so)
}

fn none(parts: &[Part]) -> bool {
    parts.iter().all(|part| !part.applied || part.was_so)
}

/// A change to one key, or to a whole set or agent if `key` is empty.
struct Part {
    key: String,
    existed: bool,
    applied: bool,
    /// Whether nothing can show that it was applied.
    was_so: bool,
}

fn parts(change: &Change, before: &Value, after: &Value, ran: (&Ran, bool)) -> Vec<Part> {
    let key_part = |name: &String, key: &String, applied| Part {
        key: key.clone(),
        existed: before[name]["secrets"].get(key).is_some(),
        applied,
        was_so: false,
    };
    let is_gone = |name: &String, key: &String| {
        let existed = before[name]["secrets"].get(key).is_some();
        existed && after[name]["secrets"].get(key).is_none()
    };
    let whole = |existed, applied| {
        vec![Part {
            key: String::new(),
            existed,
            applied,
            was_so: false,
        }]
    };
    match change {
        Change::Set { name, pairs } => {
            let put = pairs.iter().map(|(key, value)| {
                key_part(name, key, after[name]["secrets"][key] == json!(value))
            });
            put.collect()
        }
        Change::Unset { name, keys } => {
            let keys = keys.iter();
            keys.map(|key| key_part(name, key, is_gone(name, key)))
                .collect()
        }
        Change::Delete { name } => {
            let existed = before.get(name).is_some();
            whole(existed, existed && after.get(name).is_none())
        }
        Change::Pull { name, credentials } => {
            let is_stored = after[name]["credentials"] == json!(credentials);
            whole(before.get(name).is_some(), is_stored)
        }
        Change::List { .. } => Vec::new(),
        Change::OfAgent(change) => {
            let (was, is) = (&before["/agents"][AGENT], &after["/agents"][AGENT]);
            let mut whole = whole(!was.is_null(), is_applied(change, was, is, ran));
            let build = &before["/agents"][OTHER_AGENT]["buildId"];
            if let (AgentChange::Promote, [part]) = (change, &mut whole[..]) {
                part.applied = !build.is_null() && is["buildId"] == *build;
                part.was_so = part.applied && was["buildId"] == *build;
            }
            if let (AgentChange::Settings(wanted), [part]) = (change, &mut whole[..]) {
                part.was_so = part.applied && wanted.was_so(was, ran.1);
            }
            whole
        }
    }
}

/// Reports whether the states of an agent before and after a change show that it was applied.
fn is_applied(change: &AgentChange, was: &Value, is: &Value, ran: (&Ran, bool)) -> bool {
    let sessions = |agent: &Value| agent["sessions"].as_array().map_or(0, Vec::len);
    match change {
        AgentChange::Image(image) => is["spec"]["image"] == json!(image),
        AgentChange::Build | AgentChange::Promote => {
            !is["buildId"].is_null() && is["buildId"] != was["buildId"]
        }
        AgentChange::Settings(wanted) => {
            wanted.is_applied(was, is, ran.1, (&ran.0.said, &ran.0.document))
        }
        AgentChange::Start => sessions(is) > sessions(was),
        AgentChange::Delete => !was.is_null() && is.is_null(),
    }
}

fn name(change: &Change) -> Option<&str> {
    match change {
        Change::Set { name, .. }
        | Change::Unset { name, .. }
        | Change::Delete { name }
        | Change::Pull { name, .. } => Some(name),
        Change::List { name } => name.as_deref(),
        Change::OfAgent(_) => None,
    }
}

fn leaks(secrets: &[String], ran: &Ran) -> bool {
    let document = ran.document.to_string();
    let shows = |secret: &String| ran.said.contains(secret) || document.contains(secret);
    secrets.iter().any(shows)
}

fn outcome(ran: &Ran) -> Option<String> {
    ran.document["error"]["outcome"].as_str().map(str::to_owned)
}

fn fields(ran: &Ran) -> Vec<Value> {
    let fields = ran.document["error"]["fields"].as_array();
    fields.cloned().unwrap_or_default()
}

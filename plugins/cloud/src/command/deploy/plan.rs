//! The plan of a deployment, which compares the new settings with the agent's current settings.

use serde_json::{Value, json};

use super::image::Image;
use super::secrets::Missing;
use super::{Agent, agent_json};
use crate::deploy::settings::Settings;
use crate::text::theirs;

pub struct Plan<'a> {
    pub settings: &'a Settings,
    pub image: &'a Image,
    pub agent: Option<&'a Agent>,
    /// The settings that the agent runs with.
    pub running: Settings,
    /// The missing sets, which are created before the agent.
    pub missing: &'a [Missing],
    pub region: &'a str,
    /// The organization, unless the token implies it.
    pub place: Option<&'a str>,
    pub force: bool,
}

impl Plan<'_> {
    /// Reports whether the agent exists and already has these settings, as far as the service reports them. Returns `false` for a forced
    /// deployment.
    pub fn changes_nothing(&self) -> bool {
        self.agent.is_some() && !self.force && self.changes().is_empty()
    }

    /// Returns the name, the current value and the new value of each setting that changes.
    fn changes(&self) -> Vec<(String, Value, Value)> {
        let running = self.running.values();
        let mut wanted = self.settings.values();
        if let Some(build) = self.image.build() {
            wanted.insert("build_id".to_owned(), json!(build));
        }
        if self.hides_websocket_auth() {
            wanted.remove("websocket_auth");
        }
        let old = |name: &str| running.get(name).cloned().unwrap_or_default();
        let mut changes: Vec<_> = wanted
            .into_iter()
            .map(|(name, new)| (old(&name), name, new))
            .filter(|(old, _, new)| old != new)
            .map(|(old, name, new)| (name, old, new))
            .collect();
        for missing in self.missing {
            let name = missing.name.as_str();
            for (.., new) in changes.iter_mut().filter(|(.., new)| *new == name) {
                *new = json!(format!("{name}, {}", missing.words()));
            }
        }
        if let Some(repo) = &self.settings.git.repo {
            let branch = self.settings.git.branch.as_deref().unwrap_or_default();
            let repo = json!(format!("{repo}, branch {branch}"));
            changes.insert(0, ("repo".to_owned(), Value::Null, repo));
        }
        if let Some(words) = self.image.words() {
            changes.retain(|(name, ..)| name != "build_id" && name != "image");
            if self.image.build().is_none()
                || self.image.build() != self.running.build_id.as_deref()
            {
                changes.insert(0, ("image".to_owned(), Value::Null, json!(words)));
            }
        }
        changes
    }

    /// Reports whether the deployment sets `websocket_auth` but the service doesn't return the current value, so that a change can't be
    /// detected.
    pub fn hides_websocket_auth(&self) -> bool {
        let is_hidden = self.agent.is_some() && self.running.websocket_auth.is_none();
        self.settings.websocket_auth.is_some() && is_hidden
    }

    /// Returns a warning if the agent costs money even without sessions.
    pub fn cost(&self) -> Option<String> {
        let running = self.running.scaling.min_agents;
        warm(self.settings.scaling.min_agents.or(running))
    }

    pub fn text(&self) -> String {
        let name = self.settings.agent_name.as_deref().unwrap_or_default();
        let place = self
            .place
            .map_or(String::new(), |place| format!(" of organization {place}"));
        let verb = if self.agent.is_some() {
            "Update the agent"
        } else {
            "Create the agent"
        };
        let region = theirs(self.region);
        let changes = self.changes();
        let width = changes.iter().map(|(name, ..)| name.len()).max();
        let width = width.unwrap_or_default();
        let rows = changes.iter().map(|(name, old, new)| {
            let now = match (self.agent, old) {
                (None, _) | (_, Value::Null) => String::new(),
                (Some(_), old) => format!(" (now {})", plain(old)),
            };
            format!("  {name:width$}  {}{now}\n", plain(new))
        });
        let mut text = format!("{verb} `{name}` in the region {region}{place}\n");
        text.extend(rows);
        if changes.is_empty() && self.agent.is_some() {
            text.push_str("  nothing changes; it is deployed again\n");
        }
        if let Some(cost) = self.cost() {
            text.extend([&*cost, "\n"]);
        }
        text
    }

    /// Returns the JSON output. `deployed` contains the agent after the change and the build ID.
    pub fn data(&self, deployed: Option<(&Agent, Option<&str>)>, is_ready: bool) -> Value {
        let changes = self.changes();
        let changes: Vec<_> = changes
            .iter()
            .map(|(name, old, new)| json!({ "setting": name, "old": old, "new": new }))
            .collect();
        let agent = deployed.map(|(agent, _)| agent).or(self.agent);
        let mut data =
            agent.map_or_else(|| json!({ "name": self.settings.agent_name }), agent_json);
        data["region"] = json!(theirs(self.region));
        data["ready"] = json!(is_ready);
        data["changed"] = json!(deployed.is_some());
        data["changes"] = json!(changes);
        data["build"] = json!(deployed.and_then(|(_, build)| build));
        data
    }
}

/// Formats a value for display.
pub fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), theirs)
}

/// Returns a warning about the cost of idle agents, or `None` if `min_agents` is zero or unset.
pub fn warm(min_agents: Option<u64>) -> Option<String> {
    let kept = match min_agents {
        None | Some(0) => return None,
        Some(1) => "1 agent stays".to_owned(),
        Some(more) => format!("{more} agents stay"),
    };
    Some(format!(
        "{kept} warm, which costs money without sessions, too"
    ))
}

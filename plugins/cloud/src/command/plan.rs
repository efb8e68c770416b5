//! The plan of a deployment: the settings that change.

use bot_cli_protocol::failure::Failure;
use serde::Serialize;
use serde_json::Value;

use crate::command::context::CommandContext;
use crate::deploy::settings::Settings;
use crate::text::theirs;

pub struct Plan {
    /// The first line: "Update the agent `my-bot` in the region us-west".
    title: String,
    pub changes: Vec<Change>,
    /// A warning that the agent costs money even without sessions.
    cost: Option<String>,
}

#[derive(Serialize)]
pub struct Change {
    pub setting: String,
    pub old: Value,
    pub new: Value,
}

impl Plan {
    /// Compares the wanted settings with those of the running agent, if there is one.
    pub fn new(title: String, wanted: &Settings, running: Option<&Settings>) -> Self {
        let warm = running.and_then(|running| running.scaling.min_agents);
        let kept = match wanted.scaling.min_agents.or(warm) {
            None | Some(0) => None,
            Some(1) => Some("1 agent stays".to_owned()),
            Some(more) => Some(format!("{more} agents stay")),
        };
        Self {
            title,
            changes: changes(wanted, running),
            cost: kept.map(|kept| format!("{kept} warm, which costs money without sessions, too")),
        }
    }

    /// Shows the plan and asks for consent, or shows only the warning if `skip` is set.
    pub fn agree(
        &self,
        context: &CommandContext<'_>,
        question: &str,
        skip: bool,
    ) -> Result<(), Failure> {
        if !skip {
            return context.consent(question, self.text());
        }
        if let Some(cost) = &self.cost {
            context.warn(cost);
        }
        Ok(())
    }

    pub fn text(&self) -> String {
        let width = self.changes.iter().map(|it| it.setting.len()).max();
        let width = width.unwrap_or_default();
        let rows = self.changes.iter().map(|Change { setting, old, new }| {
            let now = if old.is_null() {
                String::new()
            } else {
                format!(" (now {})", plain(old))
            };
            format!("  {setting:width$}  {}{now}\n", plain(new))
        });
        let mut text = format!("{}\n", self.title);
        text.extend(rows);
        if self.changes.is_empty() {
            text.push_str("  nothing changes; it is deployed again\n");
        }
        text.extend(self.cost.iter().flat_map(|cost| [cost, "\n"]));
        text
    }
}

pub fn changes(wanted: &Settings, running: Option<&Settings>) -> Vec<Change> {
    let old = running.map(Settings::values).unwrap_or_default();
    let is_seen = |setting: &str| match setting {
        // The resources follow from the profile.
        "cpu" | "memory" => wanted.agent_profile.is_none(),
        // Where the service doesn't return it, a change can't be detected.
        "websocket_auth" => running.is_none_or(|running| running.websocket_auth.is_some()),
        _ => true,
    };
    let wanted = wanted.values().into_iter();
    let changes = wanted.filter(|(setting, _)| is_seen(setting));
    let changes = changes.map(|(setting, new)| Change {
        old: old.get(&setting).cloned().unwrap_or_default(),
        setting,
        new,
    });
    changes.filter(|change| change.old != change.new).collect()
}

pub fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), theirs)
}

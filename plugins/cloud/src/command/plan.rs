//! The plan of a deployment: the settings that change, and those that stay although they differ.

use bot_cli_protocol::failure::Failure;
use serde_json::{Value, json};

use crate::command::context::CommandContext;
use crate::deploy::table::{Comparison, Rest, Values};
use crate::text::theirs;

pub struct Plan {
    /// The first line: "Update the agent `my-bot` in the region us-west".
    title: String,
    pub compared: Comparison,
    /// A warning that the agent costs money even without sessions.
    cost: Option<String>,
}

impl Plan {
    /// Compares the wanted settings with those of the running agent, if there is one.
    pub fn new(
        title: String,
        wanted: &Values,
        running: Option<&Values>,
        rest: Rest,
        is_user: bool,
    ) -> Self {
        let compared = Comparison::new(wanted, running, rest, is_user);
        let sent = compared.sent.get("min_agents");
        let warm = sent.or_else(|| running?.get("min_agents"));
        let kept = match warm.and_then(Value::as_u64) {
            None | Some(0) => None,
            Some(1) => Some("1 agent stays".to_owned()),
            Some(more) => Some(format!("{more} agents stay")),
        };
        Self {
            title,
            compared,
            cost: kept.map(|kept| format!("{kept} warm, which costs money without sessions, too")),
        }
    }

    /// Shows the plan and, unless `skip` is set, asks for consent.
    pub fn agree(
        &self,
        context: &CommandContext<'_>,
        question: &str,
        skip: bool,
    ) -> Result<(), Failure> {
        if !skip {
            return context.consent(question, self.text());
        }
        for row in self.changes().chain(self.rest()) {
            context.note(row.trim());
        }
        if let Some(cost) = &self.cost {
            context.warn(cost);
        }
        Ok(())
    }

    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.title);
        text.extend(self.changes());
        if self.compared.changes.is_empty() {
            text.push_str("  nothing changes; it is deployed again\n");
        }
        text.extend(self.rest());
        text.extend(self.cost.iter().flat_map(|cost| [cost, "\n"]));
        text
    }

    /// Says that the agent runs what is wanted, as far as it does.
    pub fn nothing(&self, name: &str) -> String {
        let rest: String = self.rest().collect();
        let except = if rest.is_empty() { "" } else { ", except:" };
        format!("Nothing to do: `{name}` already runs this{except}\n{rest}")
    }

    fn changes(&self) -> impl Iterator<Item = String> {
        self.compared.changes.iter().map(|change| {
            let old = Some(&change.old).filter(|old| !old.is_null());
            let now = old.map_or(String::new(), |old| format!(" (now {})", plain(old)));
            let new = plain(&change.new);
            let remark = change.remark.map(|remark| format!(", {remark}"));
            let remark = remark.unwrap_or_default();
            self.row(change.setting, &format!("{new}{now}{remark}"))
        })
    }

    /// Returns the rows of the settings that stay or are not checked.
    fn rest(&self) -> impl Iterator<Item = String> {
        let Comparison {
            stays, unchecked, ..
        } = &self.compared;
        let stays = stays.iter().map(|it| {
            let value = it.value.as_ref().map_or("as it is".to_owned(), plain);
            let words = format!("stays {value}: {}", it.reason);
            self.row(it.setting, &words)
        });
        let unchecked = unchecked.iter().map(|setting| {
            let words = "not checked, because the service does not show it";
            let is_sent = self.compared.sent.contains_key(*setting);
            let sent = if is_sent {
                "; each deployment sends it"
            } else {
                ""
            };
            self.row(setting, &format!("{words}{sent}"))
        });
        stays.chain(unchecked)
    }

    fn row(&self, setting: &str, words: &str) -> String {
        let changes = self.compared.changes.iter().map(|it| it.setting.len());
        let stays = self.compared.stays.iter().map(|it| it.setting.len());
        let unchecked = self.compared.unchecked.iter().map(|it| it.len());
        let width = changes.chain(stays).chain(unchecked).max();
        let width = width.unwrap_or_default();
        format!("  {setting:width$}  {words}\n")
    }

    /// Adds the plan to a reply's data.
    pub fn add_to(&self, data: &mut Value) {
        data["changes"] = json!(self.compared.changes);
        data["stays"] = json!(self.compared.stays);
        data["not_checked"] = json!(self.compared.unchecked);
    }
}

pub fn plain(value: &Value) -> String {
    match value.as_str() {
        _ if value.is_null() => "none".to_owned(),
        Some(text) => theirs(text),
        None => value.to_string(),
    }
}

//! The plan of a deployment: the settings that change, and those that stay although they differ.

use bot_cli_protocol::failure::Failure;
use bot_cli_sdk::session::Session;
use serde_json::{Value, json};

use super::ask::consent;
use crate::deploy::table::Plan;
use crate::text::theirs;

impl Plan {
    /// Returns a warning that the agent costs money even without sessions.
    fn cost(&self) -> Option<String> {
        let kept = match self.warm {
            0 => return None,
            1 => "1 agent stays".to_owned(),
            more => format!("{more} agents stay"),
        };
        Some(format!(
            "{kept} warm, which costs money without sessions, too"
        ))
    }

    /// Shows the plan and, unless `skip` is set, asks for consent.
    pub fn agree(&self, session: &Session, question: &str, skip: bool) -> Result<(), Failure> {
        if !skip {
            return consent(session, question, self.text(), None);
        }
        for row in self.rows() {
            session.note(row.trim());
        }
        if let Some(cost) = self.cost() {
            session.warn(&cost);
        }
        Ok(())
    }

    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.title);
        if self.changes.is_empty() {
            text.push_str("  nothing changes; it is deployed again\n");
        }
        text.extend(self.rows());
        text.extend(self.cost().map(|cost| cost + "\n"));
        text
    }

    /// Says that the agent runs what is wanted, as far as it does.
    pub fn nothing(&self, name: &str) -> String {
        let rest: String = self.rows().collect();
        let except = if rest.is_empty() { "" } else { ", except:" };
        format!("Nothing to do: `{name}` already runs this{except}\n{rest}")
    }

    /// Returns the rows of the settings that change, stay or are not checked.
    fn rows(&self) -> impl Iterator<Item = String> {
        let changes = self.changes.iter().map(|it| {
            let old = Some(&it.old).filter(|old| !old.is_null());
            let now = old.map_or(String::new(), |old| format!(" (now {})", plain(old)));
            let remark = it.remark.map(|remark| format!(", {remark}"));
            let words = plain(&it.new) + &now + &remark.unwrap_or_default();
            (it.setting, words)
        });
        let stays = self.stays.iter().map(|it| {
            let value = it.value.as_ref().map_or("as it is".to_owned(), plain);
            (it.setting, format!("stays {value}: {}", it.reason))
        });
        let unchecked = self.unchecked.iter().map(|it| {
            let sent = match self.sent.contains_key(*it) {
                true if self.changes.is_empty() => "; `--force` sends it",
                true => "; it is sent",
                false => "",
            };
            let words = "not checked, because the service does not show it";
            (*it, words.to_owned() + sent)
        });
        let rows: Vec<_> = changes.chain(stays).chain(unchecked).collect();
        let width = rows.iter().map(|(setting, _)| setting.len()).max();
        let width = width.unwrap_or_default();
        let rows = rows.into_iter();
        rows.map(move |(setting, words)| format!("  {setting:width$}  {words}\n"))
    }

    /// Adds the plan to a reply's data.
    pub fn added_to(&self, mut data: Value) -> Value {
        data["changes"] = json!(self.changes);
        data["stays"] = json!(self.stays);
        data["not_checked"] = json!(self.unchecked);
        data
    }
}

pub fn plain(value: &Value) -> String {
    match value.as_str() {
        _ if value.is_null() => "none".to_owned(),
        Some(text) => theirs(text),
        None => value.to_string(),
    }
}

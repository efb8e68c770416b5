//! Handles a plugin's output that is not a protocol message, and decides what to show the user.

use super::Violation;
use crate::process::Event;
use bot_cli_protocol::line::Line;
use bot_cli_protocol::{Id, Message};
use bot_cli_terminal::ui::{Level, Ui};
use serde_json::Value;

/// The maximum number of characters shown from a line that is not a message.
const SHOWN: usize = 120;

#[derive(Debug, Default)]
pub struct Listener {
    plugin: String,
    last_words: Option<String>,
    last_printed: Option<String>,
    /// Whether the user was already warned about a line that is not a message. One warning is enough.
    warned: bool,
    /// Whether the plugin received a password, which may appear in any later output. The host's own messages then don't quote such output.
    pub discreet: bool,
    pub muted: bool,
}

impl Listener {
    pub fn new(plugin: &str) -> Self {
        Self {
            plugin: plugin.to_owned(),
            ..Self::default()
        }
    }

    /// Shows a line from standard error, and stores the line as a possible explanation of a failure.
    pub fn stderr(&mut self, line: &str, ui: &mut dyn Ui) {
        if self.muted {
            return;
        }
        ui.plugin_stderr(line);
        let line = line.trim();
        if !line.is_empty() {
            self.last_words = Some(line.to_owned());
        }
    }

    /// Returns the last non-blank line from standard error, unless it may contain a password.
    pub fn last_words(&self) -> Option<String> {
        self.last_words.clone().filter(|_| !self.discreet)
    }

    /// Returns the last printed line that is not a message, unless it may contain a password.
    pub fn last_printed(&self) -> Option<String> {
        self.last_printed.clone().filter(|_| !self.discreet)
    }

    /// Returns the beginning of a line, or only the line's length if it may contain a password.
    pub fn beginning(&self, line: &[u8]) -> String {
        if self.discreet {
            format!("{} bytes", line.len())
        } else {
            quoted(line)
        }
    }

    /// Logs a line that is not a message. At most one such line is logged as a warning.
    pub fn skipped(&mut self, line: &[u8], level: Level, ui: &mut dyn Ui) {
        let what = self.beginning(line);
        let level = if level == Level::Warn && std::mem::replace(&mut self.warned, true) {
            Level::Info
        } else {
            level
        };
        let plugin = &self.plugin;
        let message = format!("plugin `{plugin}` printed a line that is not a message: {what}");
        ui.log(level, &message, &Value::Null);
        self.last_printed = Some(what);
    }

    /// Returns an id that the plugin sent, or a placeholder if the id may contain a password.
    pub fn shown(&self, id: Id) -> Id {
        match id {
            Id::Text(_) if self.discreet => Id::Text("[hidden]".to_owned()),
            Id::Number(_) | Id::Text(_) => id,
        }
    }

    /// Returns a name that the plugin sent, or a placeholder if the name may contain a password.
    pub fn shown_name(&self, name: &str) -> String {
        if self.discreet {
            "[hidden]".to_owned()
        } else {
            name.escape_debug().to_string()
        }
    }

    pub fn note(&self, what: &str, ui: &mut dyn Ui) {
        let message = format!("plugin `{}` {what}", self.plugin);
        ui.log(Level::Info, &message, &Value::Null);
    }

    /// Handles an event after the plugin's reply. Returns a violation if the event is another reply.
    pub fn late(&mut self, event: Event, ui: &mut dyn Ui) -> Option<Violation> {
        match event {
            Event::Stderr(line) => {
                self.stderr(&line, ui);
                None
            }
            Event::Line(Line::Complete(bytes)) => match Message::from_line(&bytes) {
                Ok(Message::Result { id, .. } | Message::Error { id: Some(id), .. }) => {
                    Some(Violation::DoubleReply(self.shown(id)))
                }
                _ => None,
            },
            Event::Line(Line::TooLong { .. }) | Event::OutputEnded => None,
        }
    }
}

/// Quotes the beginning of a line, with control characters escaped.
fn quoted(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let start = text.chars().take(SHOWN).map(|character| {
        if character.is_control() {
            character.escape_debug().to_string()
        } else {
            character.to_string()
        }
    });
    format!("`{}`", start.collect::<String>())
}

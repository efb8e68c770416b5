//! What is heard from a plugin beside its messages, and what of it is passed on.

use super::Violation;
use crate::process::Event;
use bot_cli_protocol::line::Line;
use bot_cli_protocol::{Id, Message};
use bot_cli_terminal::ui::{Level, Ui};

/// The number of characters that are shown of a line that is not a message.
const SHOWN: usize = 120;

/// Listens to one plugin.
#[derive(Debug, Default)]
pub struct Listener {
    plugin: String,
    last_words: Option<String>,
    last_printed: Option<String>,
    /// Whether the user was warned of a line that is not a message: once is enough.
    warned: bool,
    /// Whether the plugin knows a password, which it may say at any time from now on: nothing that it did not mean for the user is quoted.
    pub discreet: bool,
    /// Whether the user sees nothing of what it says.
    pub muted: bool,
}

impl Listener {
    /// For the plugin of that name.
    pub fn new(plugin: &str) -> Self {
        Self {
            plugin: plugin.to_owned(),
            ..Self::default()
        }
    }

    /// Shows a line of standard error, which may explain a failure later.
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

    /// The last line of standard error that is not blank.
    pub fn last_words(&self) -> Option<String> {
        self.last_words.clone().filter(|_| !self.discreet)
    }

    /// The last line that was printed and that is not a message.
    pub fn last_printed(&self) -> Option<String> {
        self.last_printed.clone().filter(|_| !self.discreet)
    }

    /// The beginning of a line as it may be shown.
    pub fn beginning(&self, line: &[u8]) -> String {
        if self.discreet {
            format!("{} bytes", line.len())
        } else {
            quoted(line)
        }
    }

    /// Shows a line that is not a message, and warns of the first only.
    pub fn skipped(&mut self, line: &[u8], level: Level, ui: &mut dyn Ui) {
        let what = self.beginning(line);
        let level = if level == Level::Warn && std::mem::replace(&mut self.warned, true) {
            Level::Info
        } else {
            level
        };
        let plugin = &self.plugin;
        let message = format!("plugin `{plugin}` printed a line that is not a message: {what}");
        ui.log(level, &message);
        self.last_printed = Some(what);
    }

    /// An id of the plugin as it may be shown.
    pub fn shown(&self, id: Id) -> Id {
        match id {
            Id::Text(_) if self.discreet => Id::Text("[hidden]".to_owned()),
            Id::Number(_) | Id::Text(_) => id,
        }
    }

    /// A name of the plugin as it may be shown.
    pub fn shown_name(&self, name: &str) -> String {
        if self.discreet {
            "[hidden]".to_owned()
        } else {
            name.escape_debug().to_string()
        }
    }

    /// Says something about the plugin that its author may want to know.
    pub fn note(&self, what: &str, ui: &mut dyn Ui) {
        ui.log(Level::Info, &format!("plugin `{}` {what}", self.plugin));
    }

    /// Looks at what a plugin says after its reply.
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

/// The beginning of a line, with what commands a terminal made visible.
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

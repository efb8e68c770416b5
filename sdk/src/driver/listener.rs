//! What is heard from a plugin beside its messages, and what of it is passed on.

use std::collections::VecDeque;

use super::Violation;
use crate::event::Event;
use crate::line::Line;
use crate::protocol::{Id, Message};
use crate::ui::{Level, Ui};

/// The number of lines of standard error that are kept.
const KEPT: usize = 5;

/// The number of characters that are shown of a line that is not a message.
const SHOWN: usize = 120;

/// Listens to one plugin.
#[derive(Debug)]
pub struct Listener {
    plugin: String,
    last_words: VecDeque<String>,
    last_printed: Option<String>,
    /// Whether the user was told of a line that is almost a message: one is enough.
    warned: bool,
    /// Whether the plugin knows a password, which it may say at any time from now on.
    discreet: bool,
    /// Whether the user sees nothing of what it says.
    muted: bool,
}

impl Listener {
    /// For the plugin of that name.
    pub fn new(plugin: &str) -> Self {
        Self {
            plugin: plugin.to_owned(),
            last_words: VecDeque::new(),
            last_printed: None,
            warned: false,
            discreet: false,
            muted: false,
        }
    }

    /// From now on nothing that the plugin did not mean for the user is quoted.
    pub fn be_discreet(&mut self) {
        self.discreet = true;
    }

    /// From now on nothing that the plugin says is shown or quoted.
    pub fn mute(&mut self) {
        self.discreet = true;
        self.muted = true;
    }

    /// Whether nothing that the plugin says is shown.
    pub fn is_muted(&self) -> bool {
        self.muted
    }

    /// Shows a line of standard error, which may explain a failure later.
    pub fn stderr(&mut self, line: &str, ui: &mut dyn Ui) {
        if self.muted {
            return;
        }
        ui.plugin_stderr(line);
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        if self.last_words.len() == KEPT {
            self.last_words.pop_front();
        }
        self.last_words.push_back(line.to_owned());
    }

    /// The last lines of standard error, oldest first.
    pub fn last_words(&self) -> Vec<String> {
        if self.discreet {
            return Vec::new();
        }
        self.last_words.iter().cloned().collect()
    }

    /// The last line that was printed and that is not a message.
    pub fn last_printed(&self) -> Option<String> {
        self.last_printed.clone().filter(|_| !self.discreet)
    }

    /// Names a line that is not a message, and of one that was meant as a message why it is none.
    pub fn skipped(&mut self, line: &[u8], near: Option<&str>, ui: &mut dyn Ui) {
        let plugin = &self.plugin;
        if let Some(reason) = near
            && !self.warned
        {
            self.warned = true;
            let message =
                format!("plugin `{plugin}` printed a line that is almost a message: {reason}");
            ui.log(Level::Warn, &message);
        }
        let what = if self.discreet {
            format!("{} bytes", line.len())
        } else {
            quoted(line)
        };
        let message = format!("plugin `{plugin}` printed a line that is not a message: {what}");
        ui.log(Level::Info, &message);
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

    /// Looks at what a plugin says when nobody waits for it any more.
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
    let start = text.chars().take(SHOWN).flat_map(|character| {
        let (escaped, plain) = if character.is_control() {
            (Some(character.escape_debug()), None)
        } else {
            (None, Some(character))
        };
        escaped.into_iter().flatten().chain(plain)
    });
    format!("`{}`", start.collect::<String>())
}

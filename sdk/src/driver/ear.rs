//! What is heard from a plugin beside its messages, and what of it is passed on.

use std::collections::VecDeque;

use super::Violation;
use super::process::Event;
use crate::line::Line;
use crate::protocol::Message;
use crate::ui::{Level, Ui};

/// How many lines of standard error are kept.
const KEPT: usize = 5;

/// How much of a line that is no message is shown.
const SHOWN: usize = 120;

/// Listens to one plugin.
#[derive(Debug)]
pub struct Ear {
    plugin: String,
    last_words: VecDeque<String>,
    /// Whether the plugin knows a password, which it may say at any time from now on.
    discreet: bool,
}

impl Ear {
    /// For the plugin of that name.
    pub fn new(plugin: &str) -> Self {
        Self {
            plugin: plugin.to_owned(),
            last_words: VecDeque::new(),
            discreet: false,
        }
    }

    /// From now on nothing that the plugin did not mean for the user is quoted.
    pub fn be_discreet(&mut self) {
        self.discreet = true;
    }

    /// Shows a line of standard error, which may explain a failure later.
    pub fn stderr(&mut self, line: &str, ui: &mut dyn Ui) {
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

    /// Names a line that is not a message.
    pub fn skipped(&self, line: &[u8], ui: &mut dyn Ui) {
        let what = if self.discreet {
            format!("{} bytes", line.len())
        } else {
            let text = String::from_utf8_lossy(line);
            let start: String = text.chars().take(SHOWN).collect();
            format!("`{}`", start.escape_debug())
        };
        let message = format!(
            "plugin `{}` printed a line that is not a message: {what}",
            self.plugin
        );
        ui.log(Level::Info, &message);
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
                    Some(Violation::DoubleReply(id))
                }
                _ => None,
            },
            Event::Line(Line::TooLong { .. }) | Event::OutputEnded => None,
        }
    }
}

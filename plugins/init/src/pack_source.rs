//! The origin of a provider pack, as configuration files and records contain it.

use bot_cli_terminal::shell;
use serde::{Deserialize, Serialize};

use crate::wording::quoted;

/// The origin of a provider pack, stored so that other users can install the pack. Values from a configuration file are unverified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackSource {
    /// The pack's own version.
    pub version: String,
    /// The `https` URL from which the pack was downloaded. Absent for a local file or folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The checksum that `plugin add --sha256` compares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl PackSource {
    /// Returns the hint on installing the pack `name`: a command, or the file to ask for and the command.
    pub fn remedy(&self, name: &str) -> String {
        let is_address = |from: &&String| {
            // A query may contain a token.
            let is_plain = |it: u8| it.is_ascii_graphic() && !b"?#@".contains(&it);
            from.starts_with("https://") && from.bytes().all(is_plain)
        };
        let is_sum =
            |sum: &&String| sum.len() == 64 && sum.bytes().all(|it| it.is_ascii_hexdigit());
        let from = self.from.as_ref().filter(is_address);
        let sum = self.sha256.as_ref().filter(is_sum);
        let sum = sum.map_or_else(String::new, |sum| format!(" --sha256 {sum}"));
        match from.filter(|_| !sum.is_empty()) {
            Some(from) => format!("bot-cli plugin add {}{sum}", shell::quoted(from)),
            None => format!(
                "ask the author of the project for the file or folder of the pack {}, then: bot-cli plugin add FILE{sum}",
                quoted(name)
            ),
        }
    }
}

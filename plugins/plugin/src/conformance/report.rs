//! The findings of the checks.

use std::path::PathBuf;

use bot_cli_templates::pack::Effects;
use serde::{Deserialize, Serialize};

/// The findings of all checks of a plugin.
#[derive(Debug, Clone)]
pub struct Report {
    /// The plugin's name, from its manifest or its file name.
    pub plugin: String,
    /// The plugin's file, or the pack's folder.
    pub file: PathBuf,
    /// One finding per check, in the order of the checks.
    pub findings: Vec<Finding>,
    /// The effects of a pack's services.
    pub effects: Effects,
}

/// The finding of one check.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The check's stable name: `junk_line_answered`.
    pub id: String,
    /// Whether the document requires or recommends it.
    pub level: Level,
    /// The result of the check.
    pub verdict: Verdict,
    /// The fault, or the reason why the check was not run.
    pub reason: String,
    /// The document that contains the rule: `PROTOCOL.md`.
    pub document: String,
    /// The section of the document.
    pub rule: String,
    /// The fix for the plugin.
    pub mend: String,
    /// The sent and received messages, one per line, shortened and without passwords.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
}

/// The level of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A requirement for every plugin.
    Must,
    /// A recommendation, which a plugin may have a reason to ignore.
    Should,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No fault was seen.
    Passed,
    /// A fault was seen.
    Failed,
    /// The check could not be run.
    NotRun,
}

impl Report {
    /// Reports whether the plugin meets every requirement that was checked.
    pub fn holds(&self) -> bool {
        !self.failed().any(|finding| finding.level == Level::Must)
    }

    /// Returns the findings of the failed checks.
    pub fn failed(&self) -> impl Iterator<Item = &Finding> {
        let failed = |finding: &&Finding| finding.verdict == Verdict::Failed;
        self.findings.iter().filter(failed)
    }
}

/// The maximum number of characters shown from a line.
const SHOWN: usize = 300;

/// The made-up password. It has no characters that JSON escapes.
pub const CANARY: &str = "kit-canary-7Qz9vW3x";

/// Returns a line for display: shortened, without the password, and with control characters escaped.
pub fn shown(line: &[u8]) -> String {
    // Leaves enough of the line to hide a password that crosses the end of the shown part.
    let looked_at = &line[..line.len().min(SHOWN * 4 + CANARY.len())];
    let text = String::from_utf8_lossy(looked_at).replace(CANARY, "[hidden]");
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let mut short = String::new();
    for character in text.chars().take(SHOWN) {
        if character.is_control() {
            short.extend(character.escape_default());
        } else {
            short.push(character);
        }
    }
    if text.chars().nth(SHOWN).is_some() {
        short.extend(["… (", &line.len().to_string(), " bytes)"]);
    }
    short
}

#[cfg(test)]
mod tests {
    use super::{CANARY, SHOWN, shown};

    #[test]
    fn passwords_are_left_out_and_long_lines_are_shortened() {
        assert_eq!(shown(b"{\"a\":1}\r\n"), "{\"a\":1}\\r");
        assert_eq!(shown(format!("say {CANARY}!").as_bytes()), "say [hidden]!");
        for before in [SHOWN - 5, SHOWN, SHOWN + 1] {
            let line = format!("{}{CANARY}", "x".repeat(before));
            let text = shown(line.as_bytes());
            assert!(!text.contains("canary") && !text.contains("kit-"), "{text}");
        }
        let long = shown("x".repeat(1000).as_bytes());
        assert!(long.ends_with("… (1000 bytes)"), "{long}");
    }
}

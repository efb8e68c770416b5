//! The report on a plugin, with the findings of all checks.

use std::path::PathBuf;

use bot_cli_templates::pack::Effects;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A conformance report on one plugin.
#[derive(Debug, Clone)]
pub struct Report {
    /// The plugin's name, from its manifest or file name.
    pub plugin: String,
    /// The plugin file or pack folder.
    pub file: PathBuf,
    /// One finding per check, in the order of the checks.
    pub findings: Vec<Finding>,
    /// The effects of a pack's services.
    pub effects: Effects,
    /// The end of the run of the kit's `argv`, if it replied.
    pub run: Option<Run>,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Run {
    /// The exit status.
    pub exit: i64,
    /// The message of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Run {
    /// Reads the end of a run from its reply.
    pub fn of(reply: &Value) -> Self {
        let (result, error) = (&reply["result"], &reply["error"]);
        let message = error["message"].as_str();
        Self {
            exit: error["code"]
                .as_i64()
                .or(result["exit"].as_i64())
                .unwrap_or_default(),
            message: message.map(|message| shown(message.as_bytes())),
        }
    }
}

/// The result of one check.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The stable name of the check, such as `junk_line_answered`.
    pub id: String,
    /// Whether the rule is a requirement or a recommendation.
    pub level: Level,
    /// The outcome of the check.
    pub verdict: Verdict,
    /// The problem, or the reason why the check was not run. Empty if the check passed.
    pub reason: String,
    /// The document that contains the rule, such as `PROTOCOL.md`.
    pub document: String,
    /// The heading of the rule's section in the document.
    pub rule: String,
    /// Advice on fixing the plugin.
    pub mend: String,
    /// The messages that were sent and received, one per line, shortened and without passwords.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
}

/// The requirement level of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A requirement for every plugin.
    Must,
    /// A recommendation, which a plugin may have a reason to ignore.
    Should,
}

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The check found no problem.
    Passed,
    /// The check found a problem.
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

/// Returns a line for display. Shortens the line, hides the password, and escapes control characters.
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

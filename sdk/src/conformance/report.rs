//! What the checks found.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// The findings of the checks of a plugin.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The plugin's name, from its manifest or else from its file.
    pub plugin: String,
    /// The file.
    pub file: PathBuf,
    /// One finding a check, in the order of the checks.
    pub findings: Vec<Finding>,
}

/// The finding of one check.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The stable name of the check: `junk_line_answered`.
    pub id: &'static str,
    /// Whether the document demands it.
    pub level: Level,
    /// The result.
    pub verdict: Verdict,
    /// The observation instead, or why the check was not run.
    pub reason: String,
    /// The document that the rule stands in.
    pub document: Document,
    /// The section of the document.
    pub rule: &'static str,
    /// The change that mends the plugin.
    pub mend: &'static str,
    /// The messages that were sent and received, one line each, fit for people: without passwords, and shortened.
    #[serde(skip)]
    pub messages: Vec<String>,
}

/// A document that rules stand in, in the folder of the SDK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum Document {
    /// The protocol.
    #[serde(rename = "PROTOCOL.md")]
    Protocol,
    /// The services of provider packs.
    #[serde(rename = "PACKS.md")]
    Packs,
    /// The methods of secrets backends.
    #[serde(rename = "BACKENDS.md")]
    Backends,
}

/// Whether the document demands something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A plugin that does otherwise breaks a rule.
    Must,
    /// A plugin may have a reason to do otherwise.
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
    /// The check could not be made.
    NotRun,
}

impl Report {
    pub(super) fn new(file: &Path, plugin: String, findings: Vec<Finding>) -> Self {
        Self {
            plugin,
            file: file.to_owned(),
            findings,
        }
    }

    /// Whether every demand that was checked is met.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.failed().any(|finding| finding.level == Level::Must)
    }

    /// The findings that name a fault.
    pub fn failed(&self) -> impl Iterator<Item = &Finding> {
        let failed = |finding: &&Finding| finding.verdict == Verdict::Failed;
        self.findings.iter().filter(failed)
    }

    /// Returns how many checks came out as `verdict`.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        let same = |finding: &&Finding| finding.verdict == verdict;
        self.findings.iter().filter(same).count()
    }
}

/// The faults, a paragraph each.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in self.failed() {
            writeln!(f, "{} ({}): {}", finding.id, finding.level, finding.reason)?;
            writeln!(f, "  hint: {}", finding.mend)?;
            for message in &finding.messages {
                writeln!(f, "  {message}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Must => "must",
            Self::Should => "should",
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NotRun => "not run",
        })
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Protocol => "PROTOCOL.md",
            Self::Packs => "PACKS.md",
            Self::Backends => "BACKENDS.md",
        })
    }
}

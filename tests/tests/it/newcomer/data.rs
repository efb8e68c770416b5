//! The form of `data.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The number of lines that were followed last. It may not fall.
    pub count: usize,
    /// Placeholders, and what a reader types for them.
    pub values: BTreeMap<String, String>,
    /// Words of lines in the documentation, and a script that makes what a reader of them has.
    pub made: BTreeMap<String, String>,
    /// The first words of lines that a message may contain.
    pub programs: Vec<String>,
    pub situation: Vec<Situation>,
    pub page: Vec<Page>,
    pub answer: Vec<Answer>,
    pub served: Vec<Served>,
    pub at: Vec<At>,
    #[serde(default)]
    pub not_here: Vec<Row>,
    /// Lines whose failure is right.
    #[serde(default)]
    pub right: Vec<Row>,
    /// Lines that must not fail, but do.
    #[serde(default)]
    pub pending: Vec<Row>,
}

/// Where somebody is who begins to read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Situation {
    pub name: String,
    /// The lines that lead there. What the last one prints is followed.
    #[serde(default)]
    pub made: Vec<String>,
    /// The folder of the project, and the one in which the pages are read.
    #[serde(default)]
    pub project: String,
    #[serde(default)]
    pub folder: String,
    #[serde(default)]
    pub signed_in: bool,
    #[serde(default)]
    pub missing: Vec<String>,
    /// What is read: `help`, `mistakes`, or pages.
    #[serde(default)]
    pub reads: Vec<String>,
}

/// A page and how it is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    pub path: String,
    /// Whether each line is typed after those above it, or each for itself.
    #[serde(default)]
    pub in_order: bool,
}

/// The answer to a question that contains `asked`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    pub asked: String,
    #[serde(default)]
    pub typed: String,
}

/// The words of a program that runs until Ctrl-C.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Served {
    pub line: String,
    pub said: String,
    /// Further words, which keep situations apart that run at once.
    #[serde(default)]
    pub with: String,
}

/// The folder below the project in which a line is to be typed, as the text beside it says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct At {
    pub page: String,
    pub line: String,
    pub folder: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Words of the line.
    pub line: String,
    /// Words of the report.
    #[serde(default)]
    pub said: String,
    #[allow(dead_code, reason = "for readers of the file")]
    pub why: String,
}

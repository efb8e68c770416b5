//! The form of `data.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The number of lines that were followed last. It may not fall.
    pub count: usize,
    /// The first words of lines that a message may contain.
    pub programs: Vec<String>,
    /// Pages of which each line is typed after those above it.
    pub in_order: Vec<String>,
    /// Words of a program that serves until Ctrl-C, and what it says then.
    pub served: Vec<(String, String)>,
    /// Words of a question, and what is typed before Enter.
    pub answers: Vec<(String, String)>,
    /// A page, the beginning of a line, and the folder below the project in which the text beside it says that it is to be typed.
    pub at: Vec<(String, String, String)>,
    /// Placeholders, and what a reader types for them.
    pub values: BTreeMap<String, String>,
    /// Words of lines in the documentation, and a script that makes what a reader of them has.
    pub made: BTreeMap<String, String>,
    /// Words of lines that are not typed, and why.
    pub not_here: BTreeMap<String, String>,
    /// Lines whose failure is right.
    #[serde(default)]
    pub right: Vec<Row>,
    /// Lines that must not fail, but do.
    #[serde(default)]
    pub pending: Vec<Row>,
    pub situation: Vec<Situation>,
}

/// Where somebody is who begins to read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Situation {
    pub name: String,
    /// The lines that lead there. What the last one prints is followed.
    #[serde(default)]
    pub made: Vec<String>,
    /// The folder of the project, and the one below it in which the user is.
    #[serde(default)]
    pub project: String,
    #[serde(default)]
    pub folder: String,
    #[serde(default)]
    pub missing: Vec<String>,
    /// What is read: `help`, `mistakes`, `bot`, a page of the project, or one of the repository below `/`.
    #[serde(default)]
    pub reads: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Words of the line.
    pub line: String,
    /// Words of the report.
    pub said: String,
    #[allow(dead_code, reason = "for readers of the file")]
    pub why: String,
}

//! The report, for people and for programs.
//!
//! The document of `--json` is an object. `target`: the directory, absolute. `created`, `changed`, `unchanged`: lists of
//! paths relative to it. `kept`: guides that stayed, each with `path` and, in words, what the `guide` is. `config`: the
//! configuration as `--dry-run` prints it, null where only guides were written. `next`: commands that may come next,
//! in order. What is in the way is no result but a failure with the code `conflict` and a field for each file.

use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::shell::quoted;
use serde_json::json;

use super::next::{self, NextStep};
use crate::config::Config;
use crate::record;
use crate::target::Target;
use crate::target::compare::Comparison;

/// A finished job.
pub(super) struct Report<'a> {
    pub(super) target: &'a Target,
    pub(super) config: Option<&'a Config<'a>>,
    pub(super) found: &'a Comparison,
    /// Whether the files that are as they were to be go without saying.
    pub(super) quiet: bool,
    pub(super) steps: &'a [NextStep],
}

impl Report<'_> {
    pub(super) fn reply(&self) -> Reply {
        let (changed, created): (Vec<_>, Vec<_>) = self
            .found
            .changes
            .iter()
            .partition(|change| change.replaces.is_some());
        let paths = |changes: &[&crate::transaction::Change]| {
            changes
                .iter()
                .map(|change| change.path.clone())
                .collect::<Vec<_>>()
        };
        let (created, changed) = (paths(&created), paths(&changed));
        let kept: Vec<_> = self
            .found
            .kept
            .iter()
            .map(|kept| json!({ "path": kept.change.path, "guide": kept.guide.words() }))
            .collect();
        Reply::text(self.text(&created, &changed))
            .data(json!({
                "target": self.target.path,
                "created": created,
                "changed": changed,
                "unchanged": self.found.unchanged,
                "kept": kept,
                "config": self.config.map(Config::to_json),
                "next": self.steps.iter().map(|step| &step.command).collect::<Vec<_>>(),
            }))
            .next_all(next::shown(self.steps))
    }

    fn text(&self, created: &[String], changed: &[String]) -> String {
        let shown = quoted(&self.target.shown);
        let mut text = match (self.config, created.len() + changed.len()) {
            (_, 0) => format!("Nothing to do: {shown} is up to date\n"),
            (Some(_), _) => format!("Created a bot project in {shown}\n"),
            (None, _) => format!("Prepared {shown} for a coding agent\n"),
        };
        for (word, paths) in [("created", created), ("changed", changed)] {
            for path in paths.iter().filter(|_| !self.quiet) {
                line(&mut text, word, path);
            }
        }
        let is_recorded = |path: &String| path == record::PROJECT;
        if !self.quiet && created.iter().chain(changed).any(is_recorded) {
            text.extend([
                "  `",
                record::FOLDER,
                "` records how the project was made: commit it with the rest\n",
            ]);
        }
        for kept in &self.found.kept {
            line(
                &mut text,
                "kept",
                &format!("{} ({})", kept.change.path, kept.guide.words()),
            );
        }
        match self.found.unchanged.len() {
            _ if self.quiet => {}
            0 => {}
            1 => line(&mut text, "unchanged", "1 file"),
            several => line(&mut text, "unchanged", &format!("{several} files")),
        }
        text
    }
}

fn line(text: &mut String, word: &str, what: &str) {
    text.extend([&format!("  {word:<9} "), what, "\n"]);
}

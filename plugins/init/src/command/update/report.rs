//! Reports the results of an update, as text and as JSON.
//!
//! The `--json` document is an object:
//!
//! - `target`: the absolute path of the directory.
//! - `up_to_date`: whether the update leaves all options and all of the user's files unchanged. The record itself may change. With
//!   `--check`, the code must also contain everything that the recorded options add.
//! - `written`: whether the files were written. If false, the lists describe the planned changes.
//! - `config`: the new configuration.
//! - `options`: the changed options, each as `{key, from, to}`.
//! - `created`, `changed`, `merged`, `removed`, `deleted`: lists of paths relative to the target. `merged` files contain the user's
//!   edits. `deleted` files were deleted by the user and are not recreated.
//! - `kept`, `obstacles`, `review`: lists of `{path, line, note}`. `kept` files are left unchanged. `obstacles` prevent the update: files
//!   that can't be merged, and lines that must be edited first. `review` lists places to check.
//! - `conflicts`: a list of `{path, line, marker, base, yours, new}`, with the lines from each version. `line` is the number of the
//!   first conflicting line in the user's file before the update, starting at 1. `marker` is the line number of the first marker, or null
//!   if no markers were written.
//! - `restore`: a command that restores the replaced files, or null if no backup was made.
//! - `next`: suggested commands. `--check` leaves it out.
//!
//! If the update has conflicts, the document also has an `error` member, as in the document for a failure, and the exit status is 1.

use std::collections::BTreeSet;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::{Format, Outcome};
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::Session;
use bot_cli_terminal::shell::quoted;
use serde_json::{Value, json};

use super::found::Found;
use crate::config::Config;
use crate::equivalent::directory;
use crate::merge::changes;
use crate::options::{Conflicts, Options};
use crate::platform::copy_over;
use crate::record::FOLDER;
use crate::target::Target;
use crate::transaction::{BEFORE, Change, Old};
use crate::update::differences::{self, Difference};
use crate::update::{About, ConflictingFile, FATES, Note, Update, gone};

pub(super) struct Report<'a> {
    pub(super) options: &'a Options,
    pub(super) target: &'a Target,
    pub(super) found: &'a Found,
    pub(super) config: &'a Config<'a>,
    pub(super) update: &'a Update,
    pub(super) written: bool,
    pub(super) old: Old,
    pub(super) quiet: bool,
}

impl Report<'_> {
    pub(super) fn reply(&self, session: &Session) -> Result<Reply, Failure> {
        let differences = differences::between(&self.found.config, self.config);
        let is_up_to_date = self.update.changes_nothing() && differences.is_empty();
        let mut text = self.title(is_up_to_date);
        if !text.ends_with("is up to date\n") {
            for difference in &differences {
                text.extend(["  ", &difference.words(), "\n"]);
            }
            self.list_files(&mut text);
            self.list_places(&mut text);
        }
        let mut document = self.document(&differences, is_up_to_date);
        if self.options.check {
            session.exit_with(u8::from(!is_up_to_date));
            return Ok(Reply::text(text).data(document));
        }
        document["next"] = self.next().into();
        let Some(failure) = self.failure() else {
            return Ok(Reply::text(text).data(document).next_all(self.next()));
        };
        if session.context().format != Format::Json {
            session.output(&text);
            return Err(failure);
        }
        session.exit_with(failure.exit.status());
        document["error"] = Outcome::new(Err(failure)).document()["error"].take();
        Ok(Reply::text(text).data(document))
    }

    /// Returns the command that writes the lock file again, without which the image build would fail.
    fn next(&self) -> Vec<String> {
        let is_changed = |change: &Change| change.path == "server/pyproject.toml";
        let changed = self.written && self.update.changes.iter().any(is_changed);
        let server = format!("{}/server", directory(&self.target.shown));
        let line = format!("uv sync --project {}", quoted(&server));
        changed.then_some(line).into_iter().collect()
    }

    fn title(&self, is_up_to_date: bool) -> String {
        let shown = quoted(&self.target.shown);
        let is_empty = self.update.changes.is_empty() && !self.update.has_conflicts();
        let disagrees = self.update.about(About::Disagreement).next().is_some();
        if self.options.check {
            let not = if is_up_to_date { "" } else { "not " };
            format!("{shown} is {not}up to date\n")
        } else if is_empty && !disagrees {
            format!("Nothing to do: {shown} is up to date\n")
        } else if is_empty {
            format!("No file of {shown} is to be changed\n")
        } else if self.written {
            format!("Updated {shown}\n")
        } else {
            format!("An update of {shown} would do this; nothing was written\n")
        }
    }

    fn failure(&self) -> Option<Failure> {
        if !self.update.has_conflicts() {
            return None;
        }
        let outcome = match (self.written, self.options.dry_run) {
            (true, _) => "written between markers",
            (false, true) => "nothing would be written",
            (false, false) => "nothing was written",
        };
        let obstacles: Vec<&Note> = self.update.about(About::Obstacle).collect();
        let shown = crate::wording::quoted(&self.target.shown);
        let message = format!("your edits of {shown} are in conflict with the update: {outcome}");
        let mut failure = Failure::new(Exit::Failed, "conflict", message);
        for obstacle in &obstacles {
            failure = failure.field(&place(obstacle), None, obstacle.text.clone());
        }
        for conflict in &self.update.conflicts {
            let words = "you and the update have changed this in different ways";
            failure = failure.field(&self.place_of(conflict), None, words);
        }
        if self.written {
            failure = failure.hint("edit the lines between the markers, and remove the markers; until then `--check` fails");
        } else if !self.update.conflicts.is_empty() && self.options.conflicts == Conflicts::Refuse {
            failure = failure.hint("add `--conflicts markers` to the command to write them into the files and resolve them there, or `--json` for a document that a coding agent can work from");
        }
        if !obstacles.is_empty() {
            failure = failure.hint(
                "edit the lines that are named, and move, rename or remove the files that can't be merged, then run the same command again; a generated file that was removed stays away",
            );
        }
        Some(failure)
    }

    fn place_of(&self, conflict: &ConflictingFile) -> String {
        let line = if self.written {
            conflict.marker
        } else {
            conflict.lines.line
        };
        format!("{}:{line}", conflict.path)
    }

    fn folder(&self, below: &str) -> String {
        let shown = directory(&self.target.shown);
        let shown = shown.trim_end_matches('/');
        quoted(format!("{shown}/{below}").trim_end_matches('/'))
    }

    /// Returns the command that restores the replaced files, or `None` if no backup was made.
    fn restore(&self) -> Option<String> {
        let from = self.folder(&format!("{BEFORE}/files"));
        (self.written && self.old == Old::Kept).then(|| copy_over(&from, &self.folder("")))
    }

    fn list_files(&self, text: &mut String) {
        let mut line = |word: &str, what: &str, why: &str| {
            text.extend([&format!("  {word:<9} {what}"), why, "\n"]);
        };
        let mut is_recorded = false;
        for (fate, word) in FATES {
            let (record, paths): (Vec<&str>, Vec<&str>) =
                (self.update.paths(fate).into_iter()).partition(|path| path.starts_with(FOLDER));
            is_recorded |= !record.is_empty();
            if fate == About::Deleted {
                let gone = paths.iter().map(|path| gone(&self.target.path, path));
                for path in gone.collect::<BTreeSet<_>>() {
                    line(word, path, " (by you; it stays deleted)");
                }
            } else if !self.quiet {
                for path in paths {
                    line(word, path, "");
                }
            }
        }
        if is_recorded && !self.quiet {
            line("changed", FOLDER, " (the record)");
        }
        for (about, word) in [(About::Kept, "kept"), (About::Obstacle, "conflict")] {
            // The failure already names the obstacles.
            let is_named = about == About::Obstacle && !self.options.check;
            for note in self.update.about(about).filter(|_| !is_named) {
                line(word, &place(note), &format!(" ({})", note.text));
            }
        }
    }

    fn list_places(&self, text: &mut String) {
        if let Some(restore) = self.restore() {
            text.extend([
                "\nThe files as they were are in ",
                BEFORE,
                "; this copies them back:\n  ",
                &restore,
                "\n",
            ]);
        }
        for (number, review) in self.reviews().enumerate() {
            let title = if number == 0 { "\nLook at:\n" } else { "" };
            let mut lines = review.text.lines();
            let colon = if review.path.is_some() { ": " } else { "" };
            let first = lines.next().unwrap_or_default();
            text.extend([title, "  ", &place(review), colon, first, "\n"]);
            quote_lines(&lines.collect::<Vec<_>>(), text);
        }
        for (number, conflict) in self.update.conflicts.iter().enumerate() {
            let title = if number == 0 { "\nIn conflict:\n" } else { "" };
            text.extend([title, "  ", &self.place_of(conflict), "\n"]);
            let lines = &conflict.lines;
            let changes = changes(&lines.base, &lines.new);
            let changes = changes.iter().map(String::as_str).collect();
            for (side, lines) in [
                ("yours", lines.yours.lines().collect()),
                ("the update", changes),
            ] {
                let none = if Vec::is_empty(&lines) {
                    " nothing"
                } else {
                    ""
                };
                text.extend(["    ", side, ":", none, "\n"]);
                quote_lines(&lines, text);
            }
        }
    }

    fn reviews(&self) -> impl Iterator<Item = &Note> {
        let disagreements = self.update.about(About::Disagreement);
        self.update.about(About::Review).chain(disagreements)
    }

    fn document(&self, differences: &[Difference], is_up_to_date: bool) -> Value {
        let update = self.update;
        let note = |note: &Note| json!({ "path": note.path, "line": note.line, "note": note.text });
        let conflicts = update.conflicts.iter().map(|conflict| {
            json!({
                "path": conflict.path,
                "line": conflict.lines.line,
                "marker": self.written.then_some(conflict.marker),
                "base": conflict.lines.base,
                "yours": conflict.lines.yours,
                "new": conflict.lines.new,
            })
        });
        let mut document = json!({
            "target": self.target.path,
            "up_to_date": is_up_to_date,
            "written": self.written,
            "config": self.config.to_json(),
            "options": differences,
            "kept": update.about(About::Kept).map(note).collect::<Value>(),
            "conflicts": conflicts.collect::<Value>(),
            "obstacles": update.about(About::Obstacle).map(note).collect::<Value>(),
            "review": self.reviews().map(note).collect::<Value>(),
            "restore": self.restore(),
        });
        for (fate, word) in FATES {
            document[word] = update.paths(fate).into_iter().collect();
        }
        document
    }
}

fn place(note: &Note) -> String {
    let path = note.path.clone().unwrap_or_default();
    match note.line {
        Some(line) => format!("{path}:{line}"),
        None => path,
    }
}

/// The maximum number of lines quoted from each side.
const SHOWN: usize = 12;

/// Appends a quotation of the first lines to `text`, with control characters replaced.
fn quote_lines(lines: &[&str], text: &mut String) {
    for line in lines.iter().take(SHOWN) {
        let is_harmful = |letter: char| letter.is_control() && letter != '\t';
        let plain = line.replace(is_harmful, "\u{fffd}");
        text.extend(["      | ", plain.trim_end(), "\n"]);
    }
    if lines.len() > SHOWN {
        let more = lines.len() - SHOWN;
        text.extend(["      and ", &more.to_string(), " more\n"]);
    }
}

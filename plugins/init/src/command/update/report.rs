//! The report of an update, for people and for programs.
//!
//! The document of `--json` is an object. `target`: the directory, absolute. `recovered`: as in the document of a new project. `up_to_date`:
//! whether neither a file of the user's nor an option changes, and with `--check` the code has what recorded options bring; the record alone may change. `written`: whether the files were written; if not, the lists say what the update would do. `config`: the new configuration. `options`: those
//! that change, each `{key, from, to}`. `created`, `changed`, `merged`, `removed`, `deleted`: lists of paths relative to the target;
//! `merged` are files with edits of the user's, `deleted` those that the user has deleted and that stay so. `kept`: `{path, why}`.
//! `conflicts`: `{path, line, marker, base, yours, new}`,
//! with the lines of each version; `line` is that of the user's first, before the update, counted from 1; `marker` is that of its first marker, if it
//! is written. `obstacles`: `{path, line, reason}`,
//! files that can't be merged, and lines to edit first. `restore`: a command that copies the replaced files back, null if version control has them. `review`: `{path, line, note}`, what to look at. `next`: commands. Where something is
//! in conflict, `error` is there, too, as in the document of a failure, and the exit status is 1.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::shell::quoted;
use serde_json::{Value, json};

use super::super::next::{self, NextStep};
use super::super::recovery;
use super::Changes;
use crate::config::Config;
use crate::merge::{Conflict as Lines, changes};
use crate::options::{Conflicts, Options};
use crate::platform::copy_over;
use crate::record::FOLDER;
use crate::target::Target;
use crate::transaction::{BEFORE, Change, Old, Recovered};
use crate::update::Conflict;

pub(super) struct Report<'a> {
    pub(super) target: &'a Target,
    pub(super) config: &'a Config<'a>,
    pub(super) changes: &'a Changes,
    /// Whether the changes were made.
    pub(super) written: bool,
    /// What became of the files as they were.
    pub(super) old: Old,
    pub(super) recovered: &'a Recovered,
    pub(super) quiet: bool,
    pub(super) steps: &'a [NextStep],
}

impl Report<'_> {
    pub(super) fn reply(&self) -> Reply {
        Reply::text(self.text())
            .data(self.document())
            .next_all(next::shown(self.steps))
    }

    /// With the failure in the document, as a program looks for it.
    pub(super) fn reply_of(&self, failure: &Failure) -> Reply {
        let mut document = self.document();
        document["error"] = json!({
            "code": failure.code,
            "message": failure.message,
            "fields": failure.fields,
            "hints": failure.hints,
        });
        Reply::text(self.text()).data(document)
    }

    /// In a word, for `--check`.
    pub(super) fn checked(&self) -> Reply {
        let shown = quoted(&self.target.shown);
        let text = if self.is_up_to_date() {
            format!("{shown} is up to date\n")
        } else {
            let last =
                match self.changes.update.conflicts.len() + self.changes.update.obstacles.len() {
                    0 => "",
                    _ => "\nThe update would be in conflict with your edits\n",
                };
            format!("{shown} is not up to date\n{}{last}", self.list())
        };
        Reply::text(text).data(self.document())
    }

    /// The failure that names every conflict; `None`: nothing is in conflict.
    pub(super) fn failure(&self, options: &Options) -> Option<Failure> {
        let update = &self.changes.update;
        if !update.has_conflicts() {
            return None;
        }
        let outcome = match (self.written, options.dry_run) {
            (true, _) => "written between markers",
            (false, true) => "nothing would be written",
            (false, false) => "nothing was written",
        };
        let count = match update.conflicts.len() + update.obstacles.len() {
            1 => "1 conflict".to_owned(),
            several => format!("{several} conflicts"),
        };
        let shown = crate::wording::quoted(&self.target.shown);
        let message = format!("{count} in {shown}: {outcome}");
        let mut failure = Failure::new(Exit::Failed, "conflict", message);
        for obstacle in &update.obstacles {
            let place = place(&obstacle.path, obstacle.line);
            failure = failure.field(&place, None, obstacle.reason.clone());
        }
        for conflict in &update.conflicts {
            failure = failure.field(&self.place_of(conflict), None, words(conflict));
        }
        if self.written {
            failure = failure.hint(
                "edit what stands between the markers, and remove them; until then `--check` fails",
            );
            return Some(failure);
        }
        if !update.conflicts.is_empty() && options.conflicts == Conflicts::Refuse {
            failure = failure.hint(
                "add `--conflicts markers` to the command to write them into the files and resolve them there, or `--json` for a document that a coding agent can work from",
            );
        }
        if update.obstacles.iter().any(|one| one.line.is_some()) {
            failure = failure.hint("edit those lines first, then run the same command again");
        }
        if update.obstacles.iter().any(|one| one.line.is_none()) {
            failure = failure.hint(
                "move, rename or remove the files that can't be merged; a generated file that is not there stays away",
            );
        }
        Some(recovery::failure_after(self.recovered, failure))
    }

    /// Tells whether neither a file of the user's nor an option changes.
    pub(super) fn is_up_to_date(&self) -> bool {
        self.changes.is_up_to_date()
    }

    pub(super) fn text(&self) -> String {
        let shown = quoted(&self.target.shown);
        let title = if self.changes.is_empty() {
            if self.changes.update.missing.is_empty() {
                return format!("Nothing to do: {shown} is up to date\n");
            }
            format!("No file of {shown} is to be changed\n")
        } else if self.written {
            format!("Updated {shown}\n")
        } else {
            let nothing = recovery::words_after(self.recovered, "nothing was written");
            format!("An update of {shown} would do this; {nothing}\n")
        };
        title + &self.list()
    }

    fn place_of(&self, conflict: &Conflict) -> String {
        let line = if self.written {
            conflict.marker
        } else {
            conflict.lines.line
        };
        place(&conflict.path, Some(line))
    }

    /// The command that copies the files back as they were.
    fn restore(&self) -> Option<String> {
        let shown = crate::equivalent::directory(&self.target.shown);
        let shown = shown.trim_end_matches('/');
        let from = quoted(&format!("{shown}/{BEFORE}/files"));
        (self.old != Old::Given).then(|| copy_over(&from, &quoted(shown)))
    }

    /// All that the update does, a line each.
    fn list(&self) -> String {
        let Changes {
            update,
            beside,
            differences,
            new_variables: _,
        } = self.changes;
        let mut text = String::new();
        for difference in differences {
            text.extend(["  ", &difference.words(), "\n"]);
        }
        let mut line = |word: &str, what: &str| {
            text.extend([&format!("  {word:<9} "), what, "\n"]);
        };
        if !self.quiet {
            let lists = [
                ("created", &update.created),
                ("changed", &update.changed),
                ("merged", &update.merged),
                ("removed", &update.removed),
            ];
            for (word, paths) in lists {
                for path in paths {
                    line(word, path);
                }
            }
            for change in beside.changes.iter().filter(|one| !is_record(one)) {
                line("changed", &change.path);
            }
            if beside.changes.iter().any(is_record) {
                line("changed", &format!("{FOLDER} (the record)"));
            }
        }
        for path in &update.gone {
            line("deleted", &format!("{path} (by you; it stays deleted)"));
        }
        for kept in &update.kept {
            line("kept", &format!("{} ({})", kept.path, kept.why));
        }
        for kept in &beside.kept {
            line("kept", &format!("{} ({})", kept.path, kept.guide.words()));
        }
        if let Some(restore) = self.restore() {
            text.extend([
                "\nThe files as they were are in ",
                BEFORE,
                "; this copies them back:\n  ",
                &restore,
                "\n",
            ]);
        }
        let mut reviews = update.review.iter().chain(&update.missing).peekable();
        if reviews.peek().is_some() {
            text.push_str("\nLook at:\n");
            for review in reviews {
                let place = (review.path.as_ref()).map_or_else(String::new, |path| {
                    format!("{}: ", place(path, review.line))
                });
                let mut lines = review.note.lines();
                text.extend(["  ", &place, lines.next().unwrap_or_default(), "\n"]);
                quote_lines(&lines.collect::<Vec<_>>(), &mut text);
            }
        }
        if !update.conflicts.is_empty() {
            text.push_str("\nIn conflict:\n");
            for conflict in &update.conflicts {
                show(conflict, &self.place_of(conflict), &mut text);
            }
        }
        text
    }

    fn document(&self) -> Value {
        let Changes {
            update,
            beside,
            differences,
            new_variables: _,
        } = self.changes;
        let (changed, created): (Vec<&Change>, Vec<&Change>) =
            (beside.changes.iter()).partition(|change| change.replaces.is_some());
        let with = |paths: &[String], further: &[&Change]| {
            let mut paths: Vec<String> = paths.to_vec();
            paths.extend(further.iter().map(|change| change.path.clone()));
            paths.sort();
            paths
        };
        let kept = (update.kept.iter())
            .map(|kept| json!({ "path": kept.path, "why": kept.why }))
            .chain(
                (beside.kept.iter())
                    .map(|kept| json!({ "path": kept.path, "why": kept.guide.words() })),
            );
        let options = (differences.iter())
            .map(|one| json!({ "key": one.key, "from": one.from, "to": one.to }));
        json!({
            "target": self.target.path,
            "recovered": recovery::member(self.recovered),
            "up_to_date": self.is_up_to_date(),
            "written": self.written,
            "config": self.config.to_json(),
            "options": options.collect::<Value>(),
            "created": with(&update.created, &created),
            "changed": with(&update.changed, &changed),
            "merged": update.merged,
            "removed": update.removed,
            "kept": kept.collect::<Value>(),
            "deleted": update.deleted,
            "conflicts": (update.conflicts.iter())
                .map(|one| document(one, self.written))
                .collect::<Value>(),
            "obstacles": (update.obstacles.iter())
                .map(|one| json!({ "path": one.path, "line": one.line, "reason": one.reason }))
                .collect::<Value>(),
            "review": (update.review.iter().chain(&update.missing))
                .map(|one| json!({ "path": one.path, "line": one.line, "note": one.note }))
                .collect::<Value>(),
            "restore": self.restore(),
            "next": self.steps.iter().map(|step| &step.command).collect::<Vec<_>>(),
        })
    }
}

pub(super) fn is_record(change: &Change) -> bool {
    change.path.starts_with(FOLDER)
}

fn place(path: &str, line: Option<usize>) -> String {
    line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"))
}

fn words(conflict: &Conflict) -> String {
    let lines = &conflict.lines;
    let how = match (
        lines.base.is_empty(),
        lines.yours.is_empty(),
        lines.new.is_empty(),
    ) {
        (true, ..) => "you and the update have added different lines",
        (false, true, _) => "you have deleted lines that the update changes",
        (false, false, true) => "you have changed lines that the update removes",
        (false, false, false) => "you and the update have changed the same lines",
    };
    how.to_owned()
}

/// The most lines of one side that are shown.
const SHOWN: usize = 12;

fn show(conflict: &Conflict, place: &str, text: &mut String) {
    text.extend(["  ", place, "\n"]);
    let Lines {
        yours, base, new, ..
    } = &conflict.lines;
    let changes = changes(base, new);
    let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
    for (side, lines) in [("yours", yours.lines().collect()), ("the update", changes)] {
        let none = if lines.is_empty() { " nothing" } else { "" };
        text.extend(["    ", side, ":", none, "\n"]);
        quote_lines(&lines, text);
    }
}

/// The first lines of a file, without what a terminal would act on.
fn quote_lines(lines: &[&str], text: &mut String) {
    for line in lines.iter().take(SHOWN) {
        let plain: String = line
            .chars()
            .map(|letter| {
                if letter.is_control() && letter != '\t' {
                    '\u{fffd}'
                } else {
                    letter
                }
            })
            .collect();
        text.extend(["      | ", plain.trim_end(), "\n"]);
    }
    match lines.len().saturating_sub(SHOWN) {
        0 => {}
        1 => text.push_str("      and 1 more line\n"),
        more => text.extend(["      and ", &more.to_string(), " more lines\n"]),
    }
}

fn document(conflict: &Conflict, written: bool) -> Value {
    let lines = &conflict.lines;
    json!({
        "path": conflict.path,
        "line": lines.line,
        "marker": written.then_some(conflict.marker),
        "base": lines.base,
        "yours": lines.yours,
        "new": lines.new,
    })
}

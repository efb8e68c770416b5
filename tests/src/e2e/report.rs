//! What came of the groups.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::groups::Group;
use super::needs::Lack;

/// The tests of a group by what became of them.
#[derive(Debug, Default)]
pub(super) struct Ran {
    pub passed: Vec<String>,
    pub failed: Vec<String>,
    pub not_run: Vec<String>,
    pub seconds: u64,
}

impl Ran {
    pub(super) fn none(tests: Vec<String>) -> Self {
        Self {
            not_run: tests,
            ..Self::default()
        }
    }
}

/// One row a group.
#[derive(Debug, Default)]
pub(super) struct Report {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    group: &'static Group,
    lacks: Vec<Lack>,
    ran: Ran,
    missed: Missed,
}

/// The meaning of tests that were not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missed {
    /// Something that was wanted is missing.
    Counts,
    /// Nobody asked for it, and few machines have what it needs.
    LeftOut,
}

impl Report {
    pub(super) fn add(
        &mut self,
        group: &'static Group,
        lacks: Vec<Lack>,
        ran: Ran,
        missed: Missed,
    ) {
        let row = Row {
            group,
            lacks,
            ran,
            missed,
        };
        self.rows.push(row);
    }

    /// The exit status of the command.
    pub(super) fn status(&self) -> u8 {
        let counts = self.rows.iter().filter(|row| row.missed == Missed::Counts);
        let missed: usize = counts.map(|row| row.ran.not_run.len()).sum();
        match (self.sum(|ran| &ran.failed), missed) {
            (0, 0) => 0,
            (0, _) => 3,
            _ => 1,
        }
    }

    /// A row a group, and why what was not run was not.
    pub(super) fn table(&self) -> String {
        let mut text = row("group", ["passed", "failed", "not run", "seconds"]);
        for Row { group, ran, .. } in &self.rows {
            let counts = [ran.passed.len(), ran.failed.len(), ran.not_run.len()];
            let [passed, failed, not_run] = counts.map(|count| count.to_string());
            let seconds = ran.seconds.to_string();
            text += &row(group.name, [&passed, &failed, &not_run, &seconds]);
        }
        let [passed, failed, not_run, seconds] = [
            self.sum(|ran| &ran.passed),
            self.sum(|ran| &ran.failed),
            self.sum(|ran| &ran.not_run),
            usize::try_from(self.rows.iter().map(|row| row.ran.seconds).sum::<u64>())
                .unwrap_or(usize::MAX),
        ]
        .map(|count| count.to_string());
        text += &row("together", [&passed, &failed, &not_run, &seconds]);
        let failed = self.rows.iter().flat_map(|row| &row.ran.failed);
        for (index, test) in failed.enumerate() {
            text += if index == 0 { "\nFailed:\n" } else { "" };
            let _ = writeln!(text, "  {test}");
        }
        text + &self.lacks("Not run:")
    }

    /// The groups, what they hold, and what they lack.
    pub(super) fn listing(&self) -> String {
        let mut text = "group         tests  here   what they hold\n".to_owned();
        for Row {
            group, lacks, ran, ..
        } in &self.rows
        {
            let tests = ran.not_run.len();
            let here = if lacks.is_empty() { "ready" } else { "lacks" };
            let _ = writeln!(
                text,
                "{:13} {tests:>5}  {here}  {}",
                group.name, group.about
            );
        }
        text + &self.lacks("Lacks:")
    }

    /// Each reason once, with the groups that it keeps from running and what can be done.
    fn lacks(&self, title: &str) -> String {
        let mut text = String::new();
        let all = || self.rows.iter().flat_map(|row| &row.lacks);
        let mut told = BTreeSet::new();
        for lack in all().filter(|lack| told.insert(&lack.reason)) {
            let groups: Vec<&str> = self
                .rows
                .iter()
                .filter(|row| row.lacks.iter().any(|other| other.reason == lack.reason))
                .map(|row| row.group.name)
                .collect();
            if text.is_empty() {
                let _ = writeln!(text, "\n{title}");
            }
            let _ = writeln!(text, "  {}\n    groups: {}", lack.reason, groups.join(", "));
            if let Some(remedy) = lack.remedy.told() {
                let _ = writeln!(text, "    --install: {remedy}");
            }
        }
        text
    }

    /// The same for programs.
    pub(super) fn json(&self) -> String {
        let groups: Vec<Value> = self
            .rows
            .iter()
            .map(
                |Row {
                     group,
                     lacks,
                     ran,
                     missed,
                 }| {
                    let lacks: Vec<&str> = lacks.iter().map(|lack| lack.reason.as_str()).collect();
                    json!({
                        "name": group.name,
                        "about": group.about,
                        "passed": ran.passed,
                        "failed": ran.failed,
                        "not_run": ran.not_run,
                        "lacks": lacks,
                        "left_out": *missed == Missed::LeftOut,
                        "seconds": ran.seconds,
                    })
                },
            )
            .collect();
        let document = json!({
            "passed": self.sum(|ran| &ran.passed),
            "failed": self.sum(|ran| &ran.failed),
            "not_run": self.sum(|ran| &ran.not_run),
            "groups": groups,
        });
        format!("{document:#}\n")
    }

    fn sum(&self, of: impl Fn(&Ran) -> &Vec<String>) -> usize {
        self.rows.iter().map(|row| of(&row.ran).len()).sum()
    }
}

fn row(name: &str, [passed, failed, not_run, seconds]: [&str; 4]) -> String {
    format!("{name:13} {passed:>7} {failed:>7} {not_run:>8} {seconds:>8}\n")
}

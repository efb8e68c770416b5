//! What came of the groups.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::groups::Group;
use super::needs::Lack;

/// The tests of a group by what became of them.
#[derive(Debug, Default)]
pub(super) struct Ran {
    pub passed: usize,
    pub failed: Vec<String>,
    pub not_run: usize,
    pub seconds: u64,
}

/// One row a group.
#[derive(Debug, Default)]
pub(super) struct Report(pub(super) Vec<Row>);

#[derive(Debug)]
pub(super) struct Row {
    pub group: &'static Group,
    pub lacks: Vec<Lack>,
    pub ran: Ran,
    /// Nobody asked for it, and few machines have what it needs.
    pub is_left_out: bool,
}

impl Report {
    /// The exit status of the command.
    pub(super) fn status(&self) -> u8 {
        let failed = self.0.iter().any(|row| !row.ran.failed.is_empty());
        let mut counts = self.0.iter().filter(|row| !row.is_left_out);
        match (failed, counts.any(|row| row.ran.not_run > 0)) {
            (true, _) => 1,
            (false, true) => 3,
            (false, false) => 0,
        }
    }

    /// A row a group, and why what was not run was not.
    pub(super) fn table(&self) -> String {
        let mut text = "group          passed  failed  not run  seconds\n".to_owned();
        for Row { group, ran, .. } in &self.0 {
            let (name, failed) = (group.name, ran.failed.len());
            let (passed, not_run, seconds) = (ran.passed, ran.not_run, ran.seconds);
            let _ = writeln!(
                text,
                "{name:13} {passed:>7} {failed:>7} {not_run:>8} {seconds:>8}"
            );
        }
        for test in self.0.iter().flat_map(|row| &row.ran.failed) {
            let _ = writeln!(text, "failed: {test}");
        }
        text + &self.lacks()
    }

    /// The groups, what they hold, and what they lack.
    pub(super) fn listing(&self) -> String {
        let mut text = "group         tests  here   what they hold\n".to_owned();
        for row in &self.0 {
            let here = if row.lacks.is_empty() {
                "ready"
            } else {
                "lacks"
            };
            let (name, tests, about) = (row.group.name, row.ran.not_run, row.group.about);
            let _ = writeln!(text, "{name:13} {tests:>5}  {here}  {about}");
        }
        text + &self.lacks()
    }

    /// Each reason once, with the groups that it keeps from running and what can be done.
    fn lacks(&self) -> String {
        let mut reasons: BTreeMap<&str, (Vec<&str>, Option<String>)> = BTreeMap::new();
        for Row { group, lacks, .. } in &self.0 {
            for lack in lacks {
                let remedy = || (Vec::new(), lack.remedy.told());
                let (groups, _) = reasons.entry(&lack.reason).or_insert_with(remedy);
                groups.push(group.name);
            }
        }
        let mut text = String::new();
        for (reason, (groups, remedy)) in reasons {
            let _ = writeln!(text, "\n{reason}\n  groups: {}", groups.join(", "));
            if let Some(remedy) = remedy {
                let _ = writeln!(text, "  --install: {remedy}");
            }
        }
        text
    }
}

//! Checks a plugin against the protocol: its file, its messages, its signals and its end.
//!
//! [`Kit::check`] really runs the plugin, at least once a check, in empty folders and without most of the environment. It speaks raw
//! lines over pipes, so that nothing between it and the plugin hides a fault. Every check has a deadline, and every process group that
//! it started has ended when it returns. By itself it sends only requests that do no work: `describe`, `complete`, unknown methods, and
//! `run` with `--help` or `--version`. [`Kit::argv`] names words that do no harm, for the checks that need a real run.
//! A provider pack is asked for its services; one that has them in its manifest or in a folder is read and never run.
//!
//! It proves that a plugin breaks a rule, never that it keeps all of them.
//!
//! ```no_run
//! let report = bot_cli_sdk::conformance::check("target/debug/bot-cli-add".as_ref())?;
//! assert!(report.holds(), "{report}");
//! # Ok::<(), bot_cli_sdk::failure::Failure>(())
//! ```

mod bench;
mod catalogue;
mod checks;
mod dialogue;
mod process;
mod report;
mod start;
mod transcript;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::cancel::Cancel;
use crate::failure::{Exit, Failure};
use crate::pack::Taken;
use crate::protocol::MAX_LINE;
use bench::{Bench, Form, Stop};
use catalogue::{Check, Gate};
pub use report::{Document, Finding, Level, Report, Verdict};

/// The time that a plugin has for a reply or for its end, where the protocol names no time. A plugin that does not keep it has less
/// from then on, so that one that never replies is judged within a minute or two.
const PATIENCE: Duration = Duration::from_secs(10);

/// The least that a plugin has, also for what it leaves behind to end by itself; slow machines need it.
const LEAST_PATIENCE: Duration = Duration::from_secs(2);

/// Variables that a plugin keeps: its language needs them, or its text.
const KEPT: [&str; 8] = [
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "SYSTEMROOT",
];

/// A conformance check of one plugin, to be set up and run.
#[derive(Debug, Clone)]
pub struct Kit {
    program: PathBuf,
    argv: Option<Vec<String>>,
    variables: Vec<(OsString, OsString)>,
    patience: Duration,
    longest_line: usize,
    taken: Taken,
}

/// A check that begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckStart {
    /// The stable name.
    pub id: &'static str,
    /// The place among all checks; the first has 1.
    pub number: usize,
    /// The number of checks.
    pub of: usize,
}

/// Checks the plugin in the file `program` as far as that does no work.
pub fn check(program: &Path) -> Result<Report, Failure> {
    Kit::new(program).check(&Cancel::new())
}

impl Kit {
    /// For the plugin in the file, or the pack in the folder, `program`.
    #[must_use]
    pub fn new(program: &Path) -> Self {
        let kept = |name: &&str| Some((OsString::from(*name), std::env::var_os(name)?));
        Self {
            program: program.to_owned(),
            argv: None,
            variables: KEPT.iter().filter_map(kept).collect(),
            patience: PATIENCE,
            longest_line: MAX_LINE,
            taken: Taken::default(),
        }
    }

    /// Names what the services of a pack can't have, because who uses the pack has it.
    #[must_use]
    pub fn taken(mut self, taken: Taken) -> Self {
        self.taken = taken;
        self
    }

    /// Names the words of a run that does no harm. It is run several times, cancelled, and left alone; its questions are cancelled, or
    /// answered with their defaults, a password with made-up text.
    #[must_use]
    pub fn argv(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.argv = Some(words.into_iter().map(Into::into).collect());
        self
    }

    /// Keeps a variable of the environment, which the plugin would not see otherwise.
    #[must_use]
    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Waits this long for a reply or an end, where the protocol names no time.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sends no line of more bytes than this, instead of the longest that the protocol has: a shell reads it byte by byte, which takes
    /// seconds.
    #[must_use]
    pub fn longest_line(mut self, bytes: usize) -> Self {
        self.longest_line = bytes.clamp(1024, MAX_LINE);
        self
    }

    /// Whether the checks run the plugin. What a provider pack declares in its file or folder is only read.
    #[must_use]
    pub fn starts(&self) -> bool {
        Bench::new(self, &Cancel::new()).form() == Form::Spoken
    }

    /// Makes every check. A failure means that the checks could not be made, or that `cancel` ended them.
    pub fn check(&self, cancel: &Cancel) -> Result<Report, Failure> {
        self.check_each(cancel, |_| {})
    }

    /// Makes every check, and tells `begins` before each which one it is, as the first of so many, the second, and so on.
    pub fn check_each(
        &self,
        cancel: &Cancel,
        mut begins: impl FnMut(CheckStart),
    ) -> Result<Report, Failure> {
        let bench = Bench::new(self, cancel);
        if let Some(problem) = checks::wrong_place(&bench) {
            let message = format!("`--argv` {problem}");
            return Err(Failure::new(Exit::Usage, "invalid_input", message).field(
                "argv",
                Some("--argv"),
                problem,
            ));
        }
        let mut findings = Vec::new();
        let mut shut: Option<&str> = None;
        let checks: Vec<&Check> = catalogue::all(&bench);
        for (index, &check) in checks.iter().enumerate() {
            begins(CheckStart {
                id: check.id,
                number: index + 1,
                of: checks.len(),
            });
            let began = Instant::now();
            let held = match shut {
                Some(reason) if check.gate != Gate::None => Err(Stop::NotRun(reason.to_owned())),
                _ => (check.hold)(&bench),
            };
            if let Err(Stop::Failed(_)) = &held {
                if let Gate::Shuts(reason) = check.gate {
                    shut = Some(reason);
                }
                if began.elapsed() >= bench.patience() {
                    bench.lose_patience();
                }
            }
            findings.push(finding(check, held, &bench)?);
        }
        Ok(Report::new(&self.program, bench.name(), findings))
    }
}

fn finding(check: &Check, held: Result<(), Stop>, bench: &Bench) -> Result<Finding, Failure> {
    let (verdict, reason) = match held {
        Ok(()) => (Verdict::Passed, String::new()),
        Err(Stop::Failed(reason)) => (Verdict::Failed, reason),
        Err(Stop::NotRun(reason)) => (Verdict::NotRun, reason),
        Err(Stop::Ended(failure)) => return Err(*failure),
    };
    Ok(Finding {
        id: check.id,
        level: check.level,
        verdict,
        reason,
        document: check.document,
        rule: check.section,
        mend: check.mend,
        messages: bench.take_messages(),
    })
}

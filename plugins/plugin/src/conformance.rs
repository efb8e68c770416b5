//! Checks a plugin against the protocol: its file, its messages, its signals and its end.
//!
//! [`Kit::check`] really runs the plugin, at least once a check, in empty folders and without most of the environment. It writes raw
//! lines to pipes, so that nothing between it and the plugin hides a fault. Every check has a deadline, and every process group that
//! it started has ended when it returns. By itself it sends only requests that do no work: `describe`, `complete`, unknown methods, and
//! `run` with `--help` or `--version`. [`Kit::argv`] is for the checks that need a real run.
//! A provider pack is read and never run.
//!
//! It proves that a plugin breaks a rule, never that it keeps all of them.
//!
//! ```no_run
//! use bot_cli_plugin::conformance::Kit;
//! use bot_cli_terminal::cancel::Cancel;
//!
//! let kit = Kit::new("target/debug/bot-cli-add".as_ref());
//! let report = kit.check(&Cancel::new(), |check, _, _| eprintln!("{check}"))?;
//! assert!(report.holds(), "{report:#?}");
//! # Ok::<(), bot_cli_protocol::failure::Failure>(())
//! ```

mod bench;
mod checks;
mod dialogue;
mod pack;
mod pattern;
mod report;
mod script;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bot_cli_protocol::MAX_LINE;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_terminal::cancel::Cancel;

use bench::{Bench, Stop, not_run};
pub use report::{Finding, Level, Report, Verdict};

/// The time for a reply or an end, where the protocol names no time.
const PATIENCE: Duration = Duration::from_secs(10);

/// Variables that a plugin keeps, because its language or its text needs them.
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
#[must_use]
pub struct Kit {
    /// The file of the plugin, or the folder of the pack.
    pub program: PathBuf,
    /// The words of a run that does no harm. It is run several times, cancelled, and left alone; its questions are cancelled, or answered
    /// with their defaults, a password with made-up text.
    pub argv: Option<Vec<String>>,
    /// The variables of the environment that the plugin sees.
    pub variables: Vec<(OsString, OsString)>,
    /// The time for a reply or an end, where the protocol names none.
    pub patience: Duration,
    /// The most bytes of a line that is sent. A shell reads the longest one of the protocol byte by byte, which takes seconds.
    pub longest_line: usize,
}

impl Kit {
    /// For the plugin in the file, or the pack in the folder, `program`.
    pub fn new(program: &Path) -> Self {
        let kept = |name: &&str| Some((OsString::from(*name), std::env::var_os(name)?));
        Self {
            program: program.to_owned(),
            argv: None,
            variables: KEPT.iter().filter_map(kept).collect(),
            patience: PATIENCE,
            longest_line: MAX_LINE,
        }
    }

    /// Makes every check, and tells `begins` before each its name, how many were made, and how many there are. A failure means that the
    /// checks could not be made, or that `cancel` ended them.
    pub fn check(
        &self,
        cancel: &Cancel,
        mut begins: impl FnMut(&str, usize, usize),
    ) -> Result<Report, Failure> {
        let bench = Bench::new(self, cancel);
        if let Some(problem) = script::wrong_place(&bench) {
            let message = format!("`--argv` {problem}");
            let failure = Failure::new(Exit::Usage, "invalid_input", message);
            return Err(failure.field("argv", Some("--argv"), problem));
        }
        let files = checks::files(&bench)?;
        let checks = files.iter();
        let checks = checks.flat_map(|file| file.checks.iter().map(move |it| (file, it)));
        let count = checks.clone().count();
        let mut findings = Vec::new();
        let mut shut: Option<&str> = None;
        for (made, (file, check)) in checks.enumerate() {
            begins(&check.id, made, count);
            let began = Instant::now();
            let held = match shut {
                Some(reason) => not_run(reason),
                None => script::hold(&bench, file, check),
            };
            let (verdict, reason) = match held {
                Ok(()) => (Verdict::Passed, String::new()),
                Err(Stop::Failed(reason)) => (Verdict::Failed, reason),
                Err(Stop::NotRun(reason)) => (Verdict::NotRun, reason),
                Err(Stop::Ended(failure)) => return Err(*failure),
            };
            if verdict == Verdict::Failed {
                shut = check.shuts.as_deref();
                bench.grow_impatient(began);
            }
            findings.push(Finding {
                id: check.id.clone(),
                level: check.level,
                verdict,
                reason,
                document: file.document.clone(),
                rule: check.section.clone(),
                mend: check.mend.clone(),
                messages: bench.messages.take(),
            });
        }
        Ok(Report {
            plugin: bench.name(),
            file: self.program.clone(),
            findings,
            effects: pack::effects(&bench),
        })
    }
}

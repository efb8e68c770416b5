//! Checks a plugin against the protocol: its file, messages, signal handling and exit.
//!
//! [`Kit::check`] runs the plugin at least once per check, in new folders and with few environment variables. It writes raw lines to
//! pipes, so that no library between the kit and the plugin hides an error. Every check has a deadline, and leaves none of its process
//! groups running.
//!
//! By default, the kit sends only harmless requests: `describe`, `complete`, unknown methods, and `run` with `--help` or `--version`.
//! Checks that need a real run use [`Kit::argv`]. A provider pack is read, but never run.
//!
//! A report can prove that a plugin breaks a rule, but not that the plugin follows every rule.
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
mod folder;
mod pack;
mod pattern;
mod report;
mod schema;
mod script;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::{MAX_LINE, Manifest};
use bot_cli_templates::pack::Effects;
use bot_cli_terminal::cancel::Cancel;

use bench::{Bench, Stop, not_run};
use checks::Bars;
pub use report::{Finding, Level, Report, Run, Verdict};

/// The default time limit for a reply or an exit.
const PATIENCE: Duration = Duration::from_secs(10);

/// The environment variables that are passed on to a plugin, for its language runtime and its text output.
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

/// A plugin that can be used.
#[derive(Debug)]
pub struct Judged {
    /// The manifest of the plugin.
    pub manifest: Manifest,
    /// The effects of a pack's services.
    pub effects: Effects,
}

/// The settings for a conformance check of one plugin.
#[derive(Debug, Clone)]
#[must_use]
pub struct Kit {
    /// The plugin file or pack folder.
    pub program: PathBuf,
    /// The name under which the plugin was given. For a copy, it is not the name of `program`.
    pub file_name: String,
    /// The arguments for a harmless run. The kit starts several such runs and cancels some of them. The kit cancels questions or answers
    /// them with their defaults. It answers a password question with a made-up password.
    pub argv: Option<Vec<String>>,
    /// The folder whose copy each run works in. Without it, each run works in an empty folder.
    pub cwd: Option<PathBuf>,
    /// The environment variables passed to the plugin.
    pub variables: Vec<(OsString, OsString)>,
    /// The time limit for a reply or an exit if the protocol sets no limit.
    pub patience: Duration,
    /// The maximum length of a line sent to the plugin, in bytes. Lower it for a shell script: shells read one byte at a time, and take
    /// seconds to read a line of the protocol's maximum length.
    pub longest_line: usize,
}

impl Kit {
    /// Creates a kit for the plugin file or pack folder `program`.
    pub fn new(program: &Path) -> Self {
        let kept = |name: &&str| Some((OsString::from(*name), std::env::var_os(name)?));
        Self {
            program: program.to_owned(),
            file_name: file_name(program),
            argv: None,
            cwd: None,
            variables: KEPT.iter().filter_map(kept).collect(),
            patience: PATIENCE,
            longest_line: MAX_LINE,
        }
    }

    /// Runs the checks that a plugin must pass before it can be added, and starts nothing. Fails with the first rule that the plugin breaks.
    pub fn judge(&self) -> Result<Judged, Failure> {
        let cancel = Cancel::new();
        let bench = Bench::new(self, &cancel);
        for file in &checks::files(&bench)? {
            for check in &file.checks {
                let bars = match check.bars {
                    None => false,
                    Some(Bars::Always) => true,
                    Some(Bars::WithoutServices) => !pack::brings_services(&bench),
                };
                if bars && let Err(Stop::Failed(reason)) = script::hold(&bench, file, check) {
                    let failure = Failure::new(Exit::Failed, &check.id, reason);
                    return Err(failure.hint(&*check.mend));
                }
            }
        }
        let effects = pack::effects(&bench);
        let unread = |reason| Failure::new(Exit::Failed, "no_manifest", reason);
        let manifest = bench.manifest.map_err(unread)?;
        Ok(Judged { manifest, effects })
    }

    /// Runs every check. Before each check, calls `begins` with the check's name, the number of finished checks, and the total number of
    /// checks.
    ///
    /// Fails if the checks can't be run, or if `cancel` is triggered.
    pub fn check(
        &self,
        cancel: &Cancel,
        mut begins: impl FnMut(&str, usize, usize),
    ) -> Result<Report, Failure> {
        let mut bench = Bench::new(self, cancel);
        bench.copy_folder()?;
        let bench = bench;
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
            run: bench.ran.borrow().as_ref().map(Run::of),
        })
    }
}

/// Returns the last part of a path, or an empty text if the path has none.
pub fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

//! `plugin check`: a plugin is held against the protocol.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use bot_cli_sdk::cancel::Cancel;
use bot_cli_sdk::conformance::{Finding, Kit, Level, Report, Verdict};
use bot_cli_sdk::discovery::PluginName;
use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::outcome::{Outcome, Reply};
use bot_cli_sdk::terminal::{Terminal, one_line, table};
use bot_cli_sdk::ui::{Level as Loud, Ui};
use serde_json::{Value, json};

use crate::arguments::{CheckArguments, Show};
use crate::environment::Environment;
use crate::roles;

/// The file or folder that `plugin` means: a path, or the name of a plugin.
pub fn file(
    plugin: &OsStr,
    named: impl FnOnce(&str) -> Result<PathBuf, Failure>,
) -> Result<PathBuf, Failure> {
    let path = Path::new(plugin);
    let name = plugin
        .to_str()
        .filter(|name| PluginName::parse(name).is_some());
    match name {
        Some(name) => match named(name) {
            Ok(file) => Ok(file),
            Err(_) if path.exists() => Ok(path.to_owned()),
            Err(failure) => Err(failure),
        },
        None => Ok(path.to_owned()),
    }
}

/// Checks the plugin in `file`.
pub fn check(
    file: &Path,
    arguments: &CheckArguments,
    terminal: &Terminal,
    environment: &Environment,
) -> Outcome {
    let report = kit(file, arguments, environment).and_then(|kit| {
        let cancel = Cancel::on_signals()?;
        let mut ui = terminal.clone().watching(&cancel);
        let file = file.display();
        let what = match &arguments.argv {
            _ if !kit.starts() => format!("reading `{file}`, without running anything"),
            None => format!("running `{file}` with requests that ask for no work"),
            Some(_) => format!("running `{file}` with the words of `--argv`, among others"),
        };
        ui.log(Loud::Note, &what);
        let report = kit.check_each(&cancel, |step| {
            let (made, of) = (step.number - 1, step.of);
            ui.progress(step.id, u64::try_from(made).ok(), u64::try_from(of).ok());
        });
        ui.clear_progress();
        report
    });
    match report {
        Ok(report) => {
            let status = if report.holds() {
                0
            } else {
                Exit::Failed.status()
            };
            Outcome::new(Ok(reply(&report, arguments.show))).with_status(status)
        }
        Err(failure) => Outcome::new(Err(failure)),
    }
}

fn kit(file: &Path, arguments: &CheckArguments, environment: &Environment) -> Result<Kit, Failure> {
    let mut kit = Kit::new(file).taken(roles::taken(environment));
    for name in &arguments.env {
        if let Some(value) = env::var_os(name) {
            kit = kit.variable(name, value);
        }
    }
    let Some(words) = &arguments.argv else {
        return Ok(kit);
    };
    match shlex::split(words) {
        Some(words) => Ok(kit.argv(words)),
        None => Err(Failure::new(
            Exit::Usage,
            "invalid_input",
            "a quotation mark in `--argv` is not closed",
        )
        .field("argv", Some("--argv"), "a quotation mark is not closed")),
    }
}

fn reply(report: &Report, show: Option<Show>) -> Reply {
    let checks: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| entry(finding, show))
        .collect();
    Reply::text(text(report, show)).data(json!({
        "plugin": report.plugin,
        "file": report.file.to_string_lossy(),
        "checks": checks,
    }))
}

fn entry(finding: &Finding, show: Option<Show>) -> Value {
    let mut entry = json!(finding);
    if is_shown(finding, show) {
        entry["messages"] = json!(finding.messages);
    }
    entry
}

fn is_shown(finding: &Finding, show: Option<Show>) -> bool {
    match show {
        None => false,
        Some(Show::Failed) => finding.verdict == Verdict::Failed,
        Some(Show::All) => finding.verdict != Verdict::NotRun,
    }
}

fn text(report: &Report, show: Option<Show>) -> String {
    let mut rows = vec![["CHECK", "LEVEL", "VERDICT"].map(str::to_owned).to_vec()];
    let mut details = String::new();
    for finding in &report.findings {
        rows.push(vec![
            finding.id.to_owned(),
            finding.level.to_string(),
            finding.verdict.to_string(),
        ]);
        details.push_str(&detail(finding, show));
    }
    format!("{}\n{details}{}\n", table(&rows), sum(report))
}

/// The reason, the mend and the messages of a finding that has any.
fn detail(finding: &Finding, show: Option<Show>) -> String {
    let messages = if is_shown(finding, show) {
        finding.messages.as_slice()
    } else {
        &[]
    };
    if finding.verdict != Verdict::Failed && messages.is_empty() {
        return String::new();
    }
    let mut text = finding.id.to_owned();
    if finding.verdict == Verdict::Failed {
        let rule = finding.rule.replace('`', "");
        let document = finding.document.to_string();
        text.extend([
            ": ",
            &one_line(&finding.reason),
            "\n  rule: section \"",
            &rule,
        ]);
        text.extend(["\" of ", &document, "\n  hint: ", finding.mend]);
    }
    for message in messages {
        text.extend(["\n  ", &one_line(message)]);
    }
    text + "\n\n"
}

/// Returns how many checks came out how, and why some were not made.
fn sum(report: &Report) -> String {
    let must = report
        .failed()
        .filter(|finding| finding.level == Level::Must);
    let must = must.count();
    let failed = match report.count(Verdict::Failed) {
        0 => "0 failed".to_owned(),
        failed => format!("{failed} failed ({must} must, {} should)", failed - must),
    };
    let mut sum = format!(
        "{}: {} passed, {failed}, {} not run",
        one_line(&report.plugin),
        report.count(Verdict::Passed),
        report.count(Verdict::NotRun)
    );
    let mut reasons: Vec<&str> = Vec::new();
    for finding in &report.findings {
        if finding.verdict == Verdict::NotRun && !reasons.contains(&finding.reason.as_str()) {
            reasons.push(&finding.reason);
        }
    }
    for reason in reasons {
        sum.extend(["\n  not run: ", &one_line(reason)]);
    }
    sum
}

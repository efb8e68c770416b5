//! `plugin check`: a plugin is held against the protocol.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::conformance::{Finding, Kit, Level, Report, Verdict};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Reply;
use bot_cli_sdk::session::{Level as Loud, Session};
use bot_cli_terminal::{one_line, table};
use serde_json::{Value, json};

use crate::info;
use crate::options::{Check, Show};
use crate::roles;
use bot_cli_engine::discovery::{Discovery, PluginName};

/// Checks the plugin that `options` name.
pub fn check(
    options: &Check,
    discovery: &Discovery,
    session: &mut Session,
) -> Result<Reply, Failure> {
    let file = file(&options.plugin, discovery)?;
    let kit = kit(&file, options, discovery)?;
    let shown = file.display();
    let what = match &options.argv {
        _ if !kit.starts() => format!("reading `{shown}`, without running anything"),
        None => format!("running `{shown}` with requests that ask for no work"),
        Some(_) => format!("running `{shown}` with the words of `--argv`, among others"),
    };
    session.log(Loud::Note, &what);
    // What was started is ended.
    let guard = session.guard();
    let cancel = session.cancel().clone();
    let report = kit.check_each(&cancel, |id, made, of| {
        session.progress(id, u64::try_from(made).ok(), u64::try_from(of).ok());
    })?;
    drop(guard);
    if !report.holds() {
        session.exit_with(Exit::Failed.status());
    }
    Ok(reply(&report, options.show))
}

/// The file or folder that `plugin` means: a path, or the name of a plugin.
fn file(plugin: &OsStr, discovery: &Discovery) -> Result<PathBuf, Failure> {
    let path = Path::new(plugin);
    let name = plugin.to_str();
    let Some((name, parsed)) = name.and_then(|name| Some((name, PluginName::parse(name)?))) else {
        return Ok(path.to_owned());
    };
    let found = discovery.by_name(&parsed);
    if let Some(plugin) = found.plugin {
        return Ok(plugin.file);
    }
    if let Some(pack) = roles::folder(name, discovery) {
        return Ok(pack.place);
    }
    match found.refused.first() {
        _ if path.exists() => Ok(path.to_owned()),
        Some((file, unusable)) => {
            let mut failure = unusable.failure(file);
            failure.exit = Exit::Failed;
            Err(failure)
        }
        None => Err(info::unknown(name, discovery)),
    }
}

fn kit(file: &Path, options: &Check, discovery: &Discovery) -> Result<Kit, Failure> {
    let mut kit = Kit::new(file).taken(roles::taken(discovery));
    for name in &options.env {
        if let Some(value) = env::var_os(name) {
            kit = kit.variable(name, value);
        }
    }
    if let Some(seconds) = options.timeout {
        kit = kit.patience(Duration::from_secs(seconds));
    }
    let Some(words) = &options.argv else {
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
        "effects": report.effects,
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
    let mut told: Vec<&str> = Vec::new();
    for finding in &report.findings {
        rows.push(vec![
            finding.id.clone(),
            finding.level.to_string(),
            finding.verdict.to_string(),
        ]);
        // A crash is the reason of many.
        if finding.verdict != Verdict::Failed || show.is_some() {
            details.push_str(&detail(finding, show, &[]));
        } else if !told.contains(&finding.reason.as_str()) {
            told.push(&finding.reason);
            let same = report.failed().filter(|it| it.reason == finding.reason);
            let same: Vec<&str> = same.map(|it| it.id.as_str()).collect();
            details.push_str(&detail(finding, show, &same[1..]));
        }
    }
    let effects = table(&roles::effect_rows(&report.effects, "  "));
    let hidden = report.failed().any(|finding| !finding.messages.is_empty());
    let hint = match show {
        None if hidden => {
            "\n  hint: `--show` prints the messages, and what the plugin wrote to standard error"
        }
        None | Some(_) => "",
    };
    let sum = sum(report);
    format!("{}\n{details}{sum}{hint}\n{effects}", table(&rows))
}

/// The reason, the mend and the messages of a finding that has any, and the other checks that failed for the same reason.
fn detail(finding: &Finding, show: Option<Show>, same: &[&str]) -> String {
    let messages = if is_shown(finding, show) {
        finding.messages.as_slice()
    } else {
        &[]
    };
    if finding.verdict != Verdict::Failed && messages.is_empty() {
        return String::new();
    }
    let mut text = finding.id.clone();
    if finding.verdict == Verdict::Failed {
        let rule = finding.rule.replace('`', "");
        text.extend([
            ": ",
            &one_line(&finding.reason),
            "\n  rule: section \"",
            &rule,
        ]);
        text.extend(["\" of ", &finding.document, "\n  hint: ", &finding.mend]);
    }
    if !same.is_empty() {
        text.extend(["\n  the same: ", &same.join(", ")]);
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

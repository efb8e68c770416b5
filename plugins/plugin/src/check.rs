//! `plugin check`: compares a plugin with the protocol and the rules of its role.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bot_cli_engine::discovery::{Discovery, PluginName};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Reply;
use bot_cli_sdk::session::{Level as Loud, Session};
use bot_cli_terminal::{one_line, table};
use serde_json::{Value, json};

use crate::conformance::{Finding, Kit, Level, Report, Verdict};
use crate::inventory::{self, Row, effect_rows};
use crate::options::Check;

/// Checks the plugin that `options` name.
pub fn check(
    options: &Check,
    discovery: &Discovery,
    session: &mut Session,
) -> Result<Reply, Failure> {
    let file = file(&options.plugin, discovery)?;
    let kit = kit(&file, options)?;
    let shown = file.display();
    let what = match &options.argv {
        _ if !kit.starts() => format!("reading `{shown}`, without running anything"),
        None => format!("running `{shown}` with requests that ask for no work"),
        Some(_) => format!("running `{shown}` with the words of `--argv`, among others"),
    };
    session.log(Loud::Note, &what);
    // Started processes are ended.
    let guard = session.guard();
    let cancel = session.cancel().clone();
    let report = kit.check_each(&cancel, |id, made, of| {
        session.progress(id, u64::try_from(made).ok(), u64::try_from(of).ok());
    })?;
    drop(guard);
    if !report.holds() {
        session.exit_with(Exit::Failed.status());
    }
    let entries = report.findings.iter().map(|finding| {
        let mut entry = json!(finding);
        if options.show && finding.verdict == Verdict::Failed {
            entry["messages"] = json!(finding.messages);
        }
        entry
    });
    let data = json!({
        "plugin": report.plugin,
        "file": report.file.to_string_lossy(),
        "checks": entries.collect::<Vec<Value>>(),
        "effects": report.effects,
    });
    Ok(Reply::text(text(&report, options.show)).data(data))
}

/// The file or folder that `plugin` means: a path, or the name of a plugin.
fn file(plugin: &OsStr, discovery: &Discovery) -> Result<PathBuf, Failure> {
    let path = Path::new(plugin);
    let Some(name) = plugin.to_str().and_then(PluginName::parse) else {
        return Ok(path.to_owned());
    };
    let found = discovery.by_name(&name);
    if let Some(plugin) = found.plugin {
        return Ok(plugin.file);
    }
    let rows = inventory::rows(discovery);
    let called = |row: &&Row| row.name() == name.as_str() && row.manifest.is_some();
    if let Some(pack) = rows.iter().find(called) {
        return Ok(pack.place().to_owned());
    }
    match found.refused.first() {
        _ if path.exists() => Ok(path.to_owned()),
        Some((file, unusable)) => {
            let mut failure = unusable.failure(file);
            failure.exit = Exit::Failed;
            Err(failure)
        }
        None => Err(inventory::unknown(
            name.as_str(),
            rows.iter().map(Row::name),
        )),
    }
}

fn kit(file: &Path, options: &Check) -> Result<Kit, Failure> {
    let mut kit = Kit::new(file);
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
    let problem = "a quotation mark is not closed";
    let words = shlex::split(words).ok_or_else(|| {
        let message = format!("`--argv`: {problem}");
        let failure = Failure::new(Exit::Usage, "invalid_input", message);
        failure.field("argv", Some("--argv"), problem)
    })?;
    Ok(kit.argv(words))
}

fn text(report: &Report, show: bool) -> String {
    let mut rows = vec![["CHECK", "LEVEL", "VERDICT"].map(str::to_owned).to_vec()];
    for finding in &report.findings {
        let words = [json!(finding.level), json!(finding.verdict)];
        let [level, verdict] = words.map(|it| it.as_str().unwrap_or_default().replace('_', " "));
        rows.push(vec![finding.id.clone(), level, verdict]);
    }
    let mut text = table(&rows) + "\n";
    let mut told: Vec<&str> = Vec::new();
    for finding in report.failed() {
        // A crash is the reason of many.
        if !told.contains(&&*finding.reason) {
            told.push(&finding.reason);
            text.push_str(&detail(finding, report, show));
        }
    }
    text.push_str(&sum(report));
    if !show && report.failed().any(|finding| !finding.messages.is_empty()) {
        text.push_str(
            "\n  hint: `--show` prints the messages, and what the plugin wrote to standard error",
        );
    }
    text + "\n" + &table(&effect_rows(&report.effects, "  "))
}

/// The reason, the rule, the mend and the messages of a failed check, and the checks that failed for the same reason.
fn detail(finding: &Finding, report: &Report, show: bool) -> String {
    let mut text = format!(
        "{}: {}\n  rule: section \"{}\" of {}\n  hint: {}\n",
        finding.id,
        one_line(&finding.reason),
        finding.rule.replace('`', ""),
        finding.document,
        finding.mend
    );
    let same = report.failed().filter(|it| it.reason == finding.reason);
    let same: Vec<&str> = same
        .map(|it| &*it.id)
        .filter(|id| *id != finding.id)
        .collect();
    if !same.is_empty() {
        text.extend(["  the same: ", &same.join(", "), "\n"]);
    }
    for message in finding.messages.iter().filter(|_| show) {
        text.extend(["  ", &one_line(message), "\n"]);
    }
    text + "\n"
}

/// Returns the number of checks by verdict, and why some were not run.
fn sum(report: &Report) -> String {
    let count = |verdict: Verdict| {
        let findings = report.findings.iter();
        findings.filter(|it| it.verdict == verdict).count()
    };
    let failed = count(Verdict::Failed);
    let must = report.failed().filter(|it| it.level == Level::Must).count();
    let mut sum = format!(
        "{}: {} passed, {failed} failed ({must} must, {} should), {} not run",
        one_line(&report.plugin),
        count(Verdict::Passed),
        failed - must,
        count(Verdict::NotRun)
    );
    let mut reasons: Vec<&str> = Vec::new();
    for finding in &report.findings {
        if finding.verdict == Verdict::NotRun && !reasons.contains(&&*finding.reason) {
            reasons.push(&finding.reason);
            sum.extend(["\n  not run: ", &one_line(&finding.reason)]);
        }
    }
    sum
}

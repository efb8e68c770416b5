//! `plugin check`: checks a plugin against the protocol and the rules for its role.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use std::{env, fs};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Reply;
use bot_cli_sdk::session::Session;
use bot_cli_terminal::{one_line, table};
use serde_json::json;

use crate::conformance::{Finding, Kit, Level, Report, Run, Verdict};
use crate::inventory::effect_rows;
use crate::options::Check;

pub fn check(options: &Check, session: &Session) -> Result<Reply, Failure> {
    let file = session.cwd().join(&options.plugin);
    if let Err(error) = fs::metadata(&file) {
        let could_not = format!("could not open `{}`", file.display());
        let failure = Failure::because(Exit::Usage, "not_found", could_not, error);
        return Err(failure.hint("`bot-cli plugin list` shows the files of installed plugins"));
    }
    let mut kit = kit(&file, options)?;
    kit.cwd = options.cwd.as_ref().map(|cwd| session.cwd().join(cwd));
    // The guard ensures that started processes are ended.
    let guard = session.guard();
    let cancel = session.cancel().clone();
    let mut report = kit.check(&cancel, |id, made, of| {
        session.progress(id, u64::try_from(made).ok(), u64::try_from(of).ok());
    })?;
    drop(guard);
    if !report.holds() {
        session.exit_with(Exit::Failed.status());
    }
    let hides = !options.show && report.failed().any(|it| !it.messages.is_empty());
    for finding in &mut report.findings {
        if !options.show || finding.verdict != Verdict::Failed {
            finding.messages.clear();
        }
    }
    let data = json!({
        "plugin": report.plugin,
        "file": report.file.to_string_lossy(),
        "run": report.run,
        "checks": report.findings,
        "effects": report.effects,
    });
    Ok(Reply::text(text(&report, hides)).data(data))
}

fn kit(file: &Path, options: &Check) -> Result<Kit, Failure> {
    let mut kit = Kit::new(file);
    let variables = options.env.iter();
    kit.variables
        .extend(variables.filter_map(|name| Some((name.clone(), env::var_os(name)?))));
    if let Some(seconds) = options.timeout {
        kit.patience = Duration::from_secs(seconds);
    }
    if let Some(words) = &options.argv {
        let problem = "a quotation mark is not closed";
        let words = shlex::split(words).ok_or_else(|| {
            let message = format!("`--argv`: {problem}");
            let failure = Failure::new(Exit::Usage, "invalid_input", message);
            failure.field("argv", Some("--argv"), problem)
        })?;
        kit.argv = Some(words);
    }
    Ok(kit)
}

fn text(report: &Report, hides: bool) -> String {
    let mut rows = vec![["CHECK", "LEVEL", "VERDICT"].map(str::to_owned).to_vec()];
    for finding in &report.findings {
        let words = [json!(finding.level), json!(finding.verdict)];
        let [level, verdict] = words.map(|it| it.as_str().unwrap_or_default().replace('_', " "));
        rows.push(vec![finding.id.clone(), level, verdict]);
    }
    let mut text = table(&rows) + "\n";
    let mut told: Vec<&str> = Vec::new();
    for finding in report.failed() {
        // A crash is often the reason for several failures.
        if !told.contains(&&*finding.reason) {
            told.push(&finding.reason);
            text.push_str(&detail(finding, report));
        }
    }
    text.push_str(&sum(report));
    if let Some(run) = &report.run {
        text.push_str(&ended(run));
    }
    if hides {
        text.push_str(
            "\n  hint: `--show` prints the messages, and what the plugin wrote to standard error",
        );
    }
    text + "\n" + &table(&effect_rows(&report.effects, "  "))
}

/// Describes a failed check: its reason, rule, hint and messages, and the checks that failed for the same reason.
fn detail(finding: &Finding, report: &Report) -> String {
    let (id, mend, document) = (&finding.id, &finding.mend, &finding.document);
    let (reason, section) = (one_line(&finding.reason), finding.rule.replace('`', ""));
    let mut text =
        format!("{id}: {reason}\n  rule: section \"{section}\" of {document}\n  hint: {mend}\n");
    let same = report.failed().filter(|it| it.reason == finding.reason);
    let same: Vec<&str> = same.map(|it| &*it.id).filter(|it| it != id).collect();
    if !same.is_empty() {
        text.extend(["  the same: ", &same.join(", "), "\n"]);
    }
    for message in &finding.messages {
        text.extend(["  ", &one_line(message), "\n"]);
    }
    text + "\n"
}

fn ended(run: &Run) -> String {
    let (exit, message) = (run.exit, run.message.as_deref());
    let message = message.map_or_else(String::new, |it| format!(": {}", one_line(it)));
    let hint = match exit {
        0 => "",
        130 => {
            "\n  hint: a question without a default was cancelled; words that answer it let the result be checked, too"
        }
        _ => {
            "\n  hint: for a run that does its work, name its folder with `--cwd DIR`, a variable with `--env`, or other words"
        }
    };
    format!("\nthe run of `--argv` ended with exit status {exit}{message}{hint}")
}

fn sum(report: &Report) -> String {
    let with = |verdict: Verdict| {
        report
            .findings
            .iter()
            .filter(move |it| it.verdict == verdict)
    };
    let failed = with(Verdict::Failed).count();
    let must = report.failed().filter(|it| it.level == Level::Must).count();
    let mut sum = format!(
        "{}: {} passed, {failed} failed ({must} must, {} should), {} not run",
        one_line(&report.plugin),
        with(Verdict::Passed).count(),
        failed - must,
        with(Verdict::NotRun).count()
    );
    let reasons: BTreeSet<String> = with(Verdict::NotRun)
        .map(|it| one_line(&it.reason))
        .collect();
    for reason in reasons {
        sum.extend(["\n  not run: ", &reason]);
    }
    sum
}

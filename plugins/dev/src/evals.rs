//! Chooses the scenarios of an evaluation, and reads their outcomes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_templates::project::{RECORD, update_command};
use serde_json::{Value, json};

use crate::project::{Project, shown_from};

/// The programs that talk to the bot. The bot's address and what they need follow as arguments. They print each outcome as a line of JSON
/// behind [`MARK`].
pub const RUN: &str = include_str!("evals.py");
pub const SAY: &str = include_str!("say.py");
const MARK: char = '\u{1e}';

/// The folder of the scenarios, in the bot's.
const EVALS: &str = "evals";

/// Returns the scenario files and folders as the bot's folder names them. Each of `given` is relative to the user's folder or to the bot's.
pub fn find(project: &Project, cwd: &Path, given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let bot = &project.server;
    let failure = |message| Failure::new(Exit::Usage, "no_evals", message);
    check_transport(project, cwd)?;
    let usual = [PathBuf::from(EVALS)];
    let is_usual = given.is_empty();
    let given = if is_usual { &usual } else { given };
    let paths = given.iter().map(|path| {
        let shown = path.display();
        let hint = format!("they are in {}", shown_from(cwd, &bot.join(EVALS)));
        let folders = if is_usual {
            [bot.as_path(); 2]
        } else {
            [cwd, bot]
        };
        let mut places = folders.map(|folder| folder.join(path)).into_iter();
        let Some(found) = places.find(|place| place.exists()) else {
            let message = format!("there is no file or folder `{shown}` with scenarios");
            return Err(failure(message).hint(hint));
        };
        if found.join(RECORD).exists() {
            let message = format!("`{shown}` is a project, not a file or folder with scenarios");
            let line = format!("bot-cli dev {} --eval", shown_from(cwd, path));
            return Err(failure(message).hint(format!("run its scenarios: {line}")));
        }
        if found.is_dir() && !has_scenarios(&found) {
            let message = format!("there are no scenarios in `{shown}`");
            return Err(failure(message).hint(hint));
        }
        Ok(found.strip_prefix(bot).map(Path::to_owned).unwrap_or(found))
    });
    paths.collect()
}

/// Fails if the bot has no transport for programs that talk to it.
pub fn check_transport(project: &Project, cwd: &Path) -> Result<(), Failure> {
    let bot = fs::read_to_string(project.server.join("bot.py")).unwrap_or_default();
    if bot.contains("EvalTransportParams") {
        return Ok(());
    }
    let add = update_command(&project.root, cwd, " --eval");
    let message = "the bot has no `eval` transport";
    Err(Failure::new(Exit::Usage, "no_evals", message).hint(format!("add it: {add}")))
}

fn has_scenarios(folder: &Path) -> bool {
    let mut files = folder.read_dir().into_iter().flatten().flatten();
    files.any(|file| {
        let path = file.path();
        path.extension()
            .is_some_and(|it| it == "yaml" || it == "yml")
    })
}

/// The outcomes of scenarios, or the conversation that was typed.
#[derive(Default)]
pub struct Outcomes(Vec<Value>);

impl Outcomes {
    /// Reads a line of output. Returns the lines to show instead, or `None` if the line is no outcome.
    pub fn read(&mut self, line: &str) -> Option<Vec<String>> {
        let outcome: Value = serde_json::from_str(line.strip_prefix(MARK)?).ok()?;
        let text = |key: &str| outcome[key].as_str();
        let mut lines = Vec::new();
        if let (Some(name), Some(status @ ("passed" | "failed"))) = (text("name"), text("status")) {
            lines.push(format!("{status} {name}"));
            let missing = outcome["missing"].as_array().into_iter().flatten();
            lines.extend(
                missing
                    .filter_map(Value::as_str)
                    .map(|it| format!("  {it}")),
            );
            if status == "failed" {
                for (label, key) in [
                    ("the bot said: ", "said"),
                    ("needs ", "needs"),
                    ("log: ", "log"),
                ] {
                    lines.extend(text(key).map(|it| format!("  {label}{it}")));
                }
            }
        }
        self.0.push(outcome);
        Some(lines)
    }

    /// Returns the lines that conclude an evaluation, and the document that `--json` prints.
    pub fn conclude(&self) -> (Vec<String>, Value) {
        let mut not_run: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut ran = Vec::new();
        for outcome in &self.0 {
            match (outcome["status"].as_str(), outcome["needs"].as_str()) {
                (None, _) => return (Vec::new(), outcome.clone()),
                (Some("not_run"), Some(needs)) => {
                    let names = not_run.entry(needs).or_default();
                    names.extend(outcome["name"].as_str());
                }
                _ => ran.push(outcome),
            }
        }
        if self.0.is_empty() {
            return (Vec::new(), json!({}));
        }
        let count = |status| ran.iter().filter(|it| it["status"] == status).count();
        let (passed, failed) = (count("passed"), count("failed"));
        let left: usize = not_run.values().map(Vec::len).sum();
        let mut lines: Vec<String> = not_run
            .iter()
            .map(|(needs, names)| format!("not run: {} (needs {needs})", names.join(", ")))
            .collect();
        lines.push(format!("{passed} passed, {failed} failed, {left} not run"));
        let document =
            json!({ "passed": passed, "failed": failed, "scenarios": ran, "not_run": not_run });
        (lines, document)
    }
}

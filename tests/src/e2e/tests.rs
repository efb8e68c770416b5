//! The test executable of `tests/e2e`: built, asked for its tests, and run.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::groups::Group;
use super::report::Ran;
use super::say;
use crate::nested_cargo::nested_cargo;

/// The test executable, and the names of its tests.
#[derive(Debug)]
pub(super) struct TestExecutable {
    file: PathBuf,
    tests: Vec<String>,
}

impl TestExecutable {
    /// Has cargo build it.
    pub(super) fn build() -> Result<Self, String> {
        let mut command = nested_cargo();
        let output = command
            .args(["test", "--package=bot-cli-tests", "--test=e2e", "--no-run"])
            .arg("--message-format=json-render-diagnostics")
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("could not run cargo: {error}"))?;
        let file = output
            .stdout
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
            .filter(|message| {
                message["target"]["name"] == "e2e" && message["profile"]["test"] == true
            })
            .find_map(|message| message["executable"].as_str().map(PathBuf::from))
            .filter(|_| output.status.success())
            .ok_or("the tests could not be built")?;
        let listed = Command::new(&file)
            .args(["--list", "--format=terse"])
            .output()
            .map_err(|error| format!("could not run `{}`: {error}", file.display()))?;
        let tests = String::from_utf8_lossy(&listed.stdout)
            .lines()
            .filter_map(|line| line.strip_suffix(": test").map(str::to_owned))
            .collect();
        Ok(Self { file, tests })
    }

    /// The tests of a group.
    pub(super) fn of(&self, group: &Group) -> Vec<String> {
        let is_in = |test: &&String| module(test) == group.name;
        self.tests.iter().filter(is_in).cloned().collect()
    }

    /// The tests of no group.
    pub(super) fn outside_of(&self, groups: &[Group]) -> Vec<String> {
        let is_in = |test: &str| groups.iter().any(|group| module(test) == group.name);
        self.tests
            .iter()
            .filter(|test| !is_in(test))
            .cloned()
            .collect()
    }

    /// Runs these tests and shows each as it ends. A test of which nothing was heard has failed.
    pub(super) fn run(&self, tests: &[String], at_once: Option<usize>) -> Result<Ran, String> {
        let problem = |error| format!("could not run `{}`: {error}", self.file.display());
        let begun = Instant::now();
        let mut child = Command::new(&self.file)
            .args(["--exact", "--color=never"])
            .args(at_once.map(|count| format!("--test-threads={count}")))
            .args(tests)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(problem)?;
        let mut waiting: BTreeSet<&str> = tests.iter().map(String::as_str).collect();
        let mut ran = Ran::default();
        let lines = child.stdout.take().map(BufReader::new);
        for line in lines.into_iter().flat_map(BufRead::lines) {
            let line = line.map_err(problem)?;
            let Some((name, how)) = ended(&line).filter(|(name, _)| waiting.contains(name)) else {
                if !is_noise(&line) {
                    say(&line);
                }
                continue;
            };
            waiting.remove(name);
            if how == "ok" {
                ran.passed += 1;
            } else {
                ran.failed.push(name.to_owned());
            }
            let (done, all) = (tests.len() - waiting.len(), tests.len());
            let seconds = begun.elapsed().as_secs();
            let within = name.split_once("::").map_or(name, |(_, rest)| rest);
            say(&format!("  {done}/{all}  {how} {seconds:>4} s  {within}"));
        }
        child.wait().map_err(problem)?;
        for name in waiting {
            say(&format!("  ended without a result: {name}"));
            ran.failed.push(name.to_owned());
        }
        ran.seconds = begun.elapsed().as_secs();
        Ok(ran)
    }
}

/// The test of a line that tells its end, and how it ended.
fn ended(line: &str) -> Option<(&str, &str)> {
    let (name, how) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    Some((name, how))
}

/// Returns what the harness says beside the tests' ends.
fn is_noise(line: &str) -> bool {
    line.is_empty() || line.starts_with("running ") || line.starts_with("test result: ")
}

fn module(test: &str) -> &str {
    test.split("::").next().unwrap_or(test)
}

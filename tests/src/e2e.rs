//! The `cargo e2e` command, which runs the tests that need more than Rust. Groups whose requirements this machine doesn't meet are counted
//! as not run.
//!
//! Each group is a module of `tests/e2e`. The requirements of a group are checked before it runs, and installed only on request.

mod needs;

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::iter;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use clap::Parser;
use clap::builder::PossibleValuesParser;
use serde::Deserialize;

use crate::nested_cargo::{built, nested_cargo};
use needs::Need;

/// Run the tests that need more than Rust: interpreters, browsers, keyrings, root
///
/// Each group needs something else. Where this machine lacks it, the group is
/// counted as not run, and what is missing is named. Nothing is installed without
/// --install.
#[derive(Debug, Parser)]
#[command(
    name = "cargo e2e",
    bin_name = "cargo e2e",
    verbatim_doc_comment,
    after_help = "\
Exit status:
  0    every test ran and passed; `kubernetes` and `windows` run only if named
  1    a test failed, or the tests could not be built
  2    usage
  3    every test that ran passed, and some were not run

Examples:
  cargo e2e --list                   show the groups and what they lack
  cargo e2e                          run what this machine can
  cargo e2e keyring disks            run two groups
  cargo e2e --install                install what is missing, run all groups
  cargo e2e --install framework      the same for one group
  cargo e2e --install --list         install what is missing, run nothing"
)]
struct Arguments {
    /// Groups to run [default: all]
    #[arg(value_name = "GROUP", hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(TABLE.group.iter().map(|it| it.name.as_str())))]
    groups: Vec<String>,

    /// Install what is missing: under target/, and as root with apt-get
    #[arg(long)]
    install: bool,

    /// Show the groups and what they lack; run nothing
    #[arg(long)]
    list: bool,
}

/// The contents of `tests/e2e/groups.toml`.
#[derive(Debug, Deserialize)]
struct Table {
    group: Vec<Group>,
    need: BTreeMap<String, Need>,
}

/// A group of tests with the same requirements.
#[derive(Debug, Deserialize)]
struct Group {
    name: String,
    about: String,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    on_request: bool,
    #[serde(default)]
    alone: bool,
    at_once: Option<usize>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "the file is compiled in")]
    toml::from_str(include_str!("../tests/e2e/groups.toml")).expect("groups.toml")
});

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    NotRun,
}

/// Runs the command with the arguments of this process.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let is_chosen = |group: &&Group| match &arguments.groups[..] {
        [] => !group.on_request || arguments.list && !arguments.install,
        named => named.contains(&group.name),
    };
    let chosen: Vec<&Group> = TABLE.group.iter().filter(is_chosen).collect();
    if arguments.install {
        needs::install(&chosen);
    }
    if arguments.list {
        list(&chosen);
        return ExitCode::SUCCESS;
    }
    match run(&chosen) {
        Ok(outcomes) if outcomes.contains(&Outcome::Failed) => ExitCode::FAILURE,
        Ok(outcomes) if outcomes.contains(&Outcome::NotRun) => ExitCode::from(3),
        Ok(_) => ExitCode::SUCCESS,
        Err(problem) => {
            say(&format!("error: {problem}"));
            ExitCode::FAILURE
        }
    }
}

fn list(groups: &[&Group]) {
    for group in groups {
        let lacks = needs::lacks(group);
        let here = if lacks.is_empty() { "ready" } else { "lacks" };
        print(&format!("{:13} {here}  {}", group.name, group.about));
        for lack in lacks {
            print(&format!("{:22}{lack}", ""));
        }
    }
}

/// The number of groups that run at once, and of the tests of each.
const LANES: usize = 2;
const AT_ONCE: usize = 4;

/// Runs the groups and prints a table of the outcomes: those that run alone one after another, then the others side by side.
fn run(groups: &[&Group]) -> Result<Vec<Outcome>, String> {
    let (file, tests) = build()?;
    let ended = Mutex::new(Vec::new());
    let end = |group: &Group| {
        let row = run_if_ready(&file, &tests, group);
        locked(&ended).push(row);
    };
    let (alone, beside): (Vec<&Group>, Vec<&Group>) = groups.iter().partition(|it| it.alone);
    alone.into_iter().for_each(end);
    // The longest come first, so that the lanes end together.
    let waiting = Mutex::new(beside.into_iter().rev());
    let next = || locked(&waiting).next();
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| iter::from_fn(next).for_each(end));
        }
    });
    let ended = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
    let ended = ended.into_iter().collect::<Result<Vec<_>, _>>()?;
    let (rows, outcomes): (Vec<String>, Vec<Outcome>) = ended.into_iter().unzip();
    print(&rows.concat());
    Ok(outcomes)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a group that lacks nothing. Returns its row of the table, and its outcome.
fn run_if_ready(
    file: &PathBuf,
    tests: &[String],
    group: &Group,
) -> Result<(String, Outcome), String> {
    let begun = Instant::now();
    let lacks = needs::lacks(group);
    let outcome = if lacks.is_empty() {
        say(&format!("{}: {}", group.name, group.about));
        run_group(file, tests, group)?
    } else {
        say(&format!("{}: not run: {}", group.name, lacks.join("; ")));
        Outcome::NotRun
    };
    let word = match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "FAILED",
        Outcome::NotRun => "not run",
    };
    let seconds = begun.elapsed().as_secs();
    let row = format!("\n{:13} {word:7} {seconds:>5} s", group.name);
    Ok((row, outcome))
}

/// Builds the tests with cargo and returns the executable and the names of the tests in it.
fn build() -> Result<(PathBuf, Vec<String>), String> {
    let mut cargo = nested_cargo();
    cargo.args(["test", "--package=bot-cli-tests", "--test=e2e", "--no-run"]);
    let mut files = built(&mut cargo)?;
    let file = files.remove("e2e").ok_or("there are no tests")?;
    let listed = Command::new(&file)
        .args(["--list", "--format=terse"])
        .output()
        .map_err(|error| format!("could not run `{}`: {error}", file.display()))?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let tests = listed
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    let tests: Vec<String> = tests.map(str::to_owned).collect();
    let is_known = |test: &str| TABLE.group.iter().any(|group| group.has(test));
    match tests.iter().find(|test| !is_known(test)) {
        Some(stray) => Err(format!("`{stray}` is in no group of `groups.toml`")),
        None => Ok((file, tests)),
    }
}

impl Group {
    fn has(&self, test: &str) -> bool {
        test.split("::").next() == Some(&self.name)
    }
}

/// Runs the tests in a group. Each test's progress line starts with the seconds since the group started. The rest of the output is printed at
/// the end, since lines of another group may come between.
fn run_group(file: &PathBuf, tests: &[String], group: &Group) -> Result<Outcome, String> {
    let problem = |error| format!("could not run `{}`: {error}", file.display());
    let begun = Instant::now();
    let at_once = group.at_once.or((!group.alone).then_some(AT_ONCE));
    let mut child = Command::new(file)
        .args(["--exact", "--color=never"])
        .args(at_once.map(|count| format!("--test-threads={count}")))
        .args(tests.iter().filter(|test| group.has(test)))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(problem)?;
    let mut rest = String::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line.map_err(problem)?;
            match line
                .strip_prefix("test ")
                .filter(|it| !it.starts_with("result: "))
            {
                Some(test) => say(&format!("{:>6} s  {test}", begun.elapsed().as_secs())),
                None => rest.extend([&line, "\n"]),
            }
        }
    }
    say(&rest);
    let is_passed = child.wait().map_err(problem)?.success();
    Ok(if is_passed {
        Outcome::Passed
    } else {
        Outcome::Failed
    })
}

/// Prints a line to standard output. A closed pipe is ignored, because it must not change the outcome.
fn print(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Prints progress to standard error, since some groups take minutes.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

//! `cargo e2e`: runs the tests that need more than Rust, as far as this machine can, and counts the others as not run.
//!
//! A group is a module of `tests/e2e`. What a group needs is looked for before it runs, and installed only where that is asked
//! for.

mod groups;
mod install;
mod interrupt;
mod needs;
mod report;
mod tests;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser;

pub use groups::{GROUPS, Group};
use interrupt::Interrupt;
use needs::{Lack, Remedy};
use report::{Missed, Ran, Report};
use tests::TestExecutable;

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
  0    every test ran and passed; without an API server, which only a script builds,
       the group `kubernetes` is left out unless it is named, as `windows` always is
  1    a test failed, or the tests could not be built
  2    usage
  3    every test that ran passed, and some were not run
  130  interrupted with Ctrl-C: what it had started has ended

Examples:
  cargo e2e --list                   show the groups and what they lack
  cargo e2e                          run what this machine can
  cargo e2e keyring disks            run two groups
  cargo e2e --except clients         run all but one
  cargo e2e --install                install what is missing, run all groups
  cargo e2e --install framework      the same for one group
  cargo e2e --json >summary.json     the summary as JSON, progress on stderr"
)]
struct Arguments {
    /// Groups to run [default: all]
    #[arg(value_name = "GROUP", value_parser = known_group)]
    groups: Vec<&'static Group>,

    /// Groups to leave out; they are not counted at all
    #[arg(long, value_name = "GROUP", value_parser = known_group)]
    except: Vec<&'static Group>,

    /// Install what is missing: under target/, and as root with apt-get
    #[arg(long)]
    install: bool,

    /// Show the groups and what they lack; run and install nothing
    #[arg(long, conflicts_with = "install")]
    list: bool,

    /// Print the summary as one JSON document
    #[arg(long)]
    json: bool,
}

fn known_group(name: &str) -> Result<&'static Group, String> {
    GROUPS
        .iter()
        .find(|group| group.name == name)
        .ok_or_else(|| {
            let names: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
            format!("the groups are {}", names.join(", "))
        })
}

/// The command: its arguments are this process's.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let ran = Interrupt::watch().and_then(|interrupt| {
        let report = run(&arguments, &interrupt);
        if !arguments.list {
            say("");
        }
        // A reader that has gone changes nothing about the outcome.
        if let Ok(report) = &report {
            let _ = io::stdout().write_all(arguments.shown(report).as_bytes());
        }
        match (interrupt.status(), report) {
            (Some(status), _) => Ok(status),
            (None, Ok(_)) if arguments.list => Ok(0),
            (None, Ok(report)) => Ok(report.status()),
            (None, Err(problem)) => Err(problem),
        }
    });
    match ran {
        Ok(status) => ExitCode::from(status),
        Err(problem) => {
            say(&format!("error: {problem}"));
            ExitCode::FAILURE
        }
    }
}

impl Arguments {
    fn shown(&self, report: &Report) -> String {
        if self.json {
            report.json()
        } else if self.list {
            report.listing()
        } else {
            report.table()
        }
    }
}

fn run(arguments: &Arguments, interrupt: &Interrupt) -> Result<Report, String> {
    let tests = TestExecutable::build()?;
    let strays = tests.outside_of(GROUPS);
    if !strays.is_empty() {
        return Err(format!(
            "these tests belong to no group of `tests/src/e2e/groups.rs`: {}",
            strays.join(", ")
        ));
    }
    let chosen: Vec<&Group> = GROUPS
        .iter()
        .filter(|group| {
            let names = |one: &&Group| one.name == group.name;
            (arguments.groups.is_empty() || arguments.groups.iter().any(names))
                && !arguments.except.iter().any(names)
        })
        .collect();
    let is_named = |group: &Group| arguments.groups.iter().any(|one| one.name == group.name);
    if arguments.install {
        let wanted = chosen.iter().copied();
        let wanted: Vec<&Group> = wanted
            .filter(|group| !group.is_on_request() || is_named(group))
            .collect();
        install::install(&wanted);
    }
    let mut report = Report::default();
    for group in chosen {
        let tests_of_group = tests.of(group);
        let is_named = is_named(group);
        if interrupt.requested() {
            let ran = Ran::none(tests_of_group);
            report.add(group, vec![interrupted()], ran, Missed::Counts);
            continue;
        }
        let mut lacks: Vec<Lack> = if group.is_on_request() && !is_named {
            vec![unasked(group)]
        } else {
            group.needs.iter().filter_map(|need| need.lack()).collect()
        };
        let ran = if arguments.list || !lacks.is_empty() {
            Ran::none(tests_of_group)
        } else {
            say(&format!("{}: {}", group.name, group.about));
            tests.run(&tests_of_group, group.at_once(), interrupt)?
        };
        if !arguments.list && !lacks.is_empty() {
            say(&format!("{}: not run", group.name));
            for lack in &lacks {
                say(&format!("  {}", lack.reason));
            }
        }
        let missed = if group.is_elective() && !is_named && !lacks.is_empty() {
            Missed::LeftOut
        } else {
            Missed::Counts
        };
        if interrupt.requested() && !ran.not_run.is_empty() {
            lacks = vec![interrupted()];
        }
        report.add(group, lacks, ran, missed);
    }
    Ok(report)
}

fn interrupted() -> Lack {
    Lack {
        reason: "interrupted".to_owned(),
        remedy: Remedy::None,
    }
}

fn unasked(group: &Group) -> Lack {
    Lack {
        reason: format!(
            "it takes several minutes: `cargo e2e {}` runs it",
            group.name
        ),
        remedy: Remedy::None,
    }
}

/// Straight to standard error: progress of what takes minutes.
fn say(line: &str) {
    // A closed standard error is no reason to stop.
    let _ = writeln!(io::stderr(), "{line}");
}

//! `cargo e2e`: runs the tests that need more than Rust, as far as this machine can, and counts the others as not run.
//!
//! A group is a module of `tests/e2e`. What a group needs is looked for before it runs, and installed only where that is asked
//! for.

mod groups;
mod install;
mod needs;
mod report;
mod tests;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser;

pub use groups::{GROUPS, Group};
use needs::{Lack, Remedy};
use report::{Ran, Report, Row};
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

Examples:
  cargo e2e --list                   show the groups and what they lack
  cargo e2e                          run what this machine can
  cargo e2e keyring disks            run two groups
  cargo e2e --except clients         run all but one
  cargo e2e --install                install what is missing, run all groups
  cargo e2e --install framework      the same for one group"
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
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(report) if arguments.list => {
            print(&report.listing());
            ExitCode::SUCCESS
        }
        Ok(report) => {
            print(&format!("\n{}", report.table()));
            ExitCode::from(report.status())
        }
        Err(problem) => {
            say(&format!("error: {problem}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<Report, String> {
    let tests = TestExecutable::build()?;
    let strays = tests.outside_of(GROUPS);
    if !strays.is_empty() {
        return Err(format!(
            "these tests belong to no group of `tests/src/e2e/groups.rs`: {}",
            strays.join(", ")
        ));
    }
    let is_in = |groups: &[&Group], group: &Group| groups.iter().any(|one| one.name == group.name);
    let is_named = |group: &Group| is_in(&arguments.groups, group);
    let chosen: Vec<&Group> = GROUPS
        .iter()
        .filter(|group| arguments.groups.is_empty() || is_named(group))
        .filter(|group| !is_in(&arguments.except, group))
        .collect();
    let is_unasked = |group: &Group| group.is_on_request() && !is_named(group);
    if arguments.install {
        let wanted = chosen.iter().copied();
        let wanted: Vec<&Group> = wanted.filter(|group| !is_unasked(group)).collect();
        install::install(&wanted);
    }
    let mut report = Report::default();
    for group in chosen {
        let names = tests.of(group);
        let lacks: Vec<Lack> = if is_unasked(group) {
            vec![unasked(group)]
        } else {
            group.needs.iter().filter_map(|need| need.lack()).collect()
        };
        let ran = if arguments.list || !lacks.is_empty() {
            Ran {
                not_run: names.len(),
                ..Ran::default()
            }
        } else {
            say(&format!("{}: {}", group.name, group.about));
            tests.run(&names, group.at_once())?
        };
        if !arguments.list && !lacks.is_empty() {
            let reasons: Vec<&str> = lacks.iter().map(|lack| lack.reason.as_str()).collect();
            say(&format!("{}: not run: {}", group.name, reasons.join("; ")));
        }
        report.0.push(Row {
            group,
            is_left_out: group.is_elective() && !is_named(group) && !lacks.is_empty(),
            lacks,
            ran,
        });
    }
    Ok(report)
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

/// A reader that has gone changes nothing about the outcome.
fn print(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}

/// Straight to standard error: progress of what takes minutes.
fn say(line: &str) {
    // A closed standard error is no reason to stop.
    let _ = writeln!(io::stderr(), "{line}");
}

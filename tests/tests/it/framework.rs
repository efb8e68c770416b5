//! Generated projects, held against the real framework, formatter, linter and type checker.
//!
//! | what a generated project must never do | held by |
//! |---|---|
//! | not compile; hold a file that does not parse | `every_project_reads_as_the_framework_and_its_own_files_say` |
//! | ask for an observability package whose interface has moved on | `every_bot_opens_a_session`, which constructs the observer, and the version check of the first |
//! | admit a Python on which one of its extras installs nothing | first |
//! | give a service an argument it does not have, or a value of the wrong type | `every_bot_type_checks`, `every_bot_opens_a_session` |
//! | override a class's own default by an unset or empty variable | `every_bot_opens_a_session` |
//! | give a variable's name for its value | first |
//! | leave the eval transport without a greeting | the conversation test |
//! | choose a deploy profile or a noise filter for other calls | first |
//! | offer a deprecated service unmarked | first |
//! | read a variable that `.env.example` lacks, or list one that nobody reads | first |
//! | install a package that nothing imports, or import one that nothing installs | first |
//! | ask for a package without a floor and a ceiling | first |
//! | leave out a final newline, name a file that is not there, use `:latest`, claim a copyright | first |
//! | copy a file into the image that is not there | first |
//! | leave recordings and secrets to version control | `secrets_and_recordings_stay_out_of_version_control` |
//! | describe steps that do not work | `the_steps_of_the_readme_work` in the module of the quickstart |

mod quickstart;
mod tools;
mod tree;

use std::process::Command;

use tools::{Finding, run_over};
use tree::Tree;

#[test]
fn every_project_reads_as_the_framework_and_its_own_files_say() {
    let tree = Tree::of_the_catalogue();
    run_over(&tree, "python", |command| {
        command
            .arg(tools::script("check_projects.py"))
            .arg(tree.root());
    });
}

#[test]
fn every_bot_is_formatted_and_free_of_lint() {
    let tree = Tree::of_the_catalogue();
    run_over(&tree, "ruff", |command| {
        command
            .args(["format", "--check", "--quiet", "--no-cache"])
            .arg(tree.root());
    });
    run_over(&tree, "ruff", |command| {
        command
            .args(["check", "--no-cache", "--output-format=concise"])
            .arg(tree.root());
    });
}

#[test]
fn every_bot_type_checks() {
    let tree = Tree::of_the_catalogue();
    run_over(&tree, "pyright", |command| {
        command
            .arg("--pythonpath")
            .arg(tools::python().executable("python"))
            .arg(tree.root());
    });
}

#[test]
fn every_bot_opens_a_session() {
    let tree = Tree::of_the_catalogue();
    run_over(&tree, "python", |command| {
        command
            .arg(tools::script("hold_sessions.py"))
            .arg(tree.root());
    });
}

#[test]
fn the_catalogue_describes_the_installed_framework() {
    // Left out of the environment for its size.
    let mut command = tools::python().command("python");
    let output = command
        .arg(tools::script("check_catalogue.py"))
        .arg("--may-miss=pocket-tts")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", Finding(&output));
}

#[test]
fn the_tools_of_these_tests_are_formatted_and_free_of_lint() {
    for subcommand in [&["format", "--check"][..], &["check"]] {
        let output = tools::python()
            .command("ruff")
            .args(subcommand)
            .args(["--no-cache"])
            .arg(tools::script(""))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", Finding(&output));
    }
}

#[test]
fn secrets_and_recordings_stay_out_of_version_control() {
    let tree = Tree::of_the_catalogue();
    let case = tree.case("all-features");
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(&case.folder)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            Finding(&output)
        );
    };
    git(&["init", "--quiet"]);
    for kept in [
        "server/.env",
        "server/recordings/a.wav",
        "server/evals/logs/a.log",
        "server/.venv/bin/python",
    ] {
        git(&["check-ignore", "--quiet", kept]);
    }
    let listed = Command::new("git")
        .args([
            "check-ignore",
            "--quiet",
            "server/.env.example",
            "server/bot.py",
        ])
        .current_dir(&case.folder)
        .status()
        .unwrap();
    assert_eq!(
        listed.code(),
        Some(1),
        "a file that belongs to the project is ignored"
    );
}

//! Generated projects, held against the real framework, formatter, linter and type checker.
//!
//! | what a generated project must never do | held by |
//! |---|---|
//! | hold a file that does not parse or compile | `every_project_keeps_its_word` |
//! | ask for an observability package whose interface has moved on | `every_bot_opens_a_session` constructs the observer as generated; `every_project_keeps_its_word` compares the versions |
//! | admit a Python on which one of its extras installs nothing, or a requirement has no wheel | `every_project_keeps_its_word`, `a_project_resolves_to_wheels_on_every_python_that_it_admits` |
//! | lack a current service of the framework, or a variable that a class reads by itself | `the_catalogue_describes_the_installed_framework` |
//! | give a path where credentials are expected as text, or a value of the wrong type | `every_bot_type_checks`, `every_bot_opens_a_session` |
//! | override a class's own default by an unset or empty variable | `every_bot_opens_a_session` |
//! | pass an argument that its class drops in silence | `the_catalogue_describes_the_installed_framework` |
//! | give a variable's name for its value | `every_project_keeps_its_word` |
//! | call what the framework has deprecated | `every_bot_opens_a_session` |
//! | leave an eval transport without a greeting | `conversation::the_starter_scenario_passes_with_a_model_that_answers_well` |
//! | lack video on a transport that can carry it | `every_project_keeps_its_word` |
//! | send a telephone's sound at another rate than the telephone's, in either mode | `every_bot_opens_a_session` |
//! | need a client package that is not published, or hold a client that does not build | `clients` |
//! | have a client without a server for development | `bot-cli-init`: `react_without_a_server_is_vite` |
//! | mix directions of calls that exclude each other | `bot-cli-init`: `refuses_what_does_not_go_together` |
//! | choose a deploy profile or a noise filter for other calls, or keep silent about the region | `every_project_keeps_its_word` |
//! | offer a deprecated service without saying so | `every_project_keeps_its_word` |
//! | read a variable that `.env.example` lacks, list one that nobody reads or list one twice | `every_project_keeps_its_word` |
//! | install a package that nothing imports, or import one that nothing installs | `every_project_keeps_its_word` |
//! | ask for a package without a floor and a ceiling | `every_project_keeps_its_word` |
//! | lack a final newline, name a file that is not there, misnumber steps, use `:latest`, claim a copyright | `every_project_keeps_its_word` |
//! | copy a file into the image that is not there | `every_project_keeps_its_word` |
//! | leave recordings and secrets to version control | `secrets_and_recordings_stay_out_of_version_control` |
//! | need a lock file that a fresh project has not, or copy into no named folder of the image | `steps`, `every_project_keeps_its_word` |
//! | be refused because the configuration is one of the framework's own tool | `configurations` |
//! | print a configuration that its published schema refuses | `tests/it`: `every_configuration_satisfies_the_published_schema` |
//! | lack a transport of the framework without a reason | `every_transport_of_the_framework_is_in_the_catalogue_or_named_with_a_reason` |
//! | describe steps that do not work | `steps` |
//! | start without its keys, or end without naming them | `conversation::a_bot_without_its_keys_names_them_all_and_ends` |

mod configurations;
pub(crate) mod tools;
pub(crate) mod tree;

use std::process::Command;

use bot_cli_templates::FRAMEWORK;
use tools::{Finding, run_over};
use tree::Tree;

#[test]
fn every_project_keeps_its_word() {
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
    // Where a user would start it, so that the project's own settings hold.
    let servers: Vec<_> = tree
        .cases()
        .iter()
        .map(|case| case.folder.join("server"))
        .collect();
    run_over(&tree, "ruff", |command| {
        command
            .args(["format", "--check", "--no-cache"])
            .args(&servers);
    });
    run_over(&tree, "ruff", |command| {
        command
            .args(["check", "--no-cache", "--output-format=concise"])
            .args(&servers);
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
fn the_requirements_of_all_projects_resolve_together() {
    let tree = Tree::of_the_catalogue();
    run_over(&tree, "uv", |command| {
        // For the Python on which everything installs, whichever one this machine has.
        command.args([
            "pip",
            "compile",
            "--quiet",
            "--universal",
            "--python-version=3.12",
        ]);
        command.args(
            tree.cases()
                .iter()
                .map(|case| case.folder.join("server/pyproject.toml")),
        );
    });
}

#[test]
fn a_project_resolves_to_wheels_on_every_python_that_it_admits() {
    let tree = Tree::of_the_catalogue();
    let project = tree
        .case("all-features")
        .folder
        .join("server/pyproject.toml");
    let (major, oldest) = FRAMEWORK.oldest_python;
    for minor in oldest..FRAMEWORK.python_below.1 {
        run_over(&tree, "uv", |command| {
            command
                .args(["pip", "compile", "--quiet"])
                // Built from source, these need compilers that users do not have.
                .args(["onnxruntime", "numba", "numpy"].map(|it| format!("--only-binary={it}")))
                .arg(format!("--python-version={major}.{minor}"))
                .arg(&project);
        });
    }
}

#[test]
fn the_catalogue_describes_the_installed_framework() {
    // Left out of the environment for their size.
    let output = tools::python_script("check_catalogue.py")
        .arg("--may-miss=pocket-tts,funasr")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", Finding(&output));
}

#[test]
fn every_transport_of_the_framework_is_in_the_catalogue_or_named_with_a_reason() {
    let output = tools::python_script("check_transports.py")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", Finding(&output));
}

#[test]
fn what_migration_notes_say_is_so_in_the_installed_framework() {
    let output = tools::python_script("check_migrations.py")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", Finding(&output));
}

#[test]
fn secrets_and_recordings_stay_out_of_version_control() {
    let tree = Tree::of_the_catalogue();
    // A copy: others read the tree meanwhile.
    let copy = tempfile::tempdir().unwrap();
    let folder = copy.path().join("project");
    tree::copy(tree.case("all-features"), &folder);
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(arguments)
            .current_dir(&folder)
            .status()
            .unwrap()
            .code()
    };
    assert_eq!(git(&["init", "--quiet"]), Some(0));
    for kept in [
        "server/.env",
        "server/recordings/a.wav",
        "server/evals/logs/a.log",
        "server/.venv/bin/python",
    ] {
        assert_eq!(git(&["check-ignore", "--quiet", kept]), Some(0), "{kept}");
    }
    for shared in [
        "server/.env.example",
        "server/bot.py",
        "server/pyproject.toml",
    ] {
        assert_eq!(
            git(&["check-ignore", "--quiet", shared]),
            Some(1),
            "{shared}"
        );
    }
}

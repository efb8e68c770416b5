//! Generated projects, checked with the real framework, formatter, linter and type checker.
//!
//! | a generated project must never | checked by |
//! |---|---|
//! | contain a file that does not parse or compile | `every_project_keeps_its_word` |
//! | require an observability package with an incompatible interface | `every_bot_opens_a_session` constructs the observer as generated; `every_project_keeps_its_word` compares the versions |
//! | allow a Python version on which an extra installs nothing or a requirement has no wheel | `every_project_keeps_its_word`, `a_project_resolves_to_wheels_on_every_python_that_it_admits` |
//! | lack a current service of the framework, or a variable that a class reads by itself | `the_catalogue_describes_the_installed_framework` |
//! | pass a path where credentials are expected as text, or a value of the wrong type | `every_bot_type_checks`, `every_bot_opens_a_session` |
//! | override a class's own default with an unset or empty variable | `every_bot_opens_a_session` |
//! | pass an argument that its class silently drops | `the_catalogue_describes_the_installed_framework` |
//! | use a variable's name in place of its value | `every_project_keeps_its_word` |
//! | call an API that the framework has deprecated, or name one | `every_bot_opens_a_session`, `every_bot_type_checks` |
//! | leave an eval transport without a greeting | `conversation::the_starter_scenario_passes_with_a_model_that_answers_well` |
//! | lack video on a transport that can carry it | `every_project_keeps_its_word` |
//! | send phone audio at a sample rate other than the phone's, in either mode | `every_bot_opens_a_session` |
//! | need an unpublished client package, or contain a client that does not build | `clients` |
//! | have a client without a development server | `bot-cli-init`: `react_without_a_server_is_vite` |
//! | combine call directions that exclude each other | `bot-cli-init`: `refuses_what_does_not_go_together` |
//! | choose a deploy profile or a noise filter meant for other calls, or omit the region | `every_project_keeps_its_word` |
//! | offer a deprecated service without a notice | `every_project_keeps_its_word` |
//! | ignore a value in `.env`, or prefer it to the environment | `every_value_of_an_env_file_arrives_unless_the_environment_has_one` |
//! | read a variable missing from `.env.example`, or list an unused or duplicate variable there | `every_project_keeps_its_word` |
//! | install a package that nothing imports, or import a package that nothing installs | `every_project_keeps_its_word` |
//! | require a package without lower and upper version bounds | `every_project_keeps_its_word` |
//! | lack a final newline, refer to a missing file, misnumber steps, use `:latest`, or claim a copyright | `every_project_keeps_its_word` |
//! | copy a missing file into the image | `every_project_keeps_its_word` |
//! | expose recordings and secrets to version control | `secrets_and_recordings_stay_out_of_version_control` |
//! | need a lock file that a new project lacks, or copy files to an unnamed folder in the image | `steps`, `every_project_keeps_its_word` |
//! | be refused because its configuration comes from the framework's own tool | `configurations` |
//! | print a configuration that the published schema rejects | `tests/it`: `every_configuration_satisfies_the_published_schema` |
//! | lack a framework transport without a reason | `every_transport_of_the_framework_is_in_the_catalogue_or_named_with_a_reason` |
//! | describe steps that do not work | `steps` |
//! | start without its keys, or end without naming the missing ones | `conversation::a_bot_without_its_keys_names_them_all_and_ends` |

mod configurations;
mod tree;

use std::fs;
use std::process::Command;

use bot_cli_templates::FRAMEWORK;
use bot_cli_templates::catalogue::{Catalogue, Kind};
use tree::Tree;

use crate::bot::{made, python, python_script, script, succeeds, text};

/// The arguments for a bot with every feature that one bot can have.
const ALL_FEATURES: &str = "bot --transport p2p_webrtc --transport hosted_rtc --transport livekit --transport websocket --mode cascade --stt deepgram_stt --llm openai_llm --tts cartesia_tts --recording --transcription --video-input --video-output --enable-noise-cancel --observability --tracing --eval";

#[test]
fn every_project_keeps_its_word() {
    let tree = Tree::of_the_catalogue();
    run_over(
        &tree,
        "python",
        &[
            script("check_projects.py").display().to_string(),
            tree.root(),
        ],
    );
}

#[test]
fn every_bot_is_formatted_and_free_of_lint() {
    let tree = Tree::of_the_catalogue();
    // Where a user would start it, so that the project's own settings hold.
    let servers = tree.files("server");
    for words in [
        "format --check --no-cache",
        "check --no-cache --output-format=concise",
    ] {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        run_over(&tree, "ruff", &[words, servers.clone()].concat());
    }
}

#[test]
fn every_bot_type_checks() {
    let tree = Tree::of_the_catalogue();
    // The framework's own marks are its only list of deprecations. Users are told of a deprecated service, so its class may be used.
    let kinds = [Kind::Stt, Kind::Llm, Kind::Tts, Kind::Realtime, Kind::Video];
    let services = kinds.map(|kind| Catalogue::get().services(kind));
    let services = services.into_iter().flatten();
    let told: Vec<&str> = services
        .filter(|service| service.deprecated.is_some())
        .map(|service| service.class.as_str())
        .collect();
    let settings = format!("{}/pyrightconfig.json", tree.root());
    fs::write(&settings, r#"{"reportDeprecated": "warning"}"#).unwrap();
    let mut pyright = python().command("pyright");
    pyright.args(["--project", &settings, "--pythonpath"]);
    pyright.arg(python().executable("python"));
    let output = pyright.output().unwrap();
    fs::remove_file(&settings).unwrap();
    let finding = text(&output);
    let is_told = |line: &str| told.iter().any(|class| line.contains(class));
    let mut deprecated = finding.lines().filter(|it| it.contains("reportDeprecated"));
    assert!(
        output.status.success() && deprecated.all(is_told),
        "{finding}\nmade by:\n{}",
        tree.commands(&finding)
    );
    assert!(!finding.contains("No source files found"), "{finding}");
}

#[test]
fn every_bot_opens_a_session() {
    let tree = Tree::of_the_catalogue();
    run_over(
        &tree,
        "python",
        &[
            script("hold_sessions.py").display().to_string(),
            tree.root(),
        ],
    );
}

#[test]
fn every_value_of_an_env_file_arrives_unless_the_environment_has_one() {
    let tree = Tree::of_the_catalogue();
    // The expected projects include one without keys.
    let expected = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/scaffold");
    let check = script("check_env_files.py").display().to_string();
    run_over(&tree, "python", &[check, tree.root(), expected.to_owned()]);
}

#[test]
fn the_requirements_of_all_projects_resolve_together() {
    let tree = Tree::of_the_catalogue();
    // For the Python on which everything installs, whichever one this machine has.
    let words = "pip compile --quiet --universal --python-version=3.12".split(' ');
    let words: Vec<String> = words.map(str::to_owned).collect();
    run_over(
        &tree,
        "uv",
        &[words, tree.files("server/pyproject.toml")].concat(),
    );
}

#[test]
fn a_project_resolves_to_wheels_on_every_python_that_it_admits() {
    let (folder, _) = made(&ALL_FEATURES.split(' ').collect::<Vec<_>>());
    let (major, oldest) = FRAMEWORK.oldest_python;
    for minor in oldest..FRAMEWORK.python_below.1 {
        let mut compile = python().command("uv");
        compile
            .args(["pip", "compile", "--quiet"])
            // Built from source, these need compilers that users do not have.
            .args(["onnxruntime", "numba", "numpy"].map(|it| format!("--only-binary={it}")))
            .arg(format!("--python-version={major}.{minor}"))
            .arg(folder.path().join("bot/server/pyproject.toml"));
        succeeds(&mut compile);
    }
}

#[test]
fn the_catalogue_describes_the_installed_framework() {
    // Left out of the environment for their size.
    succeeds(python_script("check_catalogue.py").arg("--may-miss=pocket-tts,funasr"));
}

#[test]
fn every_transport_of_the_framework_is_in_the_catalogue_or_named_with_a_reason() {
    succeeds(&mut python_script("check_transports.py"));
}

#[test]
fn what_migration_notes_say_is_so_in_the_installed_framework() {
    succeeds(&mut python_script("check_migrations.py"));
}

#[test]
fn secrets_and_recordings_stay_out_of_version_control() {
    let (folder, _) = made(&ALL_FEATURES.split(' ').collect::<Vec<_>>());
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(arguments)
            .current_dir(folder.path().join("bot/server"));
        git.status().unwrap().code()
    };
    assert_eq!(git(&["init", "--quiet", ".."]), Some(0));
    for (file, status) in [
        (".env", 0),
        ("recordings/a.wav", 0),
        ("evals/logs/a.log", 0),
        (".venv/bin/python", 0),
        (".env.example", 1),
        ("bot.py", 1),
        ("pyproject.toml", 1),
    ] {
        assert_eq!(
            git(&["check-ignore", "--quiet", file]),
            Some(status),
            "{file}"
        );
    }
}

/// Runs an executable in the environment on all projects at once. A failure lists the commands that generated the affected projects.
fn run_over(tree: &Tree, executable: &str, words: &[String]) {
    let mut command = python().command(executable);
    // Pyright finds the modules beside a bot only below its working folder.
    let output = command.args(words).current_dir(tree.root());
    let output = output.output().unwrap();
    if !output.status.success() {
        let finding = text(&output);
        panic!(
            "{command:?}\n{finding}\nmade by:\n{}",
            tree.commands(&finding)
        );
    }
}

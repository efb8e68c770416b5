//! Tests with two branches that both change the project, merged with git.

use std::fs;
use std::path::Path;
use std::process::Command;

use bot_cli_tests::init::tree;
use serde_json::{Value, json};

use super::super::{Run, done, problems, web};
use super::committed::{git, run_with};
use super::project;

const UPDATE: [&str; 2] = ["my-bot", "--update"];
const PROJECT: &str = ".bot-cli/project.json";

/// Creates a project with two branches: `main`, updated with the options `ours`, and `other`, updated with `theirs`.
fn branches(ours: &[&str], theirs: &[&str]) -> tempfile::TempDir {
    let (folder, made) = project(&[]);
    git(&made, &["init", "-qb", "main"]);
    commit(&made, "one");
    git(&made, &["checkout", "-qb", "other"]);
    updated(folder.path(), theirs);
    commit(&made, "theirs");
    git(&made, &["checkout", "-q", "main"]);
    updated(folder.path(), ours);
    commit(&made, "ours");
    folder
}

fn commit(made: &Path, message: &str) {
    git(made, &["add", "."]);
    git(made, &["commit", "-qm", message]);
}

/// Merges the branches and resolves conflicts in the code. The resolved code is that of a project with the options `both`.
fn merge(folder: &Path, both: &[&str]) {
    let made = folder.join("my-bot");
    let merged = Command::new("git")
        .args(["-c", "user.name=me", "-c", "user.email=me@example.com"])
        .args(["merge", "-q", "other"])
        .current_dir(&made)
        .env("HOME", folder)
        .output()
        .unwrap();
    assert_eq!(merged.status.code(), Some(1), "{merged:?}");
    let fresh = tempfile::tempdir().unwrap();
    done(fresh.path(), &web(&["my-bot"]));
    done(fresh.path(), &[&UPDATE, both].concat());
    for (path, bytes) in tree(&fresh.path().join("my-bot")) {
        if !path.starts_with(".bot-cli") && !path.ends_with('/') {
            fs::write(made.join(&path), bytes).unwrap();
            git(&made, &["add", &path]);
        }
    }
}

/// Runs an update with git on `PATH`.
fn run(folder: &Path, options: &[&str]) -> Run {
    let path = std::env::var("PATH").unwrap();
    run_with(&path, folder, &[&UPDATE, options].concat())
}

fn reply(folder: &Path, options: &[&str]) -> (Option<i32>, Value) {
    let run = run(folder, &[options, &["--json"]].concat());
    (run.status, serde_json::from_str(&run.stdout).unwrap())
}

fn updated(folder: &Path, options: &[&str]) -> Value {
    let (status, document) = reply(folder, options);
    assert_eq!(status, Some(0), "{document:#}");
    document
}

fn record(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("my-bot").join(PROJECT)).unwrap()).unwrap()
}

/// Returns the record of a new project updated with these options.
fn fresh(options: &[&str]) -> Value {
    let fresh = tempfile::tempdir().unwrap();
    done(fresh.path(), &web(&["my-bot"]));
    done(fresh.path(), &[&UPDATE, options].concat());
    record(fresh.path())
}

#[test]
fn the_record_has_what_both_branches_have_chosen() {
    let folder = branches(&["--recording"], &["--transcription"]);
    let both = ["--recording", "--transcription"];
    merge(folder.path(), &both);
    let (status, document) = reply(folder.path(), &["--check"]);
    assert_eq!((status, &document["up_to_date"]), (Some(1), &json!(false)));
    assert_eq!(document["config"]["recording"], true);
    let document = updated(folder.path(), &[]);
    assert_eq!(
        [&document["changed"], &document["options"]],
        [&json!([".bot-cli/base.tar.gz", PROJECT]), &json!([])]
    );
    assert_eq!(record(folder.path()), fresh(&both));
    commit(&folder.path().join("my-bot"), "merged");
    assert_eq!(run(folder.path(), &["--check"]).status, Some(0));
    let document = updated(folder.path(), &["--no-transcription"]);
    assert_eq!(document["removed"], json!(["server/transcript.py"]));
    assert_eq!(record(folder.path()), fresh(&["--recording"]));
}

#[test]
fn lists_of_both_branches_are_one() {
    let both = ["-t", "p2p_webrtc", "-t", "hosted_rtc", "-t", "livekit"];
    let folder = branches(
        &["-t", "p2p_webrtc", "-t", "hosted_rtc"],
        &["-t", "p2p_webrtc", "-t", "livekit"],
    );
    merge(folder.path(), &both);
    updated(folder.path(), &[]);
    let transports = &record(folder.path())["config"]["transports"];
    assert_eq!(*transports, json!(["p2p_webrtc", "hosted_rtc", "livekit"]));
}

#[test]
fn an_option_of_two_values_is_chosen_by_the_user() {
    let folder = branches(&["--tts", "elevenlabs_tts"], &["--tts", "deepgram_tts"]);
    merge(folder.path(), &["--tts", "elevenlabs_tts"]);
    let (status, document) = reply(folder.path(), &[]);
    assert_eq!(
        (status, &document["error"]["code"]),
        (Some(1), &json!("branches_differ"))
    );
    assert_eq!(
        problems(&document),
        ["tts_service: is `elevenlabs_tts` in one branch and `deepgram_tts` in the other"]
    );
    updated(folder.path(), &["--tts", "deepgram_tts", "--force"]);
    let record = record(folder.path());
    assert_eq!(record["config"]["tts_service"], "deepgram_tts");
    let services = folder.path().join("my-bot/server/services.py");
    assert!(
        fs::read_to_string(services)
            .unwrap()
            .contains("DeepgramTTS")
    );
}

#[test]
fn branches_of_other_versions_are_named() {
    let (folder, made) = project(&[]);
    git(&made, &["init", "-qb", "main"]);
    commit(&made, "one");
    git(&made, &["checkout", "-qb", "other"]);
    let text = fs::read_to_string(made.join(PROJECT)).unwrap();
    let own = format!("\"tool\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let of = |tool: &str| text.replace(&own, &format!("\"tool\": \"{tool}\""));
    fs::write(made.join(PROJECT), of("0.0.9")).unwrap();
    commit(&made, "theirs");
    git(&made, &["checkout", "-q", "main"]);
    fs::write(made.join(PROJECT), of("0.0.8")).unwrap();
    commit(&made, "ours");
    merge(folder.path(), &[]);
    let run = run(folder.path(), &[]);
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(
        run.stderr.contains("the record with the later `tool`"),
        "{run:?}"
    );
}

#[test]
fn what_the_code_has_and_the_record_lacks_is_named() {
    let ours = ["--recording", "--tts", "elevenlabs_tts"];
    let theirs = ["--eval", "-t", "p2p_webrtc", "-t", "livekit"];
    let folder = branches(&ours, &theirs);
    let made = folder.path().join("my-bot");
    let both = [&ours[..], &theirs].concat();
    merge(folder.path(), &both);
    for (side, missing) in [
        (
            "--ours",
            "--transport p2p_webrtc --transport livekit --eval",
        ),
        ("--theirs", "--tts elevenlabs_tts --recording"),
    ] {
        git(&made, &["checkout", side, "--", ".bot-cli"]);
        let command = format!("bot-cli init my-bot --update {missing}");
        for (option, status) in [("--check", 1), ("--dry-run", 0)] {
            let run = run(folder.path(), &[option]);
            assert_eq!(run.status, Some(status), "{run:?}");
            assert!(
                run.stdout.contains(&format!(
                    "the code has what the record lacks: `{command}` records it\n"
                )),
                "{run:?}"
            );
            assert!(!run.stdout.contains("is up to date"), "{run:?}");
        }
        let words: Vec<&str> = missing.split(' ').collect();
        updated(folder.path(), &words);
        let run = run(folder.path(), &["--check"]);
        assert_eq!(run.stdout, "my-bot is up to date\n", "{run:?}");
    }
}

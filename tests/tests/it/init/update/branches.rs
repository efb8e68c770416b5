//! Tests with two branches that both change the project, merged with git.

use std::fs;
use std::path::Path;
use std::process::Command;

use bot_cli_tests::init::tree;
use serde_json::Value;

use super::super::{Run, done, web};
use super::committed::{git, run_with};
use super::project;

const UPDATE: [&str; 2] = ["my-bot", "--update"];

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

#[test]
fn what_the_code_has_and_the_record_lacks_is_named() {
    let ours = ["--recording", "--tts", "elevenlabs_tts"];
    let theirs = ["--eval", "-t", "p2p_webrtc", "-t", "livekit"];
    let folder = branches(&ours, &theirs);
    let made = folder.path().join("my-bot");
    merge(folder.path(), &[&ours[..], &theirs].concat());
    let refused = run(folder.path(), &[]);
    assert_eq!(refused.status, Some(1), "{refused:?}");
    let line = "`git -C my-bot checkout --ours -- .bot-cli`, or `--theirs`";
    assert!(refused.stderr.contains(line), "{refused:?}");
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

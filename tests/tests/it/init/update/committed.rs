//! Tests that files outside version control are replaced only on request, and are backed up first.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use bot_cli_tests::init::ran;
use serde_json::{Value, json};

use super::super::{Run, command, problems};
use super::{append, contents, project};

const RECORDING: [&str; 3] = ["my-bot", "--update", "--recording"];

/// Runs git in a folder, without the current user's configuration.
pub(super) fn git(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=me", "-c", "user.email=me@example.com"])
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Runs `init` with `path` as `PATH`, which it searches for git.
pub(super) fn run_with(path: &str, folder: &Path, arguments: &[&str]) -> Run {
    let mut command = command(folder, arguments);
    command.env("PATH", path).env("HOME", folder);
    ran(command)
}

fn update_with(path: &str, folder: &Path, further: &[&str]) -> Run {
    run_with(path, folder, &[&RECORDING, further].concat())
}

fn update(folder: &Path, further: &[&str]) -> Run {
    update_with(&std::env::var("PATH").unwrap(), folder, further)
}

#[test]
fn what_is_not_committed_is_named_and_stays() {
    let (folder, made) = project(&[]);
    git(folder.path(), &["init", "-q"]);
    // What is generated is in the record: before the first commit, only edits are in question.
    append(&made.join("server/bot.py"), "# Mine.\n");
    append(&made.join("README.md"), "Mine.\n");
    git(folder.path(), &["add", "my-bot/README.md"]);
    git(folder.path(), &["commit", "-qm", "one"]);
    let ignored = folder.path().join(".gitignore");
    for case in ["untracked", "ignored", "edited"] {
        match case {
            "ignored" => fs::write(&ignored, "bot.py\n").unwrap(),
            "edited" => {
                fs::remove_file(&ignored).unwrap();
                git(folder.path(), &["add", "my-bot/server/bot.py"]);
                git(folder.path(), &["commit", "-qm", "two"]);
                append(&made.join("server/bot.py"), "# Mine, too.\n");
                // What is only staged is not committed.
                git(folder.path(), &["add", "my-bot/server/bot.py"]);
            }
            _ => {}
        }
        let before = contents(&made);
        let run = update(folder.path(), &["--json"]);
        let said: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(
            (run.status, &said["error"]["code"]),
            (Some(1), &json!("uncommitted"))
        );
        assert_eq!(
            problems(&said),
            ["server/bot.py: is not in the newest commit as it is"]
        );
        assert_eq!(contents(&made), before, "{case}");
        let run = update(folder.path(), &["--dry-run"]);
        assert_eq!(run.status, Some(0));
        assert_eq!(
            run.stderr,
            "warning: uncommitted changes in files that the update changes, so without `--force` it would write nothing: `server/bot.py`\n"
        );
    }
    let edited = fs::read(made.join("server/bot.py")).unwrap();
    let run = update(folder.path(), &["--force"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stdout
            .contains("cp -R my-bot/.bot-cli/before/files/. my-bot"),
        "{run:?}"
    );
    let kept = made.join(".bot-cli/before/files/server/bot.py");
    assert_eq!(fs::read(kept).unwrap(), edited);
}

#[test]
fn what_is_committed_is_replaced_and_not_kept() {
    let (folder, made) = project(&[]);
    let bot = made.join("server/bot.py");
    append(&bot, "# Mine.\n");
    git(folder.path(), &["init", "-q"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-qm", "one"]);
    // As a checkout of Windows has it.
    let code = fs::read_to_string(&bot).unwrap();
    fs::write(&bot, code.replace('\n', "\r\n")).unwrap();
    let run = update(folder.path(), &["--json"]);
    let said: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (run.status, &said["restore"]),
        (Some(0), &Value::Null),
        "{said:#}"
    );
    assert!(!made.join(".bot-cli/before").exists());
}

#[test]
fn without_version_control_what_was_replaced_is_kept_until_the_next_update() {
    let (folder, made) = project(&[]);
    append(&made.join("server/bot.py"), "# Mine.\n");
    let before = contents(&made);
    let run = update(folder.path(), &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let ignored = made.join(".bot-cli/before/.gitignore");
    assert_eq!(fs::read_to_string(ignored).unwrap(), "*\n");
    // A file that only its owner may read stays so.
    let rights = fs::metadata(made.join(".bot-cli/before")).unwrap();
    assert_eq!(rights.permissions().mode() & 0o077, 0);
    let lines = run.stdout.lines().map(str::trim);
    let restore = lines.clone().find(|line| line.starts_with("cp ")).unwrap();
    let restored = Command::new("sh")
        .args(["-c", restore])
        .current_dir(folder.path())
        .status();
    assert!(restored.unwrap().success());
    // A file that is new stays, and is made again.
    let mut found = contents(&made);
    assert!(found.remove("server/recording.py").is_some());
    assert_eq!(found, before);
    let run = update(folder.path(), &["--transcription"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let kept = made.join(".bot-cli/before/files/server/bot.py");
    assert_eq!(fs::read(kept).unwrap(), before["server/bot.py"]);
}

#[test]
fn a_hostile_clone_runs_nothing() {
    let (folder, made) = project(&[]);
    git(&made, &["init", "-q"]);
    append(&made.join("server/bot.py"), "# Mine.\n");
    git(&made, &["add", "."]);
    git(&made, &["commit", "-qm", "one"]);
    let ran = folder.path().join("ran");
    let script = made.join("tools/git");
    fs::create_dir(made.join("tools")).unwrap();
    let text = format!("#!/bin/sh\necho \"$0 $@\" >>'{}'\n", ran.display());
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    for hook in [
        "post-index-change",
        "reference-transaction",
        "post-checkout",
    ] {
        fs::copy(&script, made.join(".git/hooks").join(hook)).unwrap();
    }
    fs::write(
        made.join(".git/info/attributes"),
        "* filter=evil diff=evil\n",
    )
    .unwrap();
    let command = script.display().to_string();
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.askPass",
        "core.editor",
        "core.alternateRefsCommand",
        "pager.cat-file",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.external",
        "credential.helper",
        "remote.origin.uploadpack",
        "alias.cat-file",
        "gpg.program",
    ] {
        let value = if key.starts_with("alias") {
            format!("!{command}")
        } else {
            command.clone()
        };
        git(&made, &["config", key, &value]);
    }
    // Objects that are not there would be fetched.
    let ext = format!("ext::{command}");
    for (key, value) in [
        ("extensions.partialClone", "origin"),
        ("core.repositoryFormatVersion", "1"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", ext.as_str()),
        ("protocol.ext.allow", "always"),
    ] {
        git(&made, &["config", key, value]);
    }
    for (further, status) in [(&[][..], 0), (&["--transcription"], 1)] {
        if !further.is_empty() {
            let _ = fs::remove_file(&ran);
            fs::rename(made.join(".git/objects"), folder.path().join("objects")).unwrap();
            fs::create_dir(made.join(".git/objects")).unwrap();
        }
        let path = format!(
            "{}:{}",
            made.join("tools").display(),
            std::env::var("PATH").unwrap()
        );
        let run = update_with(&path, folder.path(), further);
        assert!(!ran.exists(), "{:?}", fs::read_to_string(&ran));
        assert_eq!(run.status, Some(status), "{run:?}");
    }
}

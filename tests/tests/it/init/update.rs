//! Tests for `bot-cli init DIR --update` on a project that the user has edited.

mod branches;
mod committed;
mod conflicts;
mod options;
mod records;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use bot_cli_tests::init::tree;
use serde_json::{Value, json};

use super::interrupted::STAGING;
use super::{command, done, json as reply, run, web};

/// Creates a web bot in `my-bot`, in a new folder.
fn project(further: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &web(&[&["my-bot"], further].concat()));
    let project = folder.path().join("my-bot");
    (folder, project)
}

/// Returns everything in a project except prepared changes and the files that the last update replaced.
pub(super) fn contents(project: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = tree(project);
    found.retain(|path, _| !path.starts_with(".bot-cli/before") && !path.starts_with(STAGING));
    found
}

fn edit(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{from}: {text}");
    fs::write(file, text.replacen(from, to, 1)).unwrap();
}

fn append(file: &Path, line: &str) {
    let text = fs::read_to_string(file).unwrap();
    fs::write(file, text + line).unwrap();
}

/// Runs an update that must succeed, and returns its result.
fn updated(folder: &Path, options: &[&str]) -> Value {
    let (status, document) = reply(folder, &[&["my-bot", "--update"], options].concat());
    assert_eq!(status, Some(0), "{document:#}");
    document
}

#[test]
fn an_untouched_project_becomes_the_one_that_would_be_made_now() {
    for options in [
        &["--recording"][..],
        &["-t", "p2p_webrtc", "-t", "carrier_a"],
        &["--realtime", "openai_realtime"],
        &[
            "--client-framework",
            "react",
            "--eval",
            "--no-deploy-to-cloud",
        ],
    ] {
        let (folder, made) = project(&[]);
        let document = updated(folder.path(), options);
        assert_eq!(document["written"], true);
        assert_eq!(document["merged"], json!([]), "{options:?}");

        let fresh = tempfile::tempdir().unwrap();
        let realtime = ["my-bot", "-t", "p2p_webrtc", "-m", "realtime"];
        let web = web(&["my-bot"]);
        let mut all: Vec<&str> = match options {
            ["-t", ..] => ["my-bot"].iter().chain(&web[3..]).copied().collect(),
            ["--realtime", ..] => realtime.to_vec(),
            _ => web,
        };
        all.extend(options);
        done(fresh.path(), &all);
        assert_eq!(
            contents(&made),
            tree(&fresh.path().join("my-bot")),
            "{options:?}"
        );
    }
}

#[test]
fn what_is_up_to_date_is_not_written() {
    let (folder, made) = project(&["--recording"]);
    append(&made.join("README.md"), "mine\n");
    let before = tree(&made);
    for options in [&[][..], &["--recording"], &["--check"], &["--dry-run"]] {
        let text = done(folder.path(), &[&["my-bot", "--update"], options].concat());
        assert!(text.ends_with("my-bot is up to date\n"), "{text}");
        assert_eq!(tree(&made), before);
    }
    for (option, status) in [("--check", Some(1)), ("--dry-run", Some(0))] {
        let all = ["my-bot", "--update", "--eval", option];
        let run = run(folder.path(), &all);
        assert_eq!(run.status, status, "{run:?}");
        assert!(
            run.stdout.contains("  created   server/evals/text.yaml\n"),
            "{run:?}"
        );
        let (_, document) = reply(folder.path(), &all);
        assert_eq!(
            [&document["written"], &document["up_to_date"]],
            [&json!(false), &json!(false)]
        );
        assert_eq!(tree(&made), before);
    }
}

#[test]
fn what_can_not_be_written_is_a_failure() {
    let (folder, made) = project(&[]);
    fs::write(made.join("server/recording.py"), "mine\n").unwrap();
    for (options, status, words) in [
        (&["--check"][..], 74, ""),
        (&["--check", "--json"], 74, ""),
        (
            &["--recording"],
            1,
            "error: your edits of `my-bot` are in conflict with the update: nothing was written\n",
        ),
        (&["--recording", "--json"], 1, "nothing was written\n"),
        (&["--stt", "nobody", "--json"], 2, "error: "),
        (
            &["--conflicts", "markers", "--recording", "--json"],
            1,
            "between markers\n",
        ),
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let all = [&["my-bot", "--update"], options].concat();
        let ran = command(folder.path(), &all).stdout(full).output().unwrap();
        assert_eq!(ran.status.code(), Some(status), "{ran:?}");
        let stderr = String::from_utf8(ran.stderr).unwrap();
        assert!(stderr.contains(words), "{stderr}");
    }
}

#[test]
fn new_variables_are_named() {
    let (folder, _) = project(&[]);
    let document = updated(folder.path(), &["--tts", "elevenlabs_tts"]);
    let variables = "new variables to set: ELEVENLABS_API_KEY, ELEVENLABS_VOICE_ID";
    let review = json!([{ "path": null, "line": null, "note": variables }]);
    assert_eq!(document["review"], review);
}

#[test]
fn a_lock_file_that_is_old_is_written_again_and_the_project_is_found_from_below() {
    let (folder, made) = project(&[]);
    let sync = json!(["uv sync --project my-bot/server"]);
    assert_eq!(updated(folder.path(), &["--tracing"])["next"], sync);
    assert_eq!(
        updated(folder.path(), &["--transcription"])["next"],
        json!([])
    );
    let ran = run(&made.join("server"), &["--update"]);
    let root = fs::canonicalize(&made).unwrap();
    let hint = format!(
        "it is in a project: `bot-cli init {} --update`",
        root.display()
    );
    assert!(ran.stderr.contains(&hint), "{ran:?}");
}

#[test]
fn edits_stay_and_every_file_is_told_of() {
    let (folder, made) = project(&[]);
    edit(
        &made.join("server/bot.py"),
        "SYSTEM_PROMPT = (",
        "# Mine.\nSYSTEM_PROMPT = (",
    );
    append(&made.join("server/Dockerfile"), "RUN true\n");
    fs::remove_file(made.join("server/.python-version")).unwrap();
    fs::create_dir(made.join("docs")).unwrap();
    fs::rename(made.join("README.md"), made.join("docs/start.md")).unwrap();
    fs::write(made.join("server/own.py"), "mine\n").unwrap();
    let document = updated(folder.path(), &["--recording", "--no-deploy-to-cloud"]);
    assert_eq!(document["merged"], json!(["server/bot.py"]));
    assert_eq!(document["created"], json!(["server/recording.py"]));
    assert_eq!(
        document["removed"],
        json!(["server/.dockerignore", "server/cloud-deploy.toml"])
    );
    assert_eq!(
        document["deleted"],
        json!(["README.md", "server/.python-version"])
    );
    assert_eq!(
        document["kept"],
        json!([{ "path": "server/Dockerfile", "line": null, "note": "no longer generated, and edited by you" }])
    );
    assert_eq!(
        document["changed"],
        json!([
            ".bot-cli/base.gz",
            ".bot-cli/project.json",
            ".gitignore",
            "server/pyproject.toml",
        ])
    );
    let bot = fs::read_to_string(made.join("server/bot.py")).unwrap();
    assert!(
        bot.contains("# Mine.\nSYSTEM_PROMPT = (") && bot.contains("Recorder("),
        "{bot}"
    );
    assert!(!made.join("README.md").exists());
    assert_eq!(
        fs::read_to_string(made.join("server/own.py")).unwrap(),
        "mine\n"
    );
    // What was kept once is the user's.
    assert_eq!(updated(folder.path(), &[])["up_to_date"], true);
    // Once more, and nothing of it is lost.
    let document = updated(folder.path(), &["--no-recording"]);
    assert_eq!(document["merged"], json!(["server/bot.py"]));
    let bot = fs::read_to_string(made.join("server/bot.py")).unwrap();
    assert!(
        bot.contains("# Mine.\nSYSTEM_PROMPT = (") && !bot.contains("Recorder("),
        "{bot}"
    );
    assert!(!made.join("server/recording.py").exists());
}

#[test]
fn guides_go_by_their_stamps() {
    let (folder, made) = project(&[]);
    let guide = made.join("AGENTS.md");
    let current = fs::read_to_string(&guide).unwrap();
    fs::remove_file(made.join("ASSISTANT.md")).unwrap();
    fs::write(&guide, older(&current)).unwrap();
    let document = updated(folder.path(), &[]);
    assert_eq!(document["changed"], json!(["AGENTS.md"]));
    assert_eq!(fs::read_to_string(&guide).unwrap(), current);
    assert!(!made.join("ASSISTANT.md").exists());
    // An edited one is the user's.
    fs::write(&guide, format!("mine\n{}", older(&current))).unwrap();
    let run = run(folder.path(), &["my-bot", "--update"]);
    assert!(run.stderr.contains("add `--overwrite-guide`"), "{run:?}");
    assert_eq!(run.stdout, "Nothing to do: my-bot is up to date\n");
    assert_eq!(
        updated(folder.path(), &["--overwrite-guide"])["changed"],
        json!(["AGENTS.md"])
    );
    assert_eq!(fs::read_to_string(&guide).unwrap(), current);
}

/// Returns the guide with the stamp of version 0.0.1.
fn older(guide: &str) -> String {
    let start = guide.rfind("<!-- bot-cli guide ").unwrap();
    let version = guide[start..].split(' ').nth(3).unwrap();
    guide.replace(&format!("guide {version} "), "guide 0.0.1 ")
}

#[test]
fn what_is_no_file_is_left_alone() {
    let (folder, made) = project(&[]);
    let bot = made.join("server/bot.py");
    fs::rename(&bot, folder.path().join("bot.py")).unwrap();
    symlink(folder.path().join("bot.py"), &bot).unwrap();
    fs::remove_file(made.join("README.md")).unwrap();
    fs::create_dir(made.join("README.md")).unwrap();
    fs::write(made.join(".gitignore"), b"\xff\n").unwrap();
    fs::write(made.join("server/recording.py"), "mine\n").unwrap();
    let before = tree(folder.path());
    let all = [
        "my-bot",
        "--update",
        "--recording",
        "--conflicts",
        "markers",
    ];
    let (status, document) = reply(folder.path(), &all);
    assert_eq!(
        (status, &document["error"]["code"]),
        (Some(1), &json!("conflict"))
    );
    assert_eq!(
        document["obstacles"],
        json!([
            { "path": ".gitignore", "line": null, "note": "is not UTF-8, so it can't be merged" },
            { "path": "README.md", "line": null, "note": "is a directory" },
            { "path": "server/bot.py", "line": null, "note": "is a symbolic link" },
        ])
    );
    assert_eq!(document["conflicts"][0]["path"], "server/recording.py");
    assert_eq!(document["conflicts"][0]["yours"], "mine\n");
    assert_eq!(tree(folder.path()), before);
}

#[test]
fn a_deleted_folder_does_not_come_back_in_pieces() {
    let (folder, made) = project(&["--client-framework", "react"]);
    fs::remove_dir_all(made.join("client")).unwrap();
    let run = run(
        folder.path(),
        &["my-bot", "--update", "--client-server", "nextjs"],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    let told: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| line.contains("client/"))
        .collect();
    assert_eq!(told, ["  deleted   client/ (by you; it stays deleted)"]);
    assert!(!made.join("client").exists());
}

#[test]
fn a_file_that_others_of_the_users_need_is_not_removed() {
    let (folder, made) = project(&["--recording"]);
    let own = "import os\n\nfrom recording import Recorder\n\nprint(os.sep, Recorder)\n";
    fs::write(made.join("server/own.py"), own).unwrap();
    let before = tree(&made);
    let (status, document) = reply(folder.path(), &["my-bot", "--update", "--no-recording"]);
    assert_eq!(status, Some(1));
    assert_eq!(
        document["obstacles"],
        json!([{
            "path": "server/own.py",
            "line": 3,
            "note": "it imports `recording`, which the update removes",
        }])
    );
    assert_eq!(tree(&made), before);
}

#[test]
fn a_project_in_the_way_names_the_command_that_changes_it() {
    let (folder, made) = project(&["--name", "Zoë's bot"]);
    append(&made.join("README.md"), "mine\n");
    for options in [
        web(&["my-bot", "--recording"]),
        vec!["my-bot", "--recording"],
    ] {
        let run = run(folder.path(), &options);
        let hint = "a project is there already: `bot-cli init my-bot --update` with the options";
        assert!(run.stderr.contains(hint), "{run:?}");
        assert!(!run.stderr.contains("move"), "{run:?}");
    }
    done(folder.path(), &["quickstart"]);
    append(
        &folder.path().join("quickstart-project/README.md"),
        "mine\n",
    );
    let run = run(folder.path(), &["quickstart"]);
    assert!(
        run.stderr
            .contains("`bot-cli init quickstart-project --update`"),
        "{run:?}"
    );
}

#[test]
fn an_option_that_is_recorded_and_not_in_the_code_is_named() {
    let (folder, made) = project(&["--recording", "--transcription"]);
    let check = ["my-bot", "--update", "--check"];
    done(folder.path(), &check);
    // As a conflict that was resolved with the user's own side.
    let bot = made.join("server/bot.py");
    let code = fs::read_to_string(&bot).unwrap();
    let without = code.lines().filter(|line| !line.contains("Recorder("));
    fs::write(&bot, without.collect::<Vec<_>>().join("\n")).unwrap();
    fs::remove_file(made.join("server/transcript.py")).unwrap();
    let (status, document) = reply(folder.path(), &check);
    assert_eq!((status, &document["up_to_date"]), (Some(1), &json!(false)));
    let notes = document["review"].as_array().unwrap().iter();
    let notes: Vec<_> = notes.map(|it| [&it["path"], &it["note"]]).collect();
    assert_eq!(
        notes,
        [
            [
                &json!("server/bot.py"),
                &json!("`recording` is on, and nothing here uses `Recorder`")
            ],
            [
                &json!("server/transcript.py"),
                &json!("`transcription` is on, and this file of it does not exist")
            ],
        ]
    );
}

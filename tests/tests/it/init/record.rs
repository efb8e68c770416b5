//! Tests for `.bot-cli`, the record of how a project was generated.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use bot_cli_tests::init::tree;
use serde_json::{Value, json};

use super::{done, json as reply, problems, web};

const FILES: [&str; 3] = [
    ".bot-cli/.gitattributes",
    ".bot-cli/base.gz",
    ".bot-cli/project.json",
];

fn recorded(project: &Path) -> Value {
    let text = fs::read_to_string(project.join(".bot-cli/project.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_scaffold_keeps_what_a_dry_run_prints() {
    let folder = tempfile::tempdir().unwrap();
    let options = web(&["my-bot", "--recording", "--name", "Zoë's \"bot\""]);
    let (_, made) = reply(folder.path(), &options);
    let created = made["created"].as_array().unwrap();
    assert_eq!(created[..3], FILES.map(Value::from));
    let printed = done(folder.path(), &[&options[..], &["--dry-run"]].concat());
    let project = folder.path().join("my-bot");
    let record = recorded(&project);
    assert_eq!(record["config"], printed.parse::<Value>().unwrap());
    // Every file but the guides and the record itself.
    let files: Vec<&String> = record["files"].as_object().unwrap().keys().collect();
    let others = created
        .iter()
        .filter_map(Value::as_str)
        .filter(|path| !FILES.contains(path) && !["AGENTS.md", "ASSISTANT.md"].contains(path));
    assert_eq!(files, others.collect::<Vec<_>>());
    let keys: Vec<&String> = record.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["schema", "tool", "framework", "config", "files"]);
    // What is built into an image is what is in `server`.
    assert!(!project.join("server/.bot-cli").exists());
}

#[test]
fn quickstart_keeps_a_record_and_guides_alone_do_not() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["quickstart"]);
    let record = recorded(&folder.path().join("quickstart-project"));
    assert_eq!(record["config"]["project_name"], "quickstart-project");
    done(folder.path(), &["guides"]);
    assert!(!folder.path().join("guides/.bot-cli").exists());
}

#[test]
fn an_older_record_of_the_same_files_is_renewed() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("my-bot");
    done(folder.path(), &web(&["my-bot"]));
    let made = tree(folder.path());
    let older = fs::read_to_string(project.join(FILES[2]))
        .unwrap()
        .replace("\"tool\": \"", "\"tool\": \"0.0.");
    fs::write(project.join(FILES[2]), older).unwrap();
    fs::write(project.join(FILES[1]), "older").unwrap();
    let (status, document) = reply(folder.path(), &web(&["my-bot"]));
    assert_eq!(
        (status, &document["changed"]),
        (Some(0), &json!(FILES[1..]))
    );
    assert_eq!(tree(folder.path()), made);
}

const NOT_A_DIRECTORY: [&str; 3] = [
    ".bot-cli/.gitattributes: `.bot-cli` is not a directory",
    ".bot-cli/base.gz: `.bot-cli` is not a directory",
    ".bot-cli/project.json: `.bot-cli` is not a directory",
];

const A_LINK: [&str; 3] = [
    ".bot-cli/.gitattributes: `.bot-cli` is a symbolic link",
    ".bot-cli/base.gz: `.bot-cli` is a symbolic link",
    ".bot-cli/project.json: `.bot-cli` is a symbolic link",
];

#[test]
fn what_is_no_record_of_ours_stays() {
    type Spoil = fn(&Path);
    let cases: [(Spoil, &[&str]); 6] = [
        (
            |project| fs::write(project.join(".bot-cli"), "mine").unwrap(),
            &NOT_A_DIRECTORY,
        ),
        (
            |project| symlink("../outside", project.join(".bot-cli")).unwrap(),
            &A_LINK,
        ),
        (
            |project| {
                fs::create_dir(project.join(".bot-cli")).unwrap();
                symlink("../../outside/x", project.join(FILES[2])).unwrap();
            },
            &[".bot-cli/project.json: is a symbolic link"],
        ),
        (
            |project| fs::create_dir_all(project.join(FILES[1])).unwrap(),
            &[".bot-cli/base.gz: is a directory"],
        ),
        (
            |project| {
                fs::create_dir(project.join(".bot-cli")).unwrap();
                fs::write(project.join(FILES[2]), "{}").unwrap();
            },
            &[".bot-cli/project.json: already exists with other contents"],
        ),
        (
            |project| {
                fs::create_dir(project.join(".bot-cli")).unwrap();
                fs::write(project.join(FILES[1]), "new").unwrap();
                fs::write(project.join(FILES[2]), r#"{"schema": 1, "tool": "9.0.0"}"#).unwrap();
            },
            &[".bot-cli/project.json: was written by bot-cli-init 9.0.0, and this is 0.1.0"],
        ),
    ];
    for (spoil, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("outside")).unwrap();
        let project = folder.path().join("my-bot");
        fs::create_dir(&project).unwrap();
        spoil(&project);
        let before = tree(folder.path());
        let (status, document) = reply(folder.path(), &web(&["my-bot"]));
        assert_eq!(status, Some(1), "{document}");
        assert_eq!(problems(&document), expected);
        assert_eq!(tree(folder.path()), before);
    }
}

//! Tests with missing, damaged and foreign records.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::path::Path;

use bot_cli_tests::init::{sha256, tree};
use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use serde_json::{Value, json};

use super::super::{done, json as reply, run};
use super::{append, project, updated};

const PROJECT: &str = ".bot-cli/project.json";
const BASE: &str = ".bot-cli/base.gz";

#[test]
fn a_folder_without_a_record_is_told_how_to_get_one() {
    let (folder, made) = project(&[]);
    fs::remove_dir_all(made.join(".bot-cli")).unwrap();
    let run = run(folder.path(), &["my-bot", "--update"]);
    assert_eq!(run.status, Some(2));
    assert!(
        run.stderr
            .contains("hint: `bot-cli init my-bot --adopt` writes it\n"),
        "{run:?}"
    );
    assert!(!made.join(".bot-cli").exists());
}

#[test]
fn a_record_that_can_not_be_used_is_refused() {
    let (folder, made) = project(&[]);
    let file = made.join(PROJECT);
    let whole = fs::read_to_string(&file).unwrap();
    let later = "`.bot-cli/project.json` was written by bot-cli-init 9.10.0, and this is 0.1.0";
    let unknown = "can't use `.bot-cli/project.json`: `new_thing`: no such key";
    for (from, to, code, words) in [
        (
            "{",
            "<<<<<<< ours\n",
            "damaged_record",
            "the record with the later `tool`",
        ),
        (
            "\"tool\": \"0.1.0",
            "\"tool\": \"9.10.0",
            "later_record",
            later,
        ),
        (
            "\"config\": {",
            "\"config\": {\"new_thing\": true,",
            "damaged_record",
            unknown,
        ),
    ] {
        fs::write(&file, whole.replacen(from, to, 1)).unwrap();
        refused(folder.path(), code, words);
    }
    let aim = file.with_extension("aim");
    fs::rename(&file, &aim).unwrap();
    symlink(aim, &file).unwrap();
    refused(folder.path(), "damaged_record", "it is a symbolic link");
}

fn refused(folder: &Path, code: &str, words: &str) {
    let before = tree(folder);
    let (status, document) = reply(folder, &["my-bot", "--update", "--recording"]);
    assert_eq!(
        (status, &document["error"]["code"]),
        (Some(1), &json!(code))
    );
    assert!(
        document["error"].to_string().contains(words),
        "{document:#}"
    );
    assert_eq!(tree(folder), before);
    // For CI, that is another thing than something to do.
    let (status, _) = reply(folder, &["my-bot", "--update", "--check"]);
    assert_eq!(status, Some(2));
}

#[test]
fn a_hash_alone_removes_and_replaces_nothing_of_the_users() {
    let (folder, made) = project(&[]);
    fs::write(made.join("mine.txt"), "mine\n").unwrap();
    append(&made.join("server/bot.py"), "# Mine.\n");
    let project: Value = serde_json::from_slice(&fs::read(made.join(PROJECT)).unwrap()).unwrap();
    let mut files = project["files"].clone();
    for path in ["mine.txt", "server/bot.py"] {
        files[path] = hash_of(&fs::read(made.join(path)).unwrap());
    }
    with(&made.join(PROJECT), "files", files);
    let before = tree(&made);
    let (status, document) = reply(folder.path(), &["my-bot", "--update", "--recording"]);
    assert_eq!(status, Some(1));
    assert_eq!(document["obstacles"][0]["path"], "server/bot.py");
    assert_eq!(document["kept"][0]["path"], "mine.txt");
    assert_eq!(tree(&made), before);
}

fn with(file: &Path, key: &str, value: Value) {
    let mut project: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    project[key] = value;
    fs::write(file, project.to_string()).unwrap();
}

#[test]
fn the_archive_can_be_made_again_as_long_as_its_version_is_here() {
    type Spoil = fn(&Path);
    let cases: [Spoil; 3] = [
        |file| fs::remove_file(file).unwrap(),
        |file| fs::write(file, "damaged").unwrap(),
        // Far more than any project has.
        |file| {
            let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
            for _ in 0..64 {
                packed.write_all(&vec![0; 1 << 20]).unwrap();
            }
            fs::write(file, packed.finish().unwrap()).unwrap();
        },
    ];
    for spoil in cases {
        let (folder, made) = project(&[]);
        append(&made.join("server/bot.py"), "# Mine.\n");
        let whole = fs::read(made.join(BASE)).unwrap();
        spoil(&made.join(BASE));
        assert_eq!(updated(folder.path(), &[])["written"], true);
        assert_eq!(fs::read(made.join(BASE)).unwrap(), whole);
        spoil(&made.join(BASE));
        let document = updated(folder.path(), &["--recording"]);
        assert_eq!(document["merged"], json!(["server/bot.py"]));
    }
}

/// Rewrites the record as a version that lacks these options would have written it.
fn without(file: &Path, options: &[&str]) {
    let mut project: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    for option in options {
        project["config"].as_object_mut().unwrap().remove(*option);
    }
    fs::write(file, project.to_string()).unwrap();
}

#[test]
fn an_option_that_the_record_lacks_is_as_it_is_by_default() {
    let (folder, made) = project(&[]);
    let config: Value = serde_json::from_slice(&fs::read(made.join(PROJECT)).unwrap()).unwrap();
    let needed = [
        "transports",
        "mode",
        "stt_service",
        "llm_service",
        "tts_service",
    ];
    let all = config["config"].as_object().unwrap().keys();
    for key in all.filter(|key| !needed.contains(&key.as_str())) {
        without(&made.join(PROJECT), &[key]);
        let before = tree(&made);
        let said = done(folder.path(), &["my-bot", "--update", "--check"]);
        assert_eq!(said, "my-bot is up to date\n", "{key}");
        let said = done(folder.path(), &["my-bot", "--update"]);
        assert_eq!(said, "Nothing to do: my-bot is up to date\n", "{key}");
        assert_eq!(tree(&made), before);
    }
    let document = updated(folder.path(), &["--recording"]);
    let recording = json!([{ "key": "recording", "from": false, "to": true }]);
    assert_eq!(document["options"], recording);
}

/// Changes the record as if an older version had generated `text` at `path`.
fn generated_before(made: &Path, path: &str, text: &str) {
    let packed = fs::read(made.join(BASE)).unwrap();
    let mut unpacked = String::new();
    let mut reader = MultiGzDecoder::new(packed.as_slice());
    reader.read_to_string(&mut unpacked).unwrap();
    let current = fs::read_to_string(made.join(path)).unwrap();
    let texts = unpacked.split('\0');
    let texts: Vec<&str> = texts
        .map(|it| if it == current { text } else { it })
        .collect();
    let mut older = GzEncoder::new(Vec::new(), Compression::fast());
    older.write_all(texts.join("\0").as_bytes()).unwrap();
    fs::write(made.join(BASE), older.finish().unwrap()).unwrap();

    let file = made.join(PROJECT);
    let project: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let mut files = project["files"].clone();
    files[path] = hash_of(text.as_bytes());
    with(&file, "files", files);
}

fn hash_of(bytes: &[u8]) -> Value {
    json!(format!("sha256:{}", sha256(bytes)))
}

#[test]
fn only_files_of_the_users_and_options_keep_a_project_from_being_up_to_date() {
    let (folder, made) = project(&[]);
    let (path, older) = ("server/.python-version", "3.11\n");
    let file = made.join(path);
    let current = fs::read(&file).unwrap();
    generated_before(&made, path, older);

    fs::write(&file, older).unwrap();
    let check = ["my-bot", "--update", "--check"];
    let (status, document) = reply(folder.path(), &check);
    assert_eq!((status, &document["up_to_date"]), (Some(1), &json!(false)));
    let changed = document["changed"].as_array().unwrap();
    assert!(changed.contains(&json!(path)), "{document:#}");
    // The user has made the same change, or deleted the file: only the record is to be renewed.
    for is_there in [true, false] {
        fs::write(&file, &current).unwrap();
        if !is_there {
            fs::remove_file(&file).unwrap();
        }
        let (status, document) = reply(folder.path(), &check);
        assert_eq!((status, &document["up_to_date"]), (Some(0), &json!(true)));
        let text = done(folder.path(), &check);
        assert_eq!(text, "my-bot is up to date\n");
    }
    assert_eq!(updated(folder.path(), &[])["written"], true);
    assert_eq!(updated(folder.path(), &[])["written"], false);
}

#[test]
fn without_its_archive_an_older_project_keeps_what_was_edited() {
    let (folder, made) = project(&[]);
    append(&made.join("server/bot.py"), "# Mine.\n");
    // Whatever an older version has written there, this one would not.
    let project: Value = serde_json::from_slice(&fs::read(made.join(PROJECT)).unwrap()).unwrap();
    let mut files = project["files"].clone();
    files["server/bot.py"] = json!("sha256:0");
    with(&made.join(PROJECT), "files", files);
    fs::remove_file(made.join(BASE)).unwrap();
    let before = tree(&made);
    let run = run(folder.path(), &["my-bot", "--update", "--recording"]);
    assert_eq!(run.status, Some(1));
    assert!(
        run.stderr
            .starts_with("warning: `.bot-cli/base.gz` is missing or damaged"),
        "{run:?}"
    );
    assert!(
        run.stderr
            .contains("server/bot.py: was edited, and the record no longer has the text"),
        "{run:?}"
    );
    assert_eq!(tree(&made), before);
}

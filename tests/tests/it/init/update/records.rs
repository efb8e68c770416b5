//! Records that are missing, damaged or not ours.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use bot_cli_tests::init::tree;
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::super::{done, json as reply, run};
use super::{append, project, updated};

const PROJECT: &str = ".bot-cli/project.json";
const BASE: &str = ".bot-cli/base.tar.gz";

#[test]
fn a_folder_without_a_record_is_told_where_one_is() {
    let (folder, made) = project(&["--no-record"]);
    let run = run(folder.path(), &["my-bot", "--update"]);
    assert_eq!(run.status, Some(2));
    assert!(
        run.stderr
            .contains("made without a record can't be updated"),
        "{run:?}"
    );
    done(folder.path(), &["quickstart"]);
    let below = folder.path().join("quickstart-project/server");
    let run = super::run(&below, &["--update"]);
    assert!(
        run.stderr.contains("quickstart-project --update`"),
        "{run:?}"
    );
    assert!(!made.join(".bot-cli").exists());
}

#[test]
fn a_record_that_can_not_be_used_is_refused() {
    type Spoil = fn(&Path);
    let cases: [(Spoil, &str, &str); 10] = [
        (
            |file| fs::write(file, "{").unwrap(),
            "damaged_record",
            "no record",
        ),
        (
            |file| fs::write(file, b"\xff").unwrap(),
            "damaged_record",
            "UTF-8",
        ),
        (
            |file| fs::write(file, "<<<<<<< ours\n{}\n").unwrap(),
            "damaged_record",
            "either one's will do",
        ),
        (
            |file| {
                let aim = file.with_extension("aim");
                fs::rename(file, &aim).unwrap();
                symlink(aim, file).unwrap();
            },
            "damaged_record",
            "symbolic link",
        ),
        (
            |file| with(file, "schema", json!(99)),
            "later_record",
            "with that version",
        ),
        (
            |file| with(file, "config", json!({ "new_thing": true })),
            "damaged_record",
            "the configuration in `.bot-cli/project.json`: `new_thing`: no such key",
        ),
        (
            |file| with_file(file, "../out"),
            "damaged_record",
            "`../out`",
        ),
        (
            |file| with_file(file, ".git/hooks/pre-commit"),
            "damaged_record",
            ".git",
        ),
        (
            |file| with_file(file, "sub/.git/config"),
            "damaged_record",
            ".git",
        ),
        (
            |file| with_file(file, "/etc/passwd"),
            "damaged_record",
            "/etc/passwd",
        ),
    ];
    let (folder, made) = project(&[]);
    let file = made.join(PROJECT);
    let whole = fs::read(&file).unwrap();
    for (spoil, code, words) in cases {
        spoil(&file);
        let before = tree(folder.path());
        let (status, document) = reply(folder.path(), &["my-bot", "--update", "--recording"]);
        assert_eq!(
            (status, &document["error"]["code"]),
            (Some(1), &json!(code))
        );
        assert!(
            document["error"].to_string().contains(words),
            "{document:#}"
        );
        assert_eq!(tree(folder.path()), before);
        // For CI, that is another thing than something to do.
        let (status, _) = reply(folder.path(), &["my-bot", "--update", "--check"]);
        assert_eq!(status, Some(2));
        fs::remove_file(&file).unwrap();
        fs::write(&file, &whole).unwrap();
    }
}

#[test]
fn a_hash_alone_removes_and_replaces_nothing_of_the_users() {
    let (folder, made) = project(&[]);
    fs::write(made.join("mine.txt"), "mine\n").unwrap();
    append(&made.join("server/bot.py"), "# Mine.\n");
    let project: Value = serde_json::from_slice(&fs::read(made.join(PROJECT)).unwrap()).unwrap();
    let mut files = project["files"].clone();
    for path in ["mine.txt", "server/bot.py"] {
        let digest = Sha256::digest(fs::read(made.join(path)).unwrap());
        let hash = digest
            .iter()
            .fold(String::new(), |hash, byte| format!("{hash}{byte:02x}"));
        files[path] = json!(format!("sha256:{hash}"));
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

fn with_file(file: &Path, path: &str) {
    let project: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let mut files = project["files"].clone();
    files[path] = json!("sha256:0");
    with(file, "files", files);
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
            .starts_with("warning: `.bot-cli/base.tar.gz` is missing or damaged"),
        "{run:?}"
    );
    assert!(
        run.stderr
            .contains("server/bot.py: was edited, and the record no longer has the text"),
        "{run:?}"
    );
    assert_eq!(tree(&made), before);
}

//! Tests with lines that the user and the update have changed in different ways.

use std::fs;

use bot_cli_tests::init::tree;
use serde_json::json;

use super::super::{assert_snapshot, done, json as reply, shown};
use super::project;

const RECORDING: [&str; 3] = ["my-bot", "--update", "--recording"];

#[test]
fn nothing_is_written_and_a_program_gets_both_sides() {
    let (folder, made) = project(&[]);
    fs::write(made.join("server/recording.py"), "mine\n").unwrap();
    let before = tree(&made);
    assert_snapshot("update/conflicts.txt", &shown(folder.path(), &RECORDING));
    let (status, document) = reply(folder.path(), &RECORDING);
    assert_eq!(status, Some(1));
    assert_eq!(document["written"], false);
    assert_eq!(document["error"]["code"], "conflict");
    let conflict = &document["conflicts"][0];
    assert_eq!(conflict["path"], "server/recording.py");
    assert_eq!(
        [&conflict["line"], &conflict["base"], &conflict["yours"]],
        [&json!(1), &json!(""), &json!("mine\n")]
    );
    assert!(conflict["new"].as_str().unwrap().contains("class Recorder"));
    assert_eq!(tree(&made), before);
}

#[test]
fn a_conflict_shows_what_the_update_changes_and_nothing_else() {
    let (folder, made) = project(&[]);
    let bot = made.join("server/bot.py");
    let line = "            transport.output(),\n";
    super::edit(&bot, line, "            transport.output(), own(),\n");
    let shown = shown(folder.path(), &RECORDING);
    assert_eq!(shown.matches("own(),").count(), 1, "{shown}");
    assert!(!shown.contains("| -"), "{shown}");
    assert!(shown.contains("| +            Recorder("), "{shown}");
}

#[test]
fn markers_are_ordinary_edits_that_have_to_go() {
    let (folder, made) = project(&[]);
    fs::write(made.join("server/recording.py"), "mine\n").unwrap();
    let with_markers = [&RECORDING[..], &["--conflicts", "markers"]].concat();
    let (status, document) = reply(folder.path(), &with_markers);
    assert_eq!((status, &document["written"]), (Some(1), &json!(true)));
    let file = made.join("server/recording.py");
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with("<<<<<<< yours\nmine\n||||||| base\n=======\n"),
        "{text}"
    );
    assert!(text.ends_with("\n>>>>>>> new\n"), "{text}");
    // Everything else is updated.
    assert!(
        fs::read_to_string(made.join("server/bot.py"))
            .unwrap()
            .contains("Recorder(")
    );
    for further in [&["--check"][..], &[], &["--transcription"]] {
        let (status, document) = reply(folder.path(), &[&RECORDING, further].concat());
        assert_eq!(
            (status, &document["error"]["code"]),
            (Some(1), &json!("unresolved"))
        );
        assert_eq!(
            document["error"]["fields"][0]["field"],
            "server/recording.py:1"
        );
    }
    // Half of them is as bad.
    fs::write(&file, text.replacen("<<<<<<< yours\n", "", 1)).unwrap();
    let (status, document) = reply(folder.path(), &["my-bot", "--update", "--check"]);
    assert_eq!(
        (status, &document["error"]["code"]),
        (Some(1), &json!("unresolved"))
    );
    fs::write(&file, "resolved\n").unwrap();
    done(folder.path(), &["my-bot", "--update", "--check"]);
}

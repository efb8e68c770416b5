use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::super::{Base, Update};
use crate::digest::sha256;
use crate::plan::{Existing, PlannedFile};

const BOT: &str = "import os\n\nprint(1)\nprint(2)\nprint(3)\n";
const RECORDING: &str = "import wave\n\nclass Recorder:\n    rate = 1\n    depth = 2\n";

fn planned(files: &[(&str, &str)]) -> Vec<PlannedFile> {
    let file = |(path, text): &(&str, &str)| PlannedFile {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
        existing: Existing::Conflict,
    };
    files.iter().map(file).collect()
}

/// Plans the update of a project with these files.
fn plan(base: &[(&str, &str)], there: &[(&str, &str)], new: &[(&str, &str)]) -> Update {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in there {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).unwrap();
        fs::write(path, text).unwrap();
    }
    let own = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
    let texts: BTreeMap<String, String> = base.iter().map(own).collect();
    let hash = |(path, text): (&String, &String)| (path.clone(), sha256(text.as_bytes()));
    let base = Base {
        hashes: texts.iter().map(hash).collect(),
        texts,
    };
    Update::plan(folder.path(), &base, &planned(new), ">=1,<2").unwrap()
}

#[test]
fn a_moved_file_that_is_no_longer_generated_goes_unless_it_was_edited() {
    let base = [("server/bot.py", BOT), ("server/recording.py", RECORDING)];
    let new = [("server/bot.py", BOT)];
    let edited = format!("{RECORDING}    mine = 3\n");
    let crlf = RECORDING.replace('\n', "\r\n");
    let at = "backend/recording.py";
    for (text, removed, kept) in [
        (RECORDING, &[at][..], None),
        (&crlf, &[at], None),
        (
            &edited,
            &[],
            Some("no longer generated as server/recording.py, and edited by you"),
        ),
    ] {
        let update = plan(&base, &[("backend/bot.py", BOT), (at, text)], &new);
        assert_eq!(update.removed, removed);
        let whys: Vec<&str> = update.kept.iter().map(|kept| kept.why.as_str()).collect();
        assert_eq!(whys, kept.into_iter().collect::<Vec<_>>());
        let changes: Vec<(&str, bool)> = (update.changes.iter())
            .map(|change| (change.path.as_str(), change.bytes.is_none()))
            .collect();
        let expected: Vec<(&str, bool)> = removed.iter().map(|path| (*path, true)).collect();
        assert_eq!(changes, expected);
    }
}

#[test]
fn what_others_need_does_not_go_from_where_it_was_moved() {
    let base = [("server/bot.py", BOT), ("server/recording.py", RECORDING)];
    let there = [
        ("backend/bot.py", BOT),
        ("backend/recording.py", RECORDING),
        ("backend/own.py", "from recording import Recorder\n"),
    ];
    let update = plan(&base, &there, &[("server/bot.py", BOT)]);
    let obstacles: Vec<&str> = (update.obstacles.iter())
        .map(|obstacle| obstacle.reason.as_str())
        .collect();
    assert_eq!(
        obstacles,
        ["it imports `recording`, which the update removes"]
    );
}

#[test]
fn every_file_that_has_another_place_is_known_there() {
    let base = [("server/bot.py", BOT), ("server/recording.py", RECORDING)];
    let there = [("backend/bot.py", BOT), ("backend/recording.py", RECORDING)];
    let new = [("server/bot.py", BOT), ("server/evals/own.py", "x = 1\n")];
    let update = plan(&base, &there, &new);
    assert_eq!(update.created, ["backend/evals/own.py"]);
    for (path, place) in [
        ("server/bot.py", "backend/bot.py"),
        ("server/recording.py", "backend/recording.py"),
        ("server/evals/own.py", "backend/evals/own.py"),
        ("README.md", "README.md"),
    ] {
        assert_eq!(update.place(path), place);
    }
}

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::update::contents;
use super::{done, plant, tree, web};

pub(super) const STAGING: &str = ".bot-cli-init-staging";

#[test]
fn an_update_that_was_begun_is_finished_without_its_options_whatever_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    done(folder.path(), &web(&["my-bot", "--recording"]));
    let from = contents(&target);
    done(
        folder.path(),
        &["my-bot", "--update", "--no-recording", "--transcription"],
    );
    let to = contents(&target);
    let changed = from
        .keys()
        .chain(to.keys())
        .filter(|name| from.get(*name) != to.get(*name));
    let changed: BTreeSet<&String> = changed.collect();
    let (record, files): (Vec<_>, Vec<_>) = changed
        .into_iter()
        .partition(|name| name.starts_with(".bot-cli/"));
    assert!(
        files.len() > 4 && record.len() == 2,
        "{files:?}, {record:?}"
    );
    // The archive is the last.
    let order: Vec<&String> = files.into_iter().chain(record.into_iter().rev()).collect();
    for done in 0..order.len() {
        let mut found = from.clone();
        for name in &order[..done] {
            found.remove(*name);
            found.extend(to.get(*name).map(|bytes| ((*name).clone(), bytes.clone())));
        }
        plant(&target, &found);
        let staging = leave(&target, &to[".bot-cli/project.json"]);
        let is_recorded = done + 1 == order.len();
        if !is_recorded {
            let check = super::run(folder.path(), &["my-bot", "--update", "--check"]);
            assert_eq!(check.status, Some(1), "{check:?}");
            let create = super::run(folder.path(), &web(&["my-bot", "--eval"]));
            let hint = "`bot-cli init my-bot --update` finishes it";
            assert!(create.stderr.contains(hint), "{create:?}");
        }
        let next = super::run(folder.path(), &["my-bot", "--update"]);
        let goes_on = next.stderr.contains("`--update` goes on with it");
        assert_eq!((next.status, goes_on), (Some(0), !is_recorded), "{next:?}");
        assert_eq!(contents(&target), to, "{done}");
        assert!(!staging.exists());
    }
}

/// Writes to `target` what a run leaves if it is killed between its changes, before it writes this record. Returns the staging folder.
fn leave(target: &Path, record: &[u8]) -> PathBuf {
    let staging = target.join(STAGING);
    fs::create_dir_all(staging.join("new")).unwrap();
    fs::write(staging.join("new/README.md"), "new").unwrap();
    let mark = "# bot-cli init makes its changes ready in this folder.\n*\n";
    fs::write(staging.join(".gitignore"), mark).unwrap();
    fs::write(staging.join("begun.json"), record).unwrap();
    staging
}

#[test]
fn a_creation_that_was_killed_is_completed_by_its_own_command_alone() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    let options = web(&["my-bot", "--recording"]);
    done(folder.path(), &options);
    let complete = tree(&target);
    let is_file = |path: &&String| !path.ends_with('/') && !path.starts_with(".bot-cli/");
    let files: Vec<&String> = complete.keys().filter(is_file).collect();
    for made in [0, 1, files.len() / 2, files.len()] {
        let mut found = complete.clone();
        found.retain(|path, _| !path.starts_with(".bot-cli/") && !files[made..].contains(&path));
        plant(&target, &found);
        leave(&target, &complete[".bot-cli/project.json"]);
        let before = tree(&target);
        for further in [
            &["--eval"][..],
            &["--update"],
            &["--update", "--check"],
            &["--adopt"],
            &["--adopt", "--dry-run"],
        ] {
            let other = match further {
                ["--eval"] => web(&["my-bot", "--eval"]),
                further => [&["my-bot"], further].concat(),
            };
            let run = super::run(folder.path(), &other);
            assert!(matches!(run.status, Some(1 | 2)), "{run:?}");
            assert_eq!(
                run.stderr.lines().next(),
                Some("error: an earlier run has not finished creating this project"),
            );
            let hint = "hint: nothing was changed; `bot-cli init my-bot --name my-bot --transport ";
            assert!(run.stderr.contains(hint), "{run:?}");
            assert!(
                run.stderr.contains(" --recording` completes it\n"),
                "{run:?}"
            );
            assert_eq!(tree(&target), before);
        }
        done(folder.path(), &options);
        assert_eq!(tree(&target), complete);
    }
}

#[test]
fn what_was_made_ready_and_not_begun_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    fs::create_dir(&target).unwrap();
    let staging = leave(&target, b"");
    fs::remove_file(staging.join("begun.json")).unwrap();
    // What can't be done as it is written changes nothing.
    let run = super::run(
        folder.path(),
        &["my-bot", "--update", "--config", "none.json"],
    );
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(staging.exists());
    let run = super::run(folder.path(), &web(&["my-bot"]));
    assert!(!run.stderr.contains("interrupted"), "{run:?}");
    assert!(!staging.exists());
}

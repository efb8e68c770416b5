use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use bot_cli_protocol::failure::Failure;

use super::commit::{put_all, steps};
use super::staging::{self, Staging, places};
use super::{Change, Old, begun, fill, recover};

fn new(path: &str, text: &str) -> Change {
    Change::create(path, text)
}

fn changed(path: &str, from: &str, to: &str) -> Change {
    Change::replace(path, from, to)
}

fn never() -> bool {
    false
}

fn write(target: &Path, changes: &[Change], cancelled: &dyn Fn() -> bool) -> Result<(), Failure> {
    super::write(target, changes, Old::Given, cancelled)
}

/// Returns the paths of all files and folders below `folder`. Files map to their text, and folders map to an empty string.
fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(folder)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            if path.is_dir() {
                found.insert(format!("{name}/"), String::new());
                folders.push(path);
            } else {
                found.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

fn workshop() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("bot");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("notes"), "mine").unwrap();
    fs::write(target.join(".gitignore"), "a\n").unwrap();
    fs::create_dir_all(target.join("web/src")).unwrap();
    fs::write(target.join("web/src/old.ts"), "old").unwrap();
    fs::write(target.join("web/old.html"), "old").unwrap();
    (folder, target)
}

fn changes() -> Vec<Change> {
    vec![
        changed(".gitignore", "a\n", "a\nb\n"),
        new("README.md", "read"),
        new("server/bot.py", "bot"),
        new("server/evals/one.yaml", "one"),
        Change::remove("web/old.html", "old"),
        Change::remove("web/src/old.ts", "old"),
    ]
}

#[test]
fn files_join_those_that_are_there() {
    let (folder, target) = workshop();
    fs::set_permissions(target.join(".gitignore"), fs::Permissions::from_mode(0o600)).unwrap();
    write(&target, &changes(), &never).unwrap();
    let found = tree(&target);
    assert_eq!(found[".gitignore"], "a\nb\n");
    assert_eq!(found["notes"], "mine");
    assert_eq!(found["server/evals/one.yaml"], "one");
    assert!(!found.contains_key("web/"), "{found:?}");
    let mode = fs::metadata(target.join(".gitignore"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_cancelled_run_leaves_nothing() {
    for allowed in 0..7 {
        let (folder, target) = workshop();
        let before = tree(folder.path());
        let asked = Cell::new(0);
        let cancelled = || asked.replace(asked.get() + 1) >= allowed;
        let failure = write(&target, &changes(), &cancelled).unwrap_err();
        assert_eq!(failure.code, "cancelled");
        assert_eq!(tree(folder.path()), before, "{allowed}");
    }
}

fn created() -> Vec<Change> {
    let changes = changes().into_iter();
    changes.filter(|change| change.bytes.is_some()).collect()
}

fn die_after(target: &Path, changes: &[Change], count: usize) {
    let mut staging = Staging::at(&staging::place(target)).unwrap();
    fill(target, &mut staging, changes, Old::Kept, &never).unwrap();
    put_all(&staging, target, &changes[..count], Old::Given).unwrap();
}

#[test]
fn what_a_killed_run_began_is_known_and_the_same_changes_complete_it() {
    let (_done_folder, done) = workshop();
    let all = [&created()[..], &[new(".bot-cli/project.json", "record")]].concat();
    write(&done, &all, &never).unwrap();
    for count in 0..created().len() {
        let (folder, target) = workshop();
        die_after(&target, &all, count);
        // The project may have been moved since then.
        let moved = folder.path().join("moved");
        fs::rename(&target, &moved).unwrap();
        recover(&moved).unwrap();
        assert_eq!(begun(&moved), Some(b"record".to_vec()));
        let mut left = all.clone();
        left.retain(|it| fs::read(moved.join(&it.path)).ok() != it.bytes);
        write(&moved, &left, &never).unwrap();
        assert_eq!(tree(&moved), tree(&done), "{count}");
        assert_eq!(begun(&moved), None);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_staging_folder_that_comes_with_somebody_elses_project_leads_nowhere() {
    let (folder, target) = workshop();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join(".profile"), "mine").unwrap();
    let place = staging::place(&target);
    drop(Staging::at(&place).unwrap());
    for (link, to) in [
        ("new", &home),
        ("removed", &home),
        ("old", &home),
        ("begun.json", &home.join(".profile")),
    ] {
        let link = place.join(link);
        symlink(to, &link).unwrap();
        recover(&target).unwrap();
        assert_eq!(begun(&target), None);
        let failure = write(&target, &[new("a", "a")], &never).unwrap_err();
        assert_eq!(failure.code, "unsafe_staging");
        assert_eq!(fs::read_dir(&home).unwrap().count(), 1);
        fs::remove_file(&link).unwrap();
    }
    let mark = place.join(".gitignore");
    fs::remove_file(&mark).unwrap();
    symlink(home.join(".profile"), &mark).unwrap();
    let failure = write(&target, &[new("a", "a")], &never).unwrap_err();
    assert_eq!(failure.code, "unsafe_staging");
    assert_eq!(tree(&home)[".profile"], "mine");
}

#[test]
fn the_record_comes_last_and_its_archive_after_it() {
    let (_folder, target) = workshop();
    let of_record = [
        new(".bot-cli/base.gz", "base"),
        new(".bot-cli/project.json", "new"),
        Change::remove(".bot-cli/old.json", "old"),
    ];
    fs::create_dir(target.join(".bot-cli")).unwrap();
    let all = [&of_record[..], &changes()].concat();
    let steps = steps(&all, &target);
    let last: Vec<&str> = steps.iter().rev().take(3).map(|step| step.path).collect();
    assert_eq!(
        last,
        [
            ".bot-cli/base.gz",
            ".bot-cli/old.json",
            ".bot-cli/project.json"
        ]
    );
}

#[test]
fn a_run_that_was_begun_is_left_to_the_next_one() {
    let (folder, target) = workshop();
    fs::create_dir(target.join(".bot-cli")).unwrap();
    fs::write(target.join(".bot-cli/project.json"), "old").unwrap();
    let place = staging::place(&target);
    drop(Staging::at(&place).unwrap());
    fs::write(place.join("begun.json"), "new").unwrap();
    recover(&target).unwrap();
    assert_eq!(begun(&target), Some(b"new".to_vec()));
    let record = changed(".bot-cli/project.json", "old", "new");
    // One that changes nothing leaves it to the next one.
    let cancelled = write(&target, std::slice::from_ref(&record), &|| true);
    assert_eq!(cancelled.unwrap_err().code, "cancelled");
    assert_eq!(begun(&target), Some(b"new".to_vec()));
    write(&target, &[record], &never).unwrap();
    assert_eq!(begun(&target), None);
    recover(&target).unwrap();
    // The interrupted update had already written its record.
    drop(Staging::at(&place).unwrap());
    fs::write(place.join("begun.json"), "new").unwrap();
    recover(&target).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(!place.exists());
}

#[test]
fn nothing_outside_the_project_is_changed() {
    let (folder, target) = workshop();
    for path in ["../out", "/out", "", "sub/.git/config", ".Git/hooks/x"] {
        let failure = write(&target, &[new(path, "x")], &never).unwrap_err();
        assert_eq!(failure.code, "write_failed", "{path}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

const MEANWHILE: [&str; 3] = [".gitignore", "README.md", "server"];

#[test]
fn what_appears_meanwhile_is_not_overwritten_and_the_rest_is_taken_back() {
    for path in MEANWHILE {
        let (folder, target) = workshop();
        let asked = Cell::new(0);
        let interfere = || {
            asked.set(asked.get() + 1);
            if asked.get() == 5 {
                fs::write(target.join(path), "theirs").unwrap();
            }
            false
        };
        let failure = write(&target, &created(), &interfere).unwrap_err();
        assert_eq!(failure.code, "conflict", "{path}");
        let mut expected = tree(workshop().1.as_path());
        expected.insert(path.to_owned(), "theirs".to_owned());
        assert_eq!(tree(&target), expected, "{path}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn an_update_with_a_change_that_can_not_be_made_is_taken_back() {
    for (path, text) in [
        ("web/src/old.ts", "theirs"),
        (".bot-cli/project.json", "theirs"),
    ] {
        let (folder, target) = workshop();
        fs::create_dir(target.join(".bot-cli")).unwrap();
        fs::write(target.join(".bot-cli/project.json"), "old").unwrap();
        fs::set_permissions(target.join(".gitignore"), fs::Permissions::from_mode(0o600)).unwrap();
        let record = changed(".bot-cli/project.json", "old", "new");
        fs::create_dir_all(target.join(".bot-cli/before/files")).unwrap();
        fs::write(target.join(".bot-cli/before/files/older"), "older").unwrap();
        fs::write(target.join(path), text).unwrap();
        let before = tree(&target);
        for old in [Old::Given, Old::Kept] {
            let all = [&[record.clone()][..], &changes()].concat();
            let failure = super::write(&target, &all, old, &never).unwrap_err();
            assert_eq!(failure.code, "conflict");
            assert_eq!(tree(&target), before);
            let mode = fs::metadata(target.join(".gitignore"))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600);
            assert_eq!(begun(&target), None);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn the_old_files_are_kept_also_those_of_an_interrupted_update() {
    let (_folder, target) = workshop();
    let record = changed(".bot-cli/project.json", "old", "new");
    let all = [&changes()[..], &[record]].concat();
    fs::create_dir_all(target.join(".bot-cli/before/files")).unwrap();
    fs::write(target.join(".bot-cli/before/files/older"), "older").unwrap();
    fs::write(target.join(".bot-cli/project.json"), "old").unwrap();
    die_after(&target, &all, 2);
    super::write(&target, &all[2..], Old::Kept, &never).unwrap();
    let found = tree(&target.join(".bot-cli/before/files"));
    let files: Vec<_> = found
        .iter()
        .filter(|(path, _)| !path.ends_with('/'))
        .collect();
    let expected = [
        (".bot-cli/project.json", "old"),
        (".gitignore", "a\n"),
        ("web/old.html", "old"),
        ("web/src/old.ts", "old"),
    ];
    let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned()));
    assert_eq!(
        files,
        expected
            .iter()
            .map(|(path, text)| (path, text))
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_folder_of_the_users_is_no_staging_folder() {
    for (is_marked, files) in [
        (false, &[("notes", "mine")][..]),
        (false, &[(".gitignore", "*\n"), ("lock", "")]),
        (false, &[("lock", ""), ("notes", "mine")]),
        // The remains of a run that was killed before it marked the folder.
        (true, &[]),
        (true, &[(".gitignore", "")]),
        (true, &[(".gitignore", "# bot-cli init m")]),
    ] {
        for is_there in [true, false] {
            let (folder, target) = workshop();
            if !is_there {
                fs::remove_dir_all(&target).unwrap();
            }
            let empty = tree(folder.path());
            for place in places(&target) {
                fs::create_dir_all(&place).unwrap();
                for (name, text) in files {
                    fs::write(place.join(name), text).unwrap();
                }
            }
            let before = tree(folder.path());
            recover(&target).unwrap();
            if is_marked {
                assert_eq!(tree(folder.path()), empty, "{files:?}");
                continue;
            }
            let failure = write(&target, &[new("README.md", "read")], &never).unwrap_err();
            assert_eq!(failure.code, "unsafe_staging", "{files:?}");
            assert_eq!(tree(folder.path()), before, "{files:?}");
        }
    }
}

#[test]
fn taking_back_never_takes_what_somebody_put_into_a_new_folder() {
    let (_folder, target) = workshop();
    let mut staging = Staging::at(&staging::place(&target)).unwrap();
    let changes = [new("server/bot.py", "bot"), changed("notes", "other", "x")];
    fill(&target, &mut staging, &changes, Old::Given, &never).unwrap();
    // The file moves with the folder, which has the same effect as a file that was added just after it.
    staging::write(&staging.new_files(), Path::new("server/own.txt"), b"mine").unwrap();
    let failure = put_all(&staging, &target, &changes, Old::Given).unwrap_err();
    assert_eq!(failure.code, "conflict");
    let found = tree(&target);
    assert_eq!(found["server/own.txt"], "mine");
    assert_eq!(found["notes"], "mine");
    assert!(!found.contains_key("server/bot.py"));
}

#[test]
fn two_runs_do_not_mix() {
    let (_folder, target) = workshop();
    let place = &staging::place(&target);
    let other = Staging::at(place).unwrap();
    assert_eq!(recover(&target).unwrap_err().code, "busy");
    assert_eq!(write(&target, &changes(), &never).unwrap_err().code, "busy");
    other.remove().unwrap();
    write(&target, &changes(), &never).unwrap();
}

#[test]
fn a_link_put_in_a_folders_place_is_not_followed() {
    let (folder, target) = workshop();
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("one.yaml"), "theirs").unwrap();
    fs::create_dir_all(target.join("server/evals")).unwrap();
    fs::write(target.join("server/evals/one.yaml"), "theirs").unwrap();
    let change = changed("server/evals/one.yaml", "theirs", "ours");
    let added = new("server/evals/two.yaml", "ours");
    let swap = || {
        if fs::remove_dir_all(target.join("server/evals")).is_ok() {
            symlink(&outside, target.join("server/evals")).unwrap();
        }
        false
    };
    let failure = write(&target, &[change, added], &swap).unwrap_err();
    assert_eq!(failure.code, "conflict");
    assert_eq!(
        tree(&outside),
        BTreeMap::from([("one.yaml".to_owned(), "theirs".to_owned())])
    );
}

#[test]
fn a_removal_leaves_folders_that_somebody_uses_and_links_in_their_places() {
    let (folder, target) = workshop();
    fs::write(target.join("web/mine"), "mine").unwrap();
    write(&target, &changes(), &never).unwrap();
    let found = tree(&target);
    assert_eq!(found["web/mine"], "mine");
    assert!(!found.contains_key("web/src/"), "{found:?}");

    let outside = folder.path().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("old.ts"), "old").unwrap();
    symlink(&outside, target.join("linked")).unwrap();
    for path in ["linked/old.ts", "linked"] {
        let failure = write(&target, &[Change::remove(path, "old")], &never).unwrap_err();
        assert_eq!(failure.code, "conflict", "{path}");
    }
    assert_eq!(fs::read_to_string(outside.join("old.ts")).unwrap(), "old");
}

#[test]
fn a_target_that_has_gone_gets_no_file_that_replaces_one() {
    let (folder, target) = workshop();
    fs::remove_dir_all(&target).unwrap();
    let failure = write(&target, &changes(), &never).unwrap_err();
    assert_eq!(failure.code, "conflict");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

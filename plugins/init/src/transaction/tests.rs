use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use bot_cli_protocol::failure::Failure;

use super::commit::{self, Journal};
use super::staging::{self, Staging, places};
use super::{Change, Old, Recovered, begun, create, is_unfinished, recover};

fn new(path: &str, text: &str) -> Change {
    Change::create(path, text)
}

fn changed(path: &str, from: &str, to: &str) -> Change {
    Change::replace(path, from, to)
}

fn never() -> bool {
    false
}

fn update(target: &Path, changes: &[Change], cancelled: &dyn Fn() -> bool) -> Result<(), Failure> {
    super::update(target, changes, Old::Given, cancelled)
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

/// Creates a temporary folder that contains a target with files.
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
fn a_target_appears_with_its_parents() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a/b/bot");
    create(&target, &changes()[1..4], &never).unwrap();
    assert_eq!(
        tree(folder.path()).into_keys().collect::<Vec<_>>(),
        [
            "a/",
            "a/b/",
            "a/b/bot/",
            "a/b/bot/README.md",
            "a/b/bot/server/",
            "a/b/bot/server/bot.py",
            "a/b/bot/server/evals/",
            "a/b/bot/server/evals/one.yaml"
        ]
    );
}

#[test]
fn files_join_those_that_are_there() {
    let (folder, target) = workshop();
    fs::set_permissions(target.join(".gitignore"), fs::Permissions::from_mode(0o600)).unwrap();
    update(&target, &changes(), &never).unwrap();
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
        let failure = update(&target, &changes(), &cancelled).unwrap_err();
        assert_eq!(failure.code, "cancelled");
        assert_eq!(tree(folder.path()), before, "{allowed}");
    }
}

fn stage(staging: &Staging, changes: &[Change]) {
    for change in changes {
        if let Some(bytes) = &change.bytes {
            staging.write(Path::new(&change.path), bytes).unwrap();
        }
    }
}

/// Returns the changes for creating a project. None of these changes removes a file.
fn created() -> Vec<Change> {
    let changes = changes().into_iter();
    changes.filter(|change| change.bytes.is_some()).collect()
}

/// Simulates a run that is killed after `steps` renames, or before writing the journal if `steps` is `None`.
fn die_after(target: &Path, steps: Option<usize>) {
    let staging = Staging::create(&staging::place(target)).unwrap();
    stage(&staging, &created());
    let journal = Journal::of(&created(), target);
    let Some(steps) = steps else { return };
    journal.write(&staging).unwrap();
    let part = Journal {
        steps: journal.steps[..steps].to_vec(),
    };
    commit::complete(&part, &staging, target).unwrap();
}

#[test]
fn the_next_run_ends_what_a_killed_one_began() {
    let (_done_folder, done) = workshop();
    create(&done, &created(), &never).unwrap();
    for steps in std::iter::once(None).chain((0..=3).map(Some)) {
        let (folder, target) = workshop();
        let before = tree(&target);
        die_after(&target, steps);
        // Recovery works even after the project was moved.
        let moved = folder.path().join("moved");
        fs::rename(&target, &moved).unwrap();
        assert_eq!(is_unfinished(&moved), steps.is_some());
        let recovered = recover(&moved).unwrap();
        let (outcome, found) = match steps {
            None => (Recovered::Nothing, before),
            Some(_) => (Recovered::Completed(Vec::new()), tree(&done)),
        };
        assert_eq!((recovered, tree(&moved)), (outcome, found), "{steps:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{steps:?}");
        assert_eq!(recover(&moved).unwrap(), Recovered::Nothing);
    }
}

#[test]
fn completing_spares_what_came_in_between_and_says_so() {
    let (folder, target) = workshop();
    die_after(&target, Some(1));
    fs::write(target.join("README.md"), "theirs").unwrap();
    fs::write(target.join(".gitignore"), "theirs").unwrap();
    let spared = vec!["README.md".to_owned()];
    assert_eq!(recover(&target).unwrap(), Recovered::Completed(spared));
    assert_eq!(tree(&target)["README.md"], "theirs");
    assert_eq!(tree(&target)[".gitignore"], "theirs");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_staging_folder_that_comes_with_somebody_elses_project_leads_nowhere() {
    let (folder, target) = workshop();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join(".profile"), "mine").unwrap();
    die_after(&target, Some(0));
    let place = staging::place(&target);
    fs::write(target.join("notes"), "x").unwrap();
    for (link, to) in [
        ("new", &home),
        ("removed", &home),
        ("old", &home),
        ("lock", &home.join("lock")),
    ] {
        let link = place.join(link);
        let aside = place.join("aside");
        let was_there = fs::rename(&link, &aside).is_ok();
        symlink(to, &link).unwrap();
        let journal = r#"{"steps":[{"path":".profile","replaces":null},{"path":"notes","replaces":"HASH","removes":true}]}"#;
        let journal = journal.replace("HASH", &crate::digest::sha256(b"x"));
        fs::write(place.join("journal.json"), journal).unwrap();
        assert_eq!(recover(&target).unwrap(), Recovered::Nothing);
        let failure = update(&target, &[new("a", "a")], &never).unwrap_err();
        assert_eq!(failure.code, "unsafe_staging");
        assert_eq!(fs::read_dir(&home).unwrap().count(), 1);
        assert!(target.join("notes").exists() && !target.join(".profile").exists());
        fs::remove_file(&link).unwrap();
        if was_there {
            fs::rename(aside, link).unwrap();
        }
    }
}

#[test]
fn the_record_comes_last_and_its_archive_after_it() {
    let (_folder, target) = workshop();
    let of_record = [
        new(".bot-cli/base.tar.gz", "base"),
        new(".bot-cli/project.json", "new"),
        Change::remove(".bot-cli/old.json", "old"),
    ];
    fs::create_dir(target.join(".bot-cli")).unwrap();
    let journal = Journal::of(&[&of_record[..], &changes()].concat(), &target);
    let last = journal.steps.iter().rev().take(3);
    let last: Vec<&str> = last.map(|step| step.path.as_str()).collect();
    assert_eq!(
        last,
        [
            ".bot-cli/base.tar.gz",
            ".bot-cli/old.json",
            ".bot-cli/project.json"
        ]
    );
}

#[test]
fn an_update_that_was_begun_is_left_to_the_next_one() {
    let (folder, target) = workshop();
    fs::create_dir(target.join(".bot-cli")).unwrap();
    fs::write(target.join(".bot-cli/project.json"), "old").unwrap();
    let place = staging::place(&target);
    drop(Staging::create(&place).unwrap());
    fs::write(place.join("update.json"), "new").unwrap();
    assert_eq!(recover(&target).unwrap(), Recovered::Update);
    assert_eq!(begun(&target), Some(b"new".to_vec()));
    let record = changed(".bot-cli/project.json", "old", "new");
    // One that changes nothing leaves it to the next one.
    let cancelled = update(&target, std::slice::from_ref(&record), &|| true);
    assert_eq!(cancelled.unwrap_err().code, "cancelled");
    assert_eq!(begun(&target), Some(b"new".to_vec()));
    update(&target, &[record], &never).unwrap();
    assert_eq!(begun(&target), None);
    assert_eq!(recover(&target).unwrap(), Recovered::Nothing);
    // The interrupted update had already written its record.
    drop(Staging::create(&place).unwrap());
    fs::write(place.join("update.json"), "new").unwrap();
    assert_eq!(recover(&target).unwrap(), Recovered::Nothing);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(!place.exists());
}

#[test]
fn nothing_outside_the_project_is_changed() {
    let (folder, target) = workshop();
    for path in ["../out", "/out", "", "sub/.git/config", ".Git/hooks/x"] {
        let failure = update(&target, &[new(path, "x")], &never).unwrap_err();
        assert_eq!(failure.code, "write_failed", "{path}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Paths that another program creates or changes during the write.
const MEANWHILE: [&str; 3] = [".gitignore", "README.md", "server"];

#[test]
fn what_appears_meanwhile_is_not_overwritten_and_a_creation_is_taken_back() {
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
        let failure = create(&target, &created(), &interfere).unwrap_err();
        assert_eq!(failure.code, "conflict", "{path}");
        let mut expected = tree(workshop().1.as_path());
        expected.insert(path.to_owned(), "theirs".to_owned());
        assert_eq!(tree(&target), expected, "{path}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn an_update_that_is_stuck_leaves_its_record_to_the_next_run() {
    let (_folder, target) = workshop();
    fs::create_dir(target.join(".bot-cli")).unwrap();
    fs::write(target.join(".bot-cli/project.json"), "old").unwrap();
    let record = changed(".bot-cli/project.json", "old", "new");
    let mut all = [&[record][..], &changes()].concat();
    fs::write(target.join("web/src/old.ts"), "theirs").unwrap();
    let failure = update(&target, &all, &never).unwrap_err();
    assert_eq!(failure.code, "interrupted");
    assert_eq!(tree(&target)["web/src/old.ts"], "theirs");
    assert_eq!(tree(&target)[".bot-cli/project.json"], "old");
    assert_eq!(begun(&target), Some(b"new".to_vec()));
    assert_eq!(recover(&target).unwrap(), Recovered::Update);
    // The next run does not repeat completed changes.
    all.truncate(1);
    update(&target, &all, &never).unwrap();
    assert_eq!(recover(&target).unwrap(), Recovered::Nothing);
    // A first step that fails changes nothing.
    let first = [changed("notes", "other", "x"), new("own", "x")];
    assert_eq!(
        update(&target, &first, &never).unwrap_err().code,
        "conflict"
    );
    assert!(!target.join("own").exists());
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
            assert_eq!(recover(&target).unwrap(), Recovered::Nothing);
            if is_marked {
                assert_eq!(tree(folder.path()), empty, "{files:?}");
                continue;
            }
            let failure = create(&target, &[new("README.md", "read")], &never).unwrap_err();
            assert_eq!(failure.code, "unsafe_staging", "{files:?}");
            assert_eq!(tree(folder.path()), before, "{files:?}");
        }
    }
}

#[test]
fn taking_back_never_takes_what_somebody_put_into_a_new_folder() {
    let (_folder, target) = workshop();
    let staging = Staging::create(&staging::place(&target)).unwrap();
    let changes = [new("server/bot.py", "bot"), changed("notes", "other", "x")];
    stage(&staging, &changes);
    // The file moves with the folder, which has the same effect as a file that was added just after it.
    let own = Path::new("server/own.txt");
    staging.write(own, b"mine").unwrap();
    let failure = commit::create(&changes, &staging, &target).unwrap_err();
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
    let other = Staging::create(place).unwrap();
    assert_eq!(recover(&target).unwrap_err().code, "busy");
    assert_eq!(
        update(&target, &changes(), &never).unwrap_err().code,
        "busy"
    );
    other.remove().unwrap();
    update(&target, &changes(), &never).unwrap();
}

#[test]
fn a_journal_never_leads_out_of_the_target() {
    let (folder, target) = workshop();
    die_after(&target, Some(0));
    let journal = staging::place(&target).join("journal.json");
    for path in [
        "../out",
        "/out",
        "a/../../out",
        ".git/hooks/x",
        "a/.GIT/config",
    ] {
        let text = format!(r#"{{"steps":[{{"path":"{path}","replaces":null}}]}}"#);
        fs::write(&journal, text).unwrap();
        assert_eq!(recover(&target).unwrap_err().code, "unreadable", "{path}");
    }
    assert!(!folder.path().join("out").exists());
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
    let failure = update(&target, &[change, added], &swap).unwrap_err();
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
    update(&target, &changes(), &never).unwrap();
    let found = tree(&target);
    assert_eq!(found["web/mine"], "mine");
    assert!(!found.contains_key("web/src/"), "{found:?}");

    let outside = folder.path().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("old.ts"), "old").unwrap();
    symlink(&outside, target.join("linked")).unwrap();
    for path in ["linked/old.ts", "linked"] {
        let failure = update(&target, &[Change::remove(path, "old")], &never).unwrap_err();
        assert_eq!(failure.code, "conflict", "{path}");
    }
    assert_eq!(fs::read_to_string(outside.join("old.ts")).unwrap(), "old");
}

#[test]
fn a_target_that_has_gone_gets_no_file_that_replaces_one() {
    let (folder, target) = workshop();
    fs::remove_dir_all(&target).unwrap();
    let failure = update(&target, &changes(), &never).unwrap_err();
    assert_eq!(failure.code, "conflict");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

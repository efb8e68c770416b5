use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use bot_cli_protocol::failure::Failure;

use super::journal::Journal;
use super::staging::{self, Staging, places};
use super::{Change, Old, Recovered, Work, begun, commit, is_unfinished, recover};

fn new(path: &str, text: &str) -> Change {
    Change::create(path, text)
}

fn changed(path: &str, from: &str, to: &str) -> Change {
    Change::replace(path, from, to)
}

fn never() -> bool {
    false
}

/// As an update does.
fn write(target: &Path, changes: &[Change], cancelled: &dyn Fn() -> bool) -> Result<(), Failure> {
    super::write(target, changes, Work::Update(Old::Given), cancelled)
}

/// Every file below a folder, with its text; empty folders by their path.
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

/// A folder with a target in it that has files.
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
    write(&target, &changes()[1..4], &never).unwrap();
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

#[test]
fn what_appears_meanwhile_is_not_overwritten_and_all_is_taken_back() {
    for path in [
        ".gitignore",
        "README.md",
        "server",
        "web/old.html",
        "web/src/old.ts",
    ] {
        let (folder, target) = workshop();
        let asked = Cell::new(0);
        let interfere = || {
            asked.set(asked.get() + 1);
            if asked.get() == 5 {
                fs::write(target.join(path), "theirs").unwrap();
            }
            false
        };
        let failure = write(&target, &changes(), &interfere).unwrap_err();
        assert_eq!(failure.code, "conflict", "{path}");
        let mut expected = tree(workshop().1.as_path());
        expected.insert(path.to_owned(), "theirs".to_owned());
        // Whether `server` was there when the renames were planned decides what collides; the outcome is the same.
        assert_eq!(tree(&target), expected, "{path}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

fn stage(staging: &Staging, changes: &[Change]) {
    for change in changes {
        if let Some(bytes) = &change.bytes {
            staging.write(Path::new(&change.path), bytes).unwrap();
        }
    }
}

/// What a creation does, which removes nothing.
fn created() -> Vec<Change> {
    let changes = changes().into_iter();
    changes.filter(|change| change.bytes.is_some()).collect()
}

/// Goes as far as `steps` renames behind the journal and dies; `None`: dies before the journal.
fn die_after(target: &Path, steps: Option<usize>) {
    die_in(&created(), target, steps);
}

fn die_in(changes: &[Change], target: &Path, steps: Option<usize>) {
    let staging = Staging::create(&staging::place(target)).unwrap();
    stage(&staging, changes);
    let journal = Journal::of(changes, target);
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
    write(&done, &created(), &never).unwrap();
    for steps in std::iter::once(None).chain((0..=3).map(Some)) {
        let (folder, target) = workshop();
        let before = tree(&target);
        die_after(&target, steps);
        let recovered = recover(&target).unwrap();
        if steps.is_none() {
            assert_eq!(recovered, Recovered::Discarded);
            assert_eq!(tree(&target), before);
        } else {
            assert_eq!(recovered, Recovered::Completed);
            assert_eq!(tree(&target), tree(&done), "{steps:?}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{steps:?}");
        assert_eq!(recover(&target).unwrap(), Recovered::Nothing);
    }
}

#[test]
fn completing_spares_what_came_in_between_and_says_so() {
    let (folder, target) = workshop();
    die_after(&target, Some(1));
    fs::write(target.join("README.md"), "theirs").unwrap();
    fs::write(target.join(".gitignore"), "theirs").unwrap();
    let spared = vec!["README.md".to_owned()];
    assert_eq!(recover(&target).unwrap(), Recovered::Partly(spared));
    assert_eq!(tree(&target)["README.md"], "theirs");
    assert_eq!(tree(&target)[".gitignore"], "theirs");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_was_taken_back_since_is_not_taken_for_done() {
    let all = [
        &[changed(".bot-cli/project.json", "old", "new")][..],
        &created(),
    ]
    .concat();
    let count = Journal::of(&all, &workshop().1).steps.len();
    for steps in 1..=count {
        let (_folder, target) = workshop();
        fs::create_dir(target.join(".bot-cli")).unwrap();
        fs::write(target.join(".bot-cli/project.json"), "old").unwrap();
        let before = tree(&target);
        die_in(&all, &target, Some(steps));
        // As `git checkout . && git clean -fd` does, which leaves ignored files alone.
        for (path, text) in &before {
            if !path.ends_with('/') {
                fs::create_dir_all(target.join(path).parent().unwrap()).unwrap();
                fs::write(target.join(path), text).unwrap();
            }
        }
        for path in ["README.md", "server"] {
            let _ = fs::remove_file(target.join(path));
            let _ = fs::remove_dir_all(target.join(path));
        }
        let recovered = recover(&target).unwrap();
        assert!(
            matches!(recovered, Recovered::Partly(_)),
            "{steps}: {recovered:?}"
        );
        let found = tree(&target);
        assert_eq!(found[".bot-cli/project.json"], "old", "{steps}");
    }
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
        let failure = write(&target, &[new("a", "a")], &never).unwrap_err();
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
    write(&target, &[record], &never).unwrap();
    assert_eq!(begun(&target), None);
    assert_eq!(recover(&target).unwrap(), Recovered::Nothing);
    // One that had come to its end.
    drop(Staging::create(&place).unwrap());
    fs::write(place.join("update.json"), "new").unwrap();
    assert_eq!(recover(&target).unwrap(), Recovered::Discarded);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(!place.exists());
}

#[test]
fn what_is_staged_and_in_its_place_is_done() {
    let (folder, target) = workshop();
    die_after(&target, Some(1));
    let staged = staging::place(&target).join("new");
    fs::write(staged.join(".gitignore"), "a\nb\n").unwrap();
    fs::write(target.join("README.md"), "read").unwrap();
    assert_eq!(recover(&target).unwrap(), Recovered::Completed);
    assert_eq!(tree(&target)["README.md"], "read");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
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

#[test]
fn a_folder_of_the_users_is_no_staging_folder() {
    let made = |place: &Path, files: &[(&str, &str)]| {
        fs::create_dir_all(place).unwrap();
        for (name, text) in files {
            fs::write(place.join(name), text).unwrap();
        }
    };
    for is_there in [true, false] {
        for files in [
            &[("notes", "mine")][..],
            &[("lock", "mine")],
            &[(".gitignore", "*\n"), ("lock", "")],
            &[("lock", ""), ("notes", "mine")],
            &[("journal.json", r#"{"steps":[]}"#)],
            &[("journal.json", "mine"), ("lock", "")],
        ] {
            let (folder, target) = workshop();
            if !is_there {
                fs::remove_dir_all(&target).unwrap();
            }
            let all = places(&target);
            for place in &all {
                made(place, files);
            }
            let before = tree(folder.path());
            assert_eq!(recover(&target).unwrap(), Recovered::Nothing);
            assert!(!is_unfinished(&target).unwrap());
            let create = [new("README.md", "read")];
            let failure = write(&target, &create, &never).unwrap_err();
            assert_eq!(failure.code, "unsafe_staging", "{files:?}");
            assert_eq!(tree(folder.path()), before, "{files:?}");
        }
        // What a run leaves that is killed before it has said whose the folder is.
        for files in [
            &[][..],
            &[(".gitignore", "")],
            &[(".gitignore", "# bot-cli init m")],
        ] {
            let (folder, target) = workshop();
            let before = tree(folder.path());
            for place in places(&target) {
                made(&place, files);
            }
            assert_eq!(recover(&target).unwrap(), Recovered::Discarded);
            assert_eq!(tree(folder.path()), before, "{files:?}");
        }
    }
}

#[test]
fn a_staging_folder_is_known_until_nothing_else_of_it_is_there() {
    let (folder, target) = workshop();
    let before = tree(folder.path());
    die_after(&target, None);
    let place = staging::place(&target);
    fs::remove_dir_all(place.join("new")).unwrap();
    assert_eq!(recover(&target).unwrap(), Recovered::Discarded);
    assert_eq!(tree(folder.path()), before);
    // One that another run is using.
    let staging = Staging::create(&place).unwrap();
    Journal::default().write(&staging).unwrap();
    assert_eq!(is_unfinished(&target).unwrap_err().code, "busy");
    drop(staging);
    assert!(is_unfinished(&target).unwrap());
}

#[test]
fn a_killed_run_is_completed_wherever_its_project_is_moved() {
    let (_done_folder, done) = workshop();
    write(&done, &created(), &never).unwrap();
    let (folder, target) = workshop();
    die_after(&target, Some(2));
    let moved = folder.path().join("renamed");
    fs::rename(&target, &moved).unwrap();
    assert!(is_unfinished(&moved).unwrap());
    assert_eq!(recover(&moved).unwrap(), Recovered::Completed);
    assert_eq!(tree(&moved), tree(&done));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn two_runs_do_not_mix() {
    let (_folder, target) = workshop();
    let place = &staging::place(&target);
    let other = Staging::create(place).unwrap();
    assert_eq!(recover(&target).unwrap_err().code, "busy");
    assert_eq!(write(&target, &changes(), &never).unwrap_err().code, "busy");
    other.remove().unwrap();
    write(&target, &changes(), &never).unwrap();
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
    let failure = write(&target, &[change, added], &swap).unwrap_err();
    assert_eq!(failure.code, "conflict");
    assert_eq!(
        tree(&outside),
        BTreeMap::from([("one.yaml".to_owned(), "theirs".to_owned())])
    );
}

#[test]
fn taking_back_never_takes_what_somebody_put_into_a_new_folder() {
    let (_folder, target) = workshop();
    let staging = Staging::create(&staging::place(&target)).unwrap();
    let changes = [new("server/bot.py", "bot"), changed("notes", "other", "x")];
    stage(&staging, &changes);
    // It arrives with the folder: to whoever takes the folder back, that is no different from arriving just after it.
    let own = Path::new("server/own.txt");
    staging.write(own, b"mine").unwrap();
    let stuck = commit::merge(&changes, &staging, &target, Work::Update(Old::Given)).unwrap_err();
    assert!(matches!(stuck, super::Error::Stuck(..)), "{stuck:?}");
    assert_eq!(tree(&target)["server/own.txt"], "mine");
    assert_eq!(tree(&target)["notes"], "mine");
}

#[test]
fn what_is_removed_keeps_its_permissions_when_it_comes_back() {
    let (folder, target) = workshop();
    let script = target.join("web/old.html");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o750)).unwrap();
    let before = tree(&target);
    let changes = [
        Change::remove("web/old.html", "old"),
        Change::remove("web/src/old.ts", "old"),
        Change::remove("notes", "somebody else's"),
    ];
    let failure = write(&target, &changes, &never).unwrap_err();
    assert_eq!(failure.code, "conflict");
    assert_eq!(tree(&target), before);
    let mode = fs::metadata(&script).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
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

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::{CONTENTS, FILES, FOLDER, IGNORE, keep, restore};
use crate::transaction::{Change, write};

/// The path, contents and permissions of every file.
type Files = BTreeMap<PathBuf, (Vec<u8>, u32)>;

fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            let name = path.strip_prefix(folder).unwrap().to_owned();
            found.insert(name, (fs::read(path).unwrap(), mode));
        }
    }
    found
}

/// A project with a file of the user's, one to replace, and two to remove.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = |path: &str, text: &str, mode: u32| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    file("notes", "mine", 0o644);
    file("server/bot.py", "bot\n", 0o600);
    file("client/run", "run\n", 0o755);
    file("client/src/main.ts", "main\r\n", 0o640);
    folder
}

fn changes() -> Vec<Change> {
    vec![
        Change::replace("server/bot.py", "bot\n", "newer\n"),
        Change::create("server/recording.py", "recording\n"),
        Change::remove("client/run", "run\n"),
        Change::remove("client/src/main.ts", "main\r\n"),
    ]
}

fn update(target: &Path, mut changes: Vec<Change>) -> io::Result<()> {
    changes.extend(keep(target, &changes, false)?);
    write(target, &changes, &|| false).unwrap();
    Ok(())
}

fn undo(target: &Path) -> Result<(), bot_cli_sdk::failure::Failure> {
    write(target, &restore(target)?, &|| false)
}

#[test]
fn everything_comes_back_once_with_its_permissions() {
    let project = project();
    let before = files(project.path());
    update(project.path(), changes()).unwrap();
    assert!(!project.path().join("client").exists());
    undo(project.path()).unwrap();
    assert_eq!(files(project.path()), before);
    assert!(!project.path().join(".bot-cli").exists());
    let failure = undo(project.path()).unwrap_err();
    assert_eq!(failure.code, "nothing_to_undo");
    assert_eq!(failure.message, "there is nothing to undo");
}

#[test]
fn only_the_last_update_is_undone() {
    let project = project();
    update(project.path(), changes()).unwrap();
    let first = files(project.path());
    let second = [
        Change::create("client/run", "second\n"),
        Change::replace("server/bot.py", "newer\n", "newest\n"),
    ];
    update(project.path(), second.into()).unwrap();
    assert_eq!(fs::read(project.path().join(IGNORE)).unwrap(), b"*\n");
    undo(project.path()).unwrap();
    let without_undo = |mut files: Files| {
        files.retain(|path, _| !path.starts_with(FOLDER));
        files
    };
    assert_eq!(without_undo(files(project.path())), without_undo(first));
    assert_eq!(undo(project.path()).unwrap_err().code, "nothing_to_undo");
}

#[test]
fn an_update_without_changes_keeps_the_way_back() {
    let project = project();
    update(project.path(), changes()).unwrap();
    assert_eq!(keep(project.path(), &[], false).unwrap(), []);
}

#[test]
fn what_went_on_from_an_interrupted_update_is_not_taken_back() {
    let project = project();
    let kept = keep(project.path(), &changes(), true).unwrap();
    write(project.path(), &[changes(), kept].concat(), &|| false).unwrap();
    let after = files(project.path());
    let failure = undo(project.path()).unwrap_err();
    assert_eq!(failure.code, "nothing_to_undo");
    assert!(failure.message.contains("interrupted"), "{failure}");
    assert_eq!(files(project.path()), after);
    // The next one can be.
    let next = [Change::replace("server/bot.py", "newer\n", "newest\n")];
    update(project.path(), next.to_vec()).unwrap();
    undo(project.path()).unwrap();
    let bot = fs::read_to_string(project.path().join("server/bot.py")).unwrap();
    assert_eq!(bot, "newer\n");
}

#[test]
fn what_is_kept_is_as_private_as_the_most_private_file() {
    let project = project();
    update(project.path(), changes()).unwrap();
    for path in [FILES, CONTENTS] {
        assert_eq!(files(project.path())[Path::new(path)].1, 0o600, "{path}");
    }
}

#[test]
fn later_work_is_named_and_never_lost() {
    let project = project();
    update(project.path(), changes()).unwrap();
    let at = |path: &str| project.path().join(path);
    fs::write(at("server/bot.py"), "mine\n").unwrap();
    fs::remove_file(at("server/recording.py")).unwrap();
    fs::create_dir_all(at("client/run")).unwrap();
    fs::create_dir(at("client/src")).unwrap();
    fs::write(at("client/src/main.ts"), "mine\n").unwrap();
    let before = files(project.path());
    let failure = undo(project.path()).unwrap_err();
    assert_eq!(failure.code, "conflict");
    assert_eq!(
        failure.message,
        "3 files have changed since the last update"
    );
    let named: Vec<_> = failure
        .fields
        .iter()
        .map(|field| (field.field.as_str(), field.problem.as_str()))
        .collect();
    assert_eq!(
        named,
        [
            ("server/bot.py", "was changed since"),
            ("client/run", "is not a regular file"),
            ("client/src/main.ts", "was created since"),
        ]
    );
    assert_eq!(files(project.path()), before);
}

#[test]
fn what_is_as_it_was_already_is_left_alone() {
    let project = project();
    let before = files(project.path());
    update(project.path(), changes()).unwrap();
    fs::remove_file(project.path().join("server/recording.py")).unwrap();
    fs::write(project.path().join("server/bot.py"), "bot\n").unwrap();
    undo(project.path()).unwrap();
    assert_eq!(files(project.path()), before);
}

#[test]
fn the_way_back_stays_where_there_is_nothing_to_put_back() {
    let project = project();
    let before = files(project.path());
    update(project.path(), changes()).unwrap();
    let after = files(project.path());
    let plant = |files: &Files| {
        for change in changes() {
            let path = Path::new(&change.path);
            match files.get(path) {
                Some((bytes, mode)) => {
                    let path = project.path().join(path);
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(&path, bytes).unwrap();
                    fs::set_permissions(path, fs::Permissions::from_mode(*mode)).unwrap();
                }
                None => fs::remove_file(project.path().join(path)).unwrap(),
            }
        }
    };
    plant(&before);
    let failure = undo(project.path()).unwrap_err();
    assert_eq!(failure.code, "nothing_to_undo");
    assert_eq!(
        failure.message,
        "the files are already as they were before the last update"
    );
    plant(&after);
    assert_eq!(files(project.path()), after);
    undo(project.path()).unwrap();
    assert_eq!(files(project.path()), before);
}

#[test]
fn what_is_kept_never_leads_out_of_the_project_or_into_git() {
    let project = project();
    let target = project.path().join("server");
    for path in [
        "../notes",
        "/notes",
        "a/../../notes",
        ".git/hooks/x",
        ".GIT/config",
    ] {
        update(&target, vec![Change::create("x", "x")]).unwrap();
        let list = fs::read_to_string(target.join(FILES)).unwrap();
        fs::write(
            target.join(FILES),
            list.replace("\"x\"", &format!("{path:?}")),
        )
        .unwrap();
        let failure = undo(&target).unwrap_err();
        assert_eq!(failure.code, "unreadable", "{path}");
        fs::remove_dir_all(target.join(FOLDER)).unwrap();
        fs::remove_file(target.join("x")).unwrap();
    }
}

#[test]
fn what_is_kept_and_damaged_changes_nothing() {
    let project = project();
    update(project.path(), changes()).unwrap();
    let at = |path: &str| project.path().join(path);
    let (list, contents) = (
        fs::read(at(FILES)).unwrap(),
        fs::read(at(CONTENTS)).unwrap(),
    );
    let later = String::from_utf8(list.clone()).unwrap();
    let later = later.replace("\"schema\": 1", "\"schema\": 2, \"more\": 1");
    let other = [&contents[..contents.len() / 2], &[0; 9]].concat();
    for (path, damage) in [
        (FILES, &b""[..]),
        (FILES, b"[]"),
        (FILES, later.as_bytes()),
        (CONTENTS, b""),
        (CONTENTS, &contents[..contents.len() / 2]),
        (CONTENTS, &other),
    ] {
        fs::write(at(path), damage).unwrap();
        let before = files(project.path());
        let failure = undo(project.path()).unwrap_err();
        assert_eq!(failure.code, "unreadable", "{path}");
        assert_eq!(failure.hints[0], "nothing was undone");
        assert!(failure.hints[1].contains("version control"), "{failure:?}");
        assert_eq!(files(project.path()), before);
        fs::write(at(FILES), &list).unwrap();
        fs::write(at(CONTENTS), &contents).unwrap();
    }
    fs::remove_file(at(CONTENTS)).unwrap();
    assert_eq!(undo(project.path()).unwrap_err().code, "unreadable");
}

#[test]
fn a_link_in_the_place_of_what_is_kept_is_not_followed() {
    let project = project();
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(project.path().join(".bot-cli")).unwrap();
    symlink(outside.path(), project.path().join(FOLDER)).unwrap();
    let error = keep(project.path(), &changes(), false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "could not read `.bot-cli/undo/.gitignore`: it is not a regular file"
    );
    assert_eq!(restore(project.path()).unwrap_err().code, "unreadable");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{Lines, MOST_FILES, Moved, beside, find, matched};

const BOT: &str = "import a\n\nasync def bot():\n    one()\n    two()\n    three()\n";
const EDITED: &str = "import a\nimport mine\nasync def bot():\n    one()\n    two()\n    three()\n";
/// Two of its six lines are those of the bot.
const OTHER: &str = "import a\nx = 1\ny = 2\nz = 3\n    one()\nprint(x)\n";

fn texts<'a>(files: &[(&'a str, &'a str)]) -> Vec<Lines<'a>> {
    files
        .iter()
        .map(|(path, text)| Lines::of(path, text))
        .collect()
}

fn unsure(paths: &[&str]) -> Moved {
    Moved::Unsure(paths.iter().map(|&path| path.to_owned()).collect())
}

#[test]
fn a_moved_file_is_known_by_its_contents_or_by_most_of_its_lines() {
    let crlf = BOT.replace('\n', "\r\n");
    for (elsewhere, expected) in [
        (
            &[("app/main.py", BOT)][..],
            Some(Moved::To("app/main.py".to_owned())),
        ),
        (
            &[("app/main.py", &crlf)],
            Some(Moved::To("app/main.py".to_owned())),
        ),
        (
            &[("app/bot.py", EDITED)],
            Some(Moved::To("app/bot.py".to_owned())),
        ),
        // The one that is the same, although another is similar.
        (
            &[("a.py", EDITED), ("b.py", BOT)],
            Some(Moved::To("b.py".to_owned())),
        ),
        (
            &[("a.py", BOT), ("b.py", BOT)],
            Some(unsure(&["a.py", "b.py"])),
        ),
        (
            &[("a.py", EDITED), ("b.py", EDITED)],
            Some(unsure(&["a.py", "b.py"])),
        ),
        (&[("bot.txt", BOT)], None),
        (&[("bot.py", OTHER)], None),
        (&[], None),
    ] {
        let found = matched(&texts(&[("server/bot.py", BOT)]), &[], &texts(elsewhere));
        assert_eq!(
            found.get("server/bot.py"),
            expected.as_ref(),
            "{elsewhere:?}"
        );
    }
}

#[test]
fn files_that_are_alike_are_told_apart_by_the_likest() {
    let second = BOT.replace("three", "four");
    let missing = [("evals/one.py", BOT), ("evals/two.py", &second)];
    let edited = second.replace("import a", "import b");
    let elsewhere = [("tests/one.py", BOT), ("tests/two.py", &edited)];
    let found = matched(&texts(&missing), &[], &texts(&elsewhere));
    assert_eq!(
        found,
        BTreeMap::from([
            (
                "evals/one.py".to_owned(),
                Moved::To("tests/one.py".to_owned())
            ),
            (
                "evals/two.py".to_owned(),
                Moved::To("tests/two.py".to_owned())
            ),
        ])
    );
}

#[test]
fn one_file_is_never_two_that_were_moved() {
    let missing = [("a/bot.py", BOT), ("b/bot.py", BOT)];
    let found = matched(&texts(&missing), &[], &texts(&[("c/bot.py", BOT)]));
    assert_eq!(found["a/bot.py"], unsure(&["c/bot.py"]));
    assert_eq!(found["b/bot.py"], unsure(&["c/bot.py"]));
}

#[test]
fn a_copy_of_a_file_that_is_in_its_place_was_not_moved() {
    let second = BOT.replace("three", "four");
    let missing = texts(&[("evals/one.py", BOT)]);
    let in_place = texts(&[("evals/two.py", &second)]);
    let copy = second.replace("import a", "import mine");
    let found = matched(&missing, &in_place, &texts(&[("evals/mine.py", &copy)]));
    assert_eq!(found, BTreeMap::new());
    let found = matched(&missing, &in_place, &texts(&[("tests/one.py", EDITED)]));
    assert_eq!(found["evals/one.py"], Moved::To("tests/one.py".to_owned()));
}

#[test]
fn a_file_of_few_lines_is_only_itself_under_its_own_name() {
    let missing = texts(&[("a/.gitignore", ".env\n"), ("a/Dockerfile", "FROM x\n")]);
    let elsewhere = texts(&[
        ("b/.gitignore", ".env\r\n"),
        ("c/.gitignore", ".env\n.venv\n"),
        ("b/Dockerfile.dev", "FROM x\n"),
    ]);
    let found = matched(&missing, &[], &elsewhere);
    assert_eq!(
        found,
        BTreeMap::from([(
            "a/.gitignore".to_owned(),
            Moved::To("b/.gitignore".to_owned())
        )])
    );
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn what_nobody_has_written_here_is_not_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    for path in [
        ".git/bot.py",
        ".venv/bot.py",
        ".bot-cli/undo/bot.py",
        "client/node_modules/x/bot.py",
        "server/__pycache__/bot.py",
        "env/lib/bot.py",
        "another/server/bot.py",
        "vendored/bot.py",
    ] {
        write(folder.path(), path, BOT);
    }
    write(folder.path(), "env/pyvenv.cfg", "");
    write(folder.path(), "another/.bot-cli/project.json", "{}");
    write(folder.path(), "vendored/.git", "gitdir: elsewhere");
    write(
        folder.path(),
        "large.py",
        &format!("{BOT}{}", " ".repeat(2 << 20)),
    );
    fs::write(folder.path().join("latin.py"), b"\xe9\n").unwrap();
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "bot.py", BOT);
    symlink(outside.path(), folder.path().join("linked")).unwrap();
    symlink(outside.path().join("bot.py"), folder.path().join("link.py")).unwrap();
    symlink(folder.path(), folder.path().join("loop")).unwrap();
    let look = || find(folder.path(), &[("server/bot.py", BOT)], &BTreeSet::new()).unwrap();
    assert_eq!(look(), BTreeMap::new());
    write(folder.path(), "app/deep/er/bot.py", BOT);
    assert_eq!(
        look()["server/bot.py"],
        Moved::To("app/deep/er/bot.py".to_owned())
    );
}

#[test]
fn a_file_that_was_generated_in_its_place_is_no_other_that_was_moved() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "server/tools.py", BOT);
    let missing = [("server/bot.py", BOT)];
    let taken = BTreeSet::from(["server/bot.py", "server/tools.py"]);
    assert_eq!(
        find(folder.path(), &missing, &taken).unwrap(),
        BTreeMap::new()
    );
}

#[test]
fn nothing_is_certain_where_there_is_too_much_to_look_at() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a/bot.py", BOT);
    for number in 0..MOST_FILES {
        write(folder.path(), &format!("data/{number}.py"), "");
    }
    let found = find(folder.path(), &[("server/bot.py", BOT)], &BTreeSet::new()).unwrap();
    assert_eq!(found["server/bot.py"], unsure(&["a/bot.py"]));
}

#[test]
fn a_new_file_goes_where_its_folder_or_its_importer_has_gone() {
    let planned = [
        (
            "server/bot.py",
            "import os\nfrom recording import Recorder\n",
        ),
        ("server/tools.py", "TOOLS = []\n"),
        ("server/recording.py", "class Recorder: ...\n"),
        ("server/Dockerfile", "FROM x\n"),
        ("server/evals/one.yaml", "name: one\n"),
    ];
    let place = |new: &str, moves: &[(&str, &str)], stays: &[&str]| {
        let moved = |(from, to): &(&str, &str)| ((*from).to_owned(), Moved::To((*to).to_owned()));
        let found = moves.iter().map(moved).collect();
        beside(new, &planned, &found, &stays.iter().copied().collect())
    };
    let all = [
        ("server/bot.py", "backend/bot.py"),
        ("server/evals/one.yaml", "backend/evals/one.yaml"),
    ];
    let some = [("server/bot.py", "server/app/main.py")];
    let apart = [
        ("server/bot.py", "a/bot.py"),
        ("server/evals/one.yaml", "b/evals/one.yaml"),
    ];
    let below = [
        ("server/bot.py", "bot/server/bot.py"),
        ("README.md", "bot/README.md"),
    ];
    let renamed = [
        ("server/bot.py", "backend/main.py"),
        ("server/evals/one.yaml", "backend/evals/first.yaml"),
    ];
    for (new, moves, stays, expected) in [
        (
            "server/recording.py",
            &all[..],
            &[][..],
            Some("backend/recording.py"),
        ),
        ("server/Dockerfile", &all, &[], Some("backend/Dockerfile")),
        (
            "server/recording.py",
            &all,
            &["server/tools.py"],
            Some("backend/recording.py"),
        ),
        ("server/Dockerfile", &all, &["server/tools.py"], None),
        ("server/Dockerfile", &apart, &[], None),
        ("server/recording.py", &[], &["server/bot.py"], None),
        ("client/index.html", &all, &["README.md"], None),
        // In a folder that is new itself.
        (
            "server/own/deep/x.yaml",
            &all,
            &["README.md"],
            Some("backend/own/deep/x.yaml"),
        ),
        ("server/own/x.yaml", &all, &["server/tools.py"], None),
        ("server/own/x.yaml", &apart, &["README.md"], None),
        ("new/own/x.yaml", &all, &["README.md"], None),
        ("new/own/x.yaml", &all, &[], None),
        ("new/x.yaml", &below, &[], Some("bot/new/x.yaml")),
        // What has another name has gone with its folder all the same.
        (
            "server/Dockerfile",
            &renamed,
            &[],
            Some("backend/Dockerfile"),
        ),
        // Its importer has another name now.
        (
            "server/recording.py",
            &some,
            &["server/tools.py"],
            Some("server/app/recording.py"),
        ),
    ] {
        assert_eq!(
            place(new, moves, stays).as_deref(),
            expected,
            "{new}, {moves:?}"
        );
    }
}

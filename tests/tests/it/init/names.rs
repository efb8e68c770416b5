use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::{command, done, json, problems, run, tree, web};

#[test]
fn the_name_comes_from_the_directory() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("In Here")).unwrap();
    for (within, target, name) in [
        ("", "my-bot", "my-bot"),
        ("", "./a/b/My Bot/", "My Bot"),
        ("In Here", ".", "In Here"),
        ("In Here", "../other", "other"),
    ] {
        let within = folder.path().join(within);
        let printed = done(&within, &web(&[target, "--dry-run"]));
        let config: serde_json::Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(config["project_name"], name, "{target}");
    }
    let config = done(&folder.path().join("In Here"), &web(&["--dry-run"]));
    assert!(config.contains("\"project_name\": \"In Here\""), "{config}");
    assert_eq!(
        tree(folder.path()).into_keys().collect::<Vec<_>>(),
        ["In Here/"]
    );
}

#[test]
fn names_that_are_of_no_use_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(300);
    for (arguments, problem) in [
        (vec!["my-bot", "--name", ""], "project_name: empty"),
        (
            vec!["my-bot", "--name", &long],
            "project_name: longer than 255 characters",
        ),
        (
            vec!["my-bot", "--name", "x\u{1b}]0;owned\u{7}y"],
            "project_name: `x\\u{1b}]0;owned\\u{7}y` contains control characters",
        ),
        (
            vec!["x\u{202e}y"],
            "project_name: missing, and the directory's name can't be used: `x\\u{202e}y` contains control characters",
        ),
        (vec!["/"], "project_name: missing"),
    ] {
        let (status, document) = json(folder.path(), &web(&arguments));
        assert_eq!(status, Some(2), "{arguments:?}");
        assert_eq!(problems(&document), [problem]);
        assert_eq!(document["error"]["fields"][0]["flag"], "--name");
    }
    assert!(tree(folder.path()).is_empty());
}

#[test]
fn a_folder_of_any_name_serves_and_says_what_packages_are_called() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(70);
    for (target, slug) in [("b", "b-bot"), ("日本語", "bot"), (&long, &long[..54])] {
        let made = run(folder.path(), &web(&[target]));
        assert_eq!(made.status, Some(0), "{made:?}");
        let note = format!("note: the package and the agent are called `{slug}`: ");
        assert!(made.stderr.contains(&note), "{made:?}");
        let read = |file: &str| {
            fs::read_to_string(folder.path().join(target).join("server").join(file)).unwrap()
        };
        assert!(read("pyproject.toml").contains(&format!("name = \"{slug}\"")));
        assert!(read("cloud-deploy.toml").contains(&format!("agent_name = \"{slug}\"")));
        let readme = fs::read_to_string(folder.path().join(target).join("README.md")).unwrap();
        assert!(readme.starts_with(&format!("# {target}\n")), "{readme}");
    }
}

#[test]
fn the_root_is_used_only_where_it_is_named() {
    let run = run(Path::new("/"), &web(&["--name", "my-bot"]));
    let said = "error: no folder was given, and `/` is used only where it is: this is the root folder\n\
                hint: `bot-cli init my-bot …` creates the project in a folder of its own, `bot-cli init . …` here\n";
    assert_eq!((run.status, &*run.stderr), (Some(2), said));
}

#[test]
fn the_folder_that_nobody_named_is_named_first() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(folder.path(), &web(&["--name", "my-bot"]));
    let note = format!(
        "note: no folder was given: the project goes into `{}`\n",
        folder.path().display()
    );
    assert!(run.stderr.starts_with(&note), "{run:?}");
    assert!(folder.path().join("server/bot.py").is_file());
}

#[test]
fn targets_that_are_of_no_use_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("dangling")).unwrap();
    let before = tree(folder.path());
    for (target, reason) in [
        (
            "file",
            "can't use `file` as the target: it is not a directory",
        ),
        (
            "file/below",
            "can't use `file/below` as the target: not a directory",
        ),
        (
            "dangling",
            "can't use `dangling` as the target: it is a broken symbolic link",
        ),
        (
            "dangling/below",
            "can't use `dangling/below` as the target: it is a broken symbolic link",
        ),
        (
            "none/../other",
            "can't use `none/../other` as the target: `..` leads through a directory that does not exist",
        ),
        (
            "new\nline",
            "can't use `new\\nline` as the target: its name contains control characters",
        ),
        (
            "\u{2014}transport=p2p_webrtc",
            "can't use `\u{2014}transport=p2p_webrtc` as the target: it begins with a typographic dash or quotation mark",
        ),
    ] {
        for arguments in [vec![target], web(&[target])] {
            let (status, document) = json(folder.path(), &arguments);
            assert_eq!(status, Some(2), "{arguments:?}");
            assert_eq!(document["error"]["message"], reason);
        }
    }
    let output = command(folder.path(), &[])
        .arg(OsStr::from_bytes(b"b\xffd"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: can't use `b\u{fffd}d` as the target: its name is not UTF-8\nhint: name another directory: `bot-cli init TARGET_DIR`\n"
    );
    assert_eq!(tree(folder.path()), before);
}

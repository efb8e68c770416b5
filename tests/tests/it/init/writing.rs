use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use super::{assert_snapshot, done, json, problems, run, shown, tree, web};

#[test]
fn a_project_is_made_and_the_second_run_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    assert_snapshot("made.txt", &shown(folder.path(), &web(&["my-bot"])));
    let made = tree(folder.path());
    assert!(made.contains_key("my-bot/server/bot.py"));
    assert!(!made.contains_key("my-bot/GETTING_STARTED.md"));
    assert!(
        made.keys().all(|name| name.starts_with("my-bot/")),
        "{made:?}"
    );
    assert_snapshot("again.txt", &shown(folder.path(), &web(&["my-bot"])));
    assert_eq!(tree(folder.path()), made);

    let (status, document) = json(folder.path(), &web(&["my-bot"]));
    assert_eq!(status, Some(0));
    assert_eq!(document["created"], json!([]));
    assert_eq!(document["changed"], json!([]));
    let files = made.keys().filter(|name| !name.ends_with('/')).count();
    assert_eq!(document["unchanged"].as_array().unwrap().len(), files);
    assert_eq!(document["config"]["project_name"], "my-bot");
}

#[test]
fn quiet_says_only_what_became_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(folder.path(), &web(&["my-bot", "-q"]));
    assert_eq!(
        (run.stdout.as_str(), run.stderr.as_str()),
        ("Created a bot project in my-bot\n", "")
    );
}

#[test]
fn the_same_options_give_the_same_bytes_wherever_they_are_given() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &web(&["a/my-bot"]));
    fs::create_dir_all(folder.path().join("b/my-bot")).unwrap();
    done(&folder.path().join("b/my-bot"), &web(&["."]));
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    assert_eq!(tree(&a), tree(&b));
}

#[test]
fn modes_follow_the_umask() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("there")).unwrap();
    for target in ["new-bot", "there"] {
        let status = std::process::Command::new("sh")
            .args([
                "-c",
                "umask 027; exec \"$0\" \"$@\"",
                env!("CARGO_BIN_EXE_it-bot-cli-init"),
            ])
            .args(web(&[target, "--name", "abc"]))
            .current_dir(folder.path())
            .output()
            .unwrap()
            .status;
        assert!(status.success());
        for (path, mode) in [
            ("server", 0o750),
            ("server/bot.py", 0o640),
            ("README.md", 0o640),
        ] {
            let found = fs::metadata(folder.path().join(target).join(path)).unwrap();
            assert_eq!(found.permissions().mode() & 0o777, mode, "{target}/{path}");
        }
    }
    let found = fs::metadata(folder.path().join("new-bot")).unwrap();
    assert_eq!(found.permissions().mode() & 0o777, 0o750);
}

#[test]
fn everything_in_the_way_is_told_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    fs::create_dir_all(target.join("server/pyproject.toml")).unwrap();
    for path in [
        "README.md",
        "server/bot.py",
        "server/services.py",
        "server/settings.py",
    ] {
        fs::write(target.join(path), "mine").unwrap();
    }
    let before = tree(folder.path());
    assert_snapshot("conflicts.txt", &shown(folder.path(), &web(&["my-bot"])));
    assert_eq!(tree(folder.path()), before);
}

#[test]
fn gitignore_gains_the_lines_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    fs::create_dir(&target).unwrap();
    fs::write(target.join(".gitignore"), "# my own\nmine/\n.env").unwrap();
    for changed in [&[".gitignore"][..], &[]] {
        let (_, document) = json(folder.path(), &web(&["my-bot"]));
        assert_eq!(document["changed"], json!(changed));
        let merged = fs::read_to_string(target.join(".gitignore")).unwrap();
        assert!(merged.starts_with("# my own\nmine/\n.env\n"), "{merged}");
        for line in [".env", ".venv/"] {
            assert_eq!(
                merged.lines().filter(|it| *it == line).count(),
                1,
                "{merged}"
            );
        }
    }
}

#[test]
fn nothing_is_written_through_a_symbolic_link() {
    for (link, aim, expected) in [
        (
            "README.md",
            "../outside/file",
            "README.md: is a symbolic link",
        ),
        (
            "README.md",
            "../outside/none",
            "README.md: is a symbolic link",
        ),
        (
            ".gitignore",
            "../outside/file",
            ".gitignore: is a symbolic link",
        ),
        (
            "server",
            "../outside",
            "server/bot.py: `server` is a symbolic link",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("my-bot")).unwrap();
        fs::create_dir(folder.path().join("outside")).unwrap();
        fs::write(folder.path().join("outside/file"), "theirs").unwrap();
        symlink(aim, folder.path().join("my-bot").join(link)).unwrap();
        let before = tree(folder.path());
        let (status, document) = json(folder.path(), &web(&["my-bot"]));
        assert_eq!(status, Some(1));
        assert_eq!(document["error"]["code"], "conflict");
        assert!(
            problems(&document).contains(&expected.to_owned()),
            "{document}"
        );
        assert_eq!(tree(folder.path()), before);
    }
}

#[test]
fn a_link_to_a_directory_can_be_the_target() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("real-bot")).unwrap();
    symlink("real-bot", folder.path().join("link")).unwrap();
    done(folder.path(), &web(&["link"]));
    assert!(folder.path().join("real-bot/server/bot.py").is_file());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn quickstart_makes_its_project() {
    let folder = tempfile::tempdir().unwrap();
    assert_snapshot("quickstart.txt", &shown(folder.path(), &["quickstart"]));
    let made = tree(folder.path());
    for file in [
        "AGENTS.md",
        "ASSISTANT.md",
        "README.md",
        "server/bot.py",
        "server/cloud-deploy.toml",
    ] {
        assert!(
            made.contains_key(&format!("quickstart-project/{file}")),
            "{file}"
        );
    }
    assert!(!made.contains_key("quickstart-project/GETTING_STARTED.md"));
    done(folder.path(), &["./quickstart"]);
    assert!(
        folder
            .path()
            .join("quickstart/GETTING_STARTED.md")
            .is_file()
    );
}

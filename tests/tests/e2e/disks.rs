//! Tests on full disks, read-only disks and separate filesystems.

use std::fs;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::disk::Mounted;
use bot_cli_tests::init::{done, run, tree, web};
use bot_cli_tests::user::{User, pairs};

#[test]
fn a_full_disk_leaves_the_target_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    let _mounted = Mounted::tmpfs(&disk, "size=512k").unwrap();
    fs::create_dir(disk.join("my-bot")).unwrap();
    fs::write(disk.join("my-bot/notes"), "mine").unwrap();
    // From no space at all up to enough for everything.
    let mut outcomes = Vec::new();
    for free_kib in [0, 4, 12, 24, 40, 60, 80, 400] {
        let filler = disk.join("filler");
        fs::write(&filler, vec![0_u8; (500 - free_kib) * 1024]).unwrap();
        for target in ["disk/my-bot", "disk/new-bot"] {
            let before = tree(&disk);
            let run = run(folder.path(), &web(&[target]));
            outcomes.push(run.status);
            match run.status {
                Some(1) => {
                    assert!(
                        run.stderr
                            .contains("no space left on device\nhint: nothing was changed\n"),
                        "{run:?}"
                    );
                    assert_eq!(tree(&disk), before, "{free_kib} KiB free, {target}");
                }
                Some(0) => {
                    assert!(folder.path().join(target).join("server/bot.py").is_file());
                    fs::remove_dir_all(folder.path().join(target)).unwrap();
                    fs::create_dir_all(disk.join("my-bot")).unwrap();
                    fs::write(disk.join("my-bot/notes"), "mine").unwrap();
                }
                _ => panic!("{run:?}"),
            }
        }
        fs::remove_file(&filler).unwrap();
    }
    assert!(
        outcomes.contains(&Some(1)) && outcomes.contains(&Some(0)),
        "{outcomes:?}"
    );
}

#[test]
fn a_target_that_cannot_be_written_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    let mounted = Mounted::tmpfs(&disk, "size=1m").unwrap();
    fs::create_dir(disk.join("there")).unwrap();
    mounted.remount("ro").unwrap();
    for target in ["disk", "disk/there", "disk/new-bot"] {
        let run = run(folder.path(), &web(&[target]));
        assert_eq!(run.status, Some(1), "{run:?}");
        assert!(
            run.stderr
                .contains("read-only file system\nhint: nothing was changed\n"),
            "{run:?}"
        );
        assert_eq!(tree(&disk).into_keys().collect::<Vec<_>>(), ["there/"]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_target_with_a_filesystem_of_its_own_is_staged_inside() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    let _mounted = Mounted::tmpfs(&disk, "size=4m").unwrap();
    done(folder.path(), &web(&["disk"]));
    done(folder.path(), &web(&["elsewhere", "--name", "disk"]));
    assert_eq!(tree(&disk), tree(&folder.path().join("elsewhere")));
}

#[test]
fn everything_but_a_change_works_on_a_read_only_disk() {
    let mut user = User::of_the_vault();
    let disk = user.root().join("disk");
    let mounted = Mounted::tmpfs(&disk, "size=8m").unwrap();
    user.set("XDG_DATA_HOME", &disk.display().to_string());
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    mounted.remount("ro").unwrap();
    let listed = user.done(&["secrets", "list"]);
    assert_eq!(listed["sets"][0]["name"], "prod", "{listed}");
    let one = user.done(&["secrets", "list", "prod"]);
    assert_eq!(one["keys"][0], "A", "{one}");
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
    assert_eq!(user.done(&["vault", "verify"])["values"], 1);
    user.done(&["config", "show"]);
    user.write("passphrase", "correct horse battery");
    let backup = ["vault", "backup", "copy", "--passphrase-file", "passphrase"];
    user.done(&backup);
    for change in [
        &["secrets", "set", "prod", "B=2", "--skip"][..],
        &["secrets", "delete", "prod", "--skip"],
        &["vault", "rekey"],
    ] {
        let run = user.run(change);
        assert_eq!(run.status, Some(1), "{run:?}");
        assert!(run.stderr.contains("read-only file system"), "{run:?}");
        assert!(run.stderr.contains("hint: nothing has changed"), "{run:?}");
    }
}

#[test]
fn a_full_disk_leaves_the_plugins_as_they_were() {
    let bench = Bench::new(&[("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli"))]).unwrap();
    let disk = bench.path("home/.local/share");
    let _mounted = Mounted::tmpfs(&disk, "size=512k").unwrap();
    let plugin = |version: &str| {
        let head = format!(
            "#!/bin/sh\n# bot-cli-plugin: {{\"protocol\":\"1.0\",\"name\":\"hello\",\"version\":\"{version}\"}}\n"
        );
        head + &"#".repeat(40 * 1024)
    };
    let run = |words: &[&str]| bench.run(words).unwrap();
    let version = || {
        let info = run(&["plugin", "info", "hello", "--json"]).stdout;
        let info: serde_json::Value = serde_json::from_str(&info).unwrap();
        assert_eq!(info["plugins"][0]["added"]["changed"], false, "{info:#}");
        info["plugins"][0]["version"].as_str().unwrap().to_owned()
    };
    bench
        .script("work/bot-cli-hello", &plugin("1.0.0"))
        .unwrap();
    assert_eq!(run(&["plugin", "add", "./bot-cli-hello"]).status, Some(0));
    bench
        .script("work/bot-cli-hello", &plugin("2.0.0"))
        .unwrap();
    let filler = disk.join("filler");
    // Too little for the file, and too little for all that it is copied to.
    for free_kib in [0, 44] {
        fs::write(&filler, vec![0_u8; (512 - 60 - free_kib) * 1024]).unwrap();
        let upgraded = run(&["plugin", "upgrade", "hello"]);
        assert!(
            upgraded.stderr.contains("no space left on device"),
            "{upgraded:?}"
        );
        assert_eq!(version(), "1.0.0", "{free_kib} KiB free: {upgraded:?}");
        let left = fs::read_dir(disk.join("bot-cli")).unwrap().count();
        // The folders of plugins and packs, the record and the lock.
        assert_eq!(left, 4, "{free_kib} KiB free");
    }
    fs::remove_file(filler).unwrap();
    assert_eq!(run(&["plugin", "upgrade", "hello"]).status, Some(0));
    assert_eq!(version(), "2.0.0");
}

//! Tests which plugins run, and for which users, if an installation belongs to another user.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;

use bot_cli_tests::bench::Bench;

const HELLO: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"hello"}
read -r request
printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"text":"hello\n"}}'
"#;

const INSTALLER: u32 = 4001;
const USER: u32 = 4002;
const STRANGER: u32 = 4003;

/// Runs the host as `user`. Returns the exit status, standard output and standard error.
fn run(bench: &Bench, user: u32, words: &[&str]) -> (Option<i32>, String, String) {
    let output = bench.host(words).uid(user).gid(user).output().unwrap();
    let ran = bench.ran(&output).unwrap();
    (ran.status, ran.stdout, ran.stderr)
}

#[test]
fn an_installation_is_trusted_as_a_whole() {
    let bench = Bench::new(&[]).unwrap();
    bench.mode("", 0o755).unwrap();
    // A copy, whose owner can be another than that of the file it is made from.
    std::fs::copy(env!("CARGO_BIN_EXE_it-bot-cli"), bench.path("bin/bot-cli")).unwrap();
    bench.script("bin/bot-cli-hello", HELLO).unwrap();
    let place = |path: &str, owner| chown(bench.path(path), Some(owner), Some(owner)).unwrap();
    for path in ["bin", "bin/bot-cli", "bin/bot-cli-hello"] {
        place(path, INSTALLER);
    }
    // Another user's tools, a container's and a shared folder: nobody else has less trust in a plugin than in its host.
    for (user, mode) in [(USER, 0o755), (0, 0o755), (INSTALLER, 0o755), (USER, 0o777)] {
        bench.mode("bin", mode).unwrap();
        let ran = run(&bench, user, &["hello"]);
        assert_eq!(
            ran,
            (Some(0), "hello\n".to_owned(), String::new()),
            "{user}"
        );
    }
    // What a stranger put beside it is another matter, and not the user's to change.
    place("bin/bot-cli-hello", STRANGER);
    let (status, _, stderr) = run(&bench, USER, &["hello"]);
    assert_eq!(status, Some(126));
    assert!(stderr.contains("belongs to user 4003"), "{stderr}");
    assert!(!stderr.contains("chown"), "{stderr}");
}

#[test]
fn root_by_sudo_leaves_nothing_in_the_home_of_another_user() {
    let mut bench = Bench::new(&[("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli"))]).unwrap();
    let home = bench.path("home");
    chown(&home, Some(USER), Some(USER)).unwrap();
    bench.script("work/bot-cli-hello", HELLO).unwrap();
    let add = ["plugin", "add", "bot-cli-hello"];
    bench.set("SUDO_UID", USER.to_string());
    let (status, _, stderr) = run(&bench, 0, &add);
    let hint = "hint: leave out `sudo`, or use `sudo -H` for root's own plugins\n";
    assert_eq!(status, Some(2), "{stderr}");
    assert!(stderr.ends_with(hint), "{stderr}");
    // Without `sudo`, as in a container whose only user is root, the plugin is added. The manifests are cached nowhere.
    let list = run(&bench, 0, &["plugin", "list"]);
    assert_eq!(list.0, Some(0), "{}", list.2);
    assert_eq!(std::fs::read_dir(&home).unwrap().count(), 0);
    bench.set("SUDO_UID", "");
    let added = run(&bench, 0, &add);
    assert_eq!(added.0, Some(0), "{}", added.2);
}

#[test]
fn root_changes_a_project_for_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    chown(folder.path(), Some(USER), Some(USER)).unwrap();
    let program = folder.path().join("bot-cli-init");
    std::fs::copy(env!("CARGO_BIN_EXE_it-bot-cli-init"), &program).unwrap();
    let run = |user: u32, words: &[&str]| {
        let mut command = Command::new(&program);
        command.args(words).current_dir(folder.path()).env_clear();
        let output = command.uid(user).gid(user).output().unwrap();
        (output.status.code(), format!("{output:?}"))
    };
    let made = run(USER, &["quickstart"]);
    assert_eq!(made.0, Some(0), "{}", made.1);
    let updated = run(0, &["quickstart-project", "--update", "--recording"]);
    assert_eq!(updated.0, Some(0), "{}", updated.1);
    assert!(
        folder
            .path()
            .join("quickstart-project/server/recording.py")
            .exists()
    );
    // Every file is the owner's to read and to change.
    let back = run(USER, &["quickstart-project", "--update", "--no-recording"]);
    assert_eq!(back.0, Some(0), "{}", back.1);
    assert!(
        !folder
            .path()
            .join("quickstart-project/server/recording.py")
            .exists()
    );

    // What another user's run has left is not touched.
    let staging = folder
        .path()
        .join("quickstart-project/.bot-cli-init-staging");
    std::fs::create_dir(&staging).unwrap();
    std::fs::set_permissions(&staging, Permissions::from_mode(0o700)).unwrap();
    let refused = run(USER, &["quickstart-project", "--update", "--recording"]);
    assert_eq!(refused.0, Some(1), "{}", refused.1);
    assert!(refused.1.contains("a run of another user"), "{}", refused.1);
}

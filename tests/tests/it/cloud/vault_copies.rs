//! Tests for `vault verify`, `rekey`, `backup` and `restore`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::json;

use super::user::{User, assert_in_no_file, pairs};
use super::words;

const PASSPHRASE: &str = "c4n4ry battery staple";

fn folder(user: &User) -> PathBuf {
    user.home().join(".local/share/bot-cli/vault")
}

/// Returns a user with two organizations and three sets.
fn collector() -> User {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=c4n4ry-1", "B=c4n4ry-2", "-s"]);
    user.done(&["secrets", "set", "prod", "C=c4n4ry-3", "-s", "-o", "acme"]);
    let registry = ["secrets", "image-pull-secret", "pull", "ghcr.io", "u:t"];
    user.done(&registry);
    user.write("passphrase", format!("{PASSPHRASE}\n"));
    user
}

fn backup(user: &User) {
    user.done(&["vault", "backup", "copy", "--passphrase-file", "passphrase"]);
}

#[test]
fn verify_counts_what_opens_and_names_what_does_not() {
    let user = collector();
    let found = user.done(&["vault", "verify"]);
    assert_eq!(found["values"], 4, "{found}");
    assert_eq!(found["secret_sets"], 2, "{found}");
    assert_eq!(found["organizations"], 2, "{found}");
    let run = user.run(&["vault", "verify"]);
    let first = "4 values opened in 2 secret sets and 1 image pull secret of 2 organizations\n";
    assert!(run.stdout.starts_with(first), "{run:?}");
    let empty = User::of_the_vault();
    assert_eq!(empty.done(&["vault", "verify"])["vault"], json!(null));
}

#[test]
fn rekey_replaces_the_key_and_keeps_every_value() {
    let user = collector();
    let key = folder(&user).join("vault.key");
    let before = fs::read(&key).unwrap();
    let done = user.done(&["vault", "rekey"]);
    assert_eq!(done["key"], "file", "{done}");
    assert_ne!(fs::read(&key).unwrap(), before);
    let values = pairs(&[("A", "c4n4ry-1"), ("B", "c4n4ry-2")]);
    assert_eq!(user.values("prod"), values);
    fs::write(&key, before).unwrap();
    user.fails(
        &["secrets", "set", "prod", "A=2", "-s"],
        1,
        "vault_wrong_key",
    );
    User::of_the_vault().fails(&["vault", "rekey"], 1, "no_vault");
}

#[test]
fn backup_is_one_private_file_that_another_machine_restores() {
    let user = collector();
    backup(&user);
    let copy = user.work().join("copy");
    let mode = fs::metadata(&copy).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    fs::remove_file(user.work().join("passphrase")).unwrap();
    assert_in_no_file(user.root(), &["c4n4ry".to_owned()], "backed up");

    let other = User::of_the_vault();
    other.write("copy", fs::read(&copy).unwrap());
    let run = other.run_with(
        &["vault", "restore", "copy", "--passphrase-file", "-"],
        &format!("{PASSPHRASE}\r\n"),
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    let values = pairs(&[("A", "c4n4ry-1"), ("B", "c4n4ry-2")]);
    assert_eq!(other.values("prod"), values);
    let listed = other.done(&["secrets", "list", "-o", "acme"]);
    assert_eq!(listed["sets"][0]["name"], "prod", "{listed}");
    assert_eq!(other.done(&["vault", "verify"])["values"], 4);
}

#[test]
fn backup_overwrites_nothing_unasked() {
    let user = collector();
    user.write("copy", "mine");
    let words = ["vault", "backup", "copy", "--passphrase-file", "passphrase"];
    user.fails(&words, 1, "file_exists");
    assert_eq!(fs::read(user.work().join("copy")).unwrap(), b"mine");
    user.done(&[&words[..], &["--force"]].concat());
    assert_ne!(fs::read(user.work().join("copy")).unwrap(), b"mine");
}

#[test]
fn restore_replaces_a_filled_vault_only_with_consent() {
    let user = collector();
    backup(&user);
    user.done(&["secrets", "set", "later", "D=4", "-s"]);
    let restore = words("vault restore copy --passphrase-file passphrase");
    user.fails(&restore, 2, "input_required");
    // Nobody is asked about a backup that does not open.
    user.write("wrong", "another passphrase\n");
    let wrong = words("vault restore copy --passphrase-file wrong");
    user.fails(&wrong, 1, "wrong_passphrase");
    assert_eq!(user.values("later"), pairs(&[("D", "4")]));
    let done = user.done(&[&restore[..], &["--skip"]].concat());
    assert_eq!(done["replaced"]["sets"], 4, "{done}");
    let run = user.run(&["secrets", "run", "later", "--", "true"]);
    assert_eq!(run.status, Some(1), "{run:?}");
}

#[test]
fn wrong_passphrases_and_files_change_nothing() {
    let user = collector();
    backup(&user);
    let before = fs::read(folder(&user).join("vault.age")).unwrap();
    user.write("short", "short\n");
    user.write("none", "");
    let long = [PASSPHRASE, &"x".repeat(1024 * 1024)].concat();
    user.write("long", long);
    user.write("torn", &fs::read(user.work().join("copy")).unwrap()[..200]);
    for (words, status, code) in [
        (["restore", "torn", "passphrase"], 1, "not_a_backup"),
        (["restore", "nowhere", "passphrase"], 1, "not_read"),
        (["restore", "copy", "none"], 2, "invalid_input"),
        (["restore", "copy", "long"], 2, "invalid_input"),
        (["restore", "-", "passphrase"], 2, "invalid_input"),
        (["backup", "-", "passphrase"], 2, "invalid_input"),
        (["backup", "new", "short"], 2, "invalid_input"),
        (
            ["backup", "nowhere/new", "passphrase"],
            1,
            "vault_not_written",
        ),
    ] {
        let [command, file, passphrase] = words;
        let mut arguments = vec!["vault", command, file, "--passphrase-file", passphrase];
        if command == "restore" {
            arguments.push("--skip");
        }
        user.fails(&arguments, status, code);
    }
    let after = fs::read(folder(&user).join("vault.age")).unwrap();
    assert_eq!(before, after);
    assert!(!user.work().join("new").exists());
    user.fails(&["vault", "backup", "new"], 2, "input_required");
}

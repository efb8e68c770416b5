//! The vault key and the sign-in credentials in a real keyring, on a private message bus.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs};

use bot_cli_tests::desktop::Desktop;
use bot_cli_tests::service::PERSONAL_TOKEN;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use bot_cli_tests::signing_in as login;
use bot_cli_tests::user::{User, assert_in_no_file, pairs};

fn with(mut user: User, desktop: &Desktop) -> User {
    user.unset("BOT_CLI_KEYRING");
    for (name, value) in desktop.variables() {
        user.set(name, &value);
    }
    user
}

/// Returns a desktop, and a user whose vault key is in the desktop's keyring.
fn at_home() -> (Desktop, User) {
    let desktop = Desktop::start().unwrap();
    let user = with(User::of_the_vault(), &desktop);
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    (desktop, user)
}

fn key(user: &User) -> PathBuf {
    user.home().join(".local/share/bot-cli/vault/vault.key")
}

/// Returns the keyring entry to which a file refers.
fn named(file: &PathBuf) -> String {
    let text = fs::read_to_string(file).unwrap();
    let name = text
        .strip_prefix("keyring = \"")
        .and_then(|rest| rest.strip_suffix("\"\n"));
    name.unwrap_or_else(|| panic!("{text}")).to_owned()
}

/// Opens the vault with the command in `VAULT.md`. The command needs age but not `bot-cli`.
fn opened(user: &User, with: &str) {
    let document = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../sdk/vault/VAULT.md"
    ));
    let document = document.unwrap();
    let mark = format!("<!-- opened: {with} -->\n```sh\n");
    let (_, rest) = document.split_once(&mark).unwrap();
    let (line, _) = rest.split_once("\n```").unwrap();
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", line])
        .envs(user.variables())
        .env("PATH", env::var_os("PATH").unwrap())
        .current_dir(key(user).parent().unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["sets"][0]["contents"]["secret"]["A"], "1");
}

#[test]
fn the_key_of_the_vault_is_in_the_keyring_and_can_be_taken_out() {
    let (desktop, user) = at_home();
    let name = named(&key(&user));
    let entries = desktop.entries().unwrap();
    assert!(name.starts_with("vault-"), "{name}");
    let text = entries[&name].trim();
    assert!(text.starts_with("AGE-SECRET-KEY-1"));
    assert_in_no_file(&user.home(), &[text.to_owned()], "key");
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));

    // Another vault has a key of its own.
    let other = with(User::of_the_vault(), &desktop);
    other.done(&["secrets", "set", "prod", "A=2", "--skip"]);
    assert_ne!(named(&key(&other)), name);
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
    assert_eq!(other.values("prod"), pairs(&[("A", "2")]));

    // What the entry says is what the file would, so a vault can move to where no keyring is.
    opened(&user, "keyring");
    fs::write(key(&user), text).unwrap();
    desktop.remove(&name).unwrap();
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
    opened(&user, "file");
}

#[test]
fn without_a_keyring_or_with_it_switched_off_the_key_is_in_the_file() {
    let desktop = Desktop::start().unwrap();
    let mut off = with(User::of_the_vault(), &desktop);
    off.done(&["config", "set", "keyring", "off"]);
    let mut nowhere = with(User::of_the_vault(), &desktop);
    nowhere.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus");
    for user in [&mut off, &mut nowhere] {
        let run = user.run(&["secrets", "set", "prod", "A=1", "--skip"]);
        assert_eq!(run.status, Some(0), "{run:?}");
        assert!(!run.stderr.contains("keyring"), "{run:?}");
        let text = fs::read_to_string(key(user)).unwrap();
        assert!(text.starts_with("AGE-SECRET-KEY-1"));
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
    }
    assert!(desktop.entries().unwrap().is_empty());

    // A key stays where it was made.
    off.set("BOT_CLI_KEYRING", "auto");
    off.done(&["secrets", "set", "prod", "B=2", "--skip"]);
    assert!(desktop.entries().unwrap().is_empty());
}

#[test]
fn a_keyring_that_is_locked_or_gone_is_named_and_changes_nothing() {
    let (mut desktop, user) = at_home();

    desktop.lock().unwrap();
    // Nobody is here to unlock it, so a new vault does without, and says so.
    let new = with(User::of_the_vault(), &desktop);
    let run = new.run(&["secrets", "set", "prod", "A=1", "--skip"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stderr.contains("the keyring is locked"), "{run:?}");
    assert!(run.stderr.contains("vault.key` is used instead"), "{run:?}");
    assert_eq!(new.values("prod"), pairs(&[("A", "1")]));

    for expected in ["keyring_locked", "no_keyring"] {
        if expected == "no_keyring" {
            desktop.end().unwrap();
        }
        for arguments in [
            &["secrets", "run", "prod", "--", "true"][..],
            &["secrets", "set", "prod", "B=2", "--skip"],
            &["secrets", "list", "prod"],
        ] {
            let (status, document) = user.json(arguments);
            assert_eq!(status, Some(7), "{arguments:?}: {document}");
            assert_eq!(document["error"]["code"], expected, "{document}");
            assert!(!document["error"]["hints"].as_array().unwrap().is_empty());
        }
    }
}

#[test]
fn an_entry_that_somebody_removed_is_missed_by_its_name() {
    let (desktop, user) = at_home();
    let name = named(&key(&user));
    desktop.remove(&name).unwrap();
    let (status, document) = user.json(&["secrets", "set", "prod", "B=2", "--skip"]);
    assert_eq!(status, Some(1), "{document}");
    assert_eq!(document["error"]["code"], "vault_no_key", "{document}");
    assert!(
        document["error"]["message"]
            .as_str()
            .unwrap()
            .contains(&name)
    );
    assert!(!document["error"]["hints"].as_array().unwrap().is_empty());
}

#[test]
fn a_keyring_that_says_nothing_is_told_of_and_can_be_given_up() {
    let (desktop, user) = at_home();
    desktop.silence();
    let mut child = user
        .command(&["secrets", "run", "prod", "--", "true"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(line.contains("waiting for the keyring"), "{line}");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    desktop.wake();
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
}

#[test]
fn many_processes_make_one_key() {
    let desktop = Desktop::start().unwrap();
    let user = with(User::of_the_vault(), &desktop);
    let children: Vec<_> = (0..20)
        .map(|index| {
            let set = format!("set-{index}");
            user.command(&["secrets", "set", &set, "A=1", "--skip"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let listed = user.done(&["secrets", "list"]);
    assert_eq!(listed["sets"].as_array().unwrap().len(), 20);
    assert_eq!(desktop.entries().unwrap().len(), 1);
}

#[test]
fn a_new_key_replaces_the_entry_and_moves_with_the_setting() {
    let (desktop, mut user) = at_home();
    let first = named(&key(&user));
    assert_eq!(user.done(&["vault", "rekey"])["key"], "keyring");
    let second = named(&key(&user));
    assert_ne!(first, second);
    let names: Vec<_> = desktop.entries().unwrap().into_keys().collect();
    assert_eq!(names, [second]);
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
    assert_eq!(user.done(&["vault", "verify"])["key"], "keyring");
    let shown = user.run(&["config", "show"]);
    assert!(
        shown.stdout.contains("Vault key: the keyring\n"),
        "{shown:?}"
    );

    user.set("BOT_CLI_KEYRING", "off");
    assert_eq!(user.done(&["vault", "rekey"])["key"], "file");
    assert!(desktop.entries().unwrap().is_empty());
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
    user.unset("BOT_CLI_KEYRING");
    assert_eq!(user.done(&["vault", "rekey"])["key"], "keyring");
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
}

#[test]
fn a_sign_in_is_kept_renewed_and_removed_in_the_keyring() {
    let desktop = Desktop::start().unwrap();
    let user = with(login::stranger(), &desktop);
    let file = login::credentials(&user);
    user.service().world().issuer.expires_in = 20;
    login::sign_in(&user);
    let first = named(&file);
    let entries = desktop.entries().unwrap();
    assert!(entries[&first].contains("refresh_token = "), "{first}");
    let status = user.run(&["--json", "auth", "status"]).document();
    assert_eq!(status["source"], "keyring");

    // By now it was renewed, into an entry of its own, and the first is gone.
    let second = named(&file);
    assert_ne!(second, first);
    user.service().world().issuer.expires_in = 86_400;
    user.done(&["secrets", "list"]);
    let names: Vec<_> = desktop.entries().unwrap().into_keys().collect();
    assert_eq!(names, [named(&file)]);

    let run = user.run_with(&["auth", "login", "--token-stdin"], PERSONAL_TOKEN);
    assert!(run.stdout.contains("kept in the keyring"), "{run:?}");
    let entries = desktop.entries().unwrap();
    assert_eq!(entries.len(), 1, "one sign-in takes the place of another");
    assert!(entries[&named(&file)].contains(PERSONAL_TOKEN));
    assert_in_no_file(&user.home(), &[PERSONAL_TOKEN.to_owned()], "signed in");
    let run = user.run(&["auth", "logout"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(desktop.entries().unwrap().is_empty() && !file.exists());
    user.fails(&["secrets", "list"], 4, "not_signed_in");
}

#[test]
fn a_sign_in_that_the_keyring_keeps_to_itself_is_reported_and_never_blocks_signing_in() {
    let mut desktop = Desktop::start().unwrap();
    let user = with(login::stranger(), &desktop);
    let file = login::credentials(&user);
    login::sign_in(&user);
    desktop.remove(&named(&file)).unwrap();
    let (status, document) = user.json(&["secrets", "list"]);
    assert_eq!(status, Some(4), "{document}");
    assert_eq!(document["error"]["code"], "broken_credentials");
    login::sign_in(&user);
    user.done(&["secrets", "list"]);

    desktop.lock().unwrap();
    for arguments in [&["secrets", "list"][..], &["auth", "logout"]] {
        user.fails(arguments, 7, "keyring_locked");
        assert!(file.exists());
    }
    // What does not need it does not ask for it.
    user.done(&["secrets", "list", "--backend", "local"]);
    user.done(&["config", "show"]);
    login::sign_in(&user);
    assert!(fs::read_to_string(&file).unwrap().contains("token = "));
    assert_eq!(user.done(&["secrets", "list"])["sets"], json!([]));
}

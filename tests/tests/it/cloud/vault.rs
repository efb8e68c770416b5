//! Tests for the vault: concurrent processes, damaged files, access by other users, and programs that run with a set.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use super::user::{User, assert_in_no_file};
use rustix::process::{Pid, Signal, kill_process};

#[test]
fn fifty_processes_at_once_lose_nothing() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "shared", "FIRST=1", "--skip"]);
    let children: Vec<_> = (0..50)
        .map(|index| {
            let pair = format!("KEY_{index}=value {index}");
            // Half of them write to one set, half to sets of their own.
            let own = format!("set-{index}");
            let set = if index % 2 == 0 { "shared" } else { &own };
            user.start(&["secrets", "set", set, &pair, "--skip"])
        })
        .collect();
    for child in children {
        let run = user.ended(child);
        assert_eq!(run.status, Some(0), "{run:?}");
    }
    let shared = user.values("shared");
    assert_eq!(shared.len(), 26);
    for index in 0..50 {
        let own = format!("set-{index}");
        let stored = if index % 2 == 0 {
            shared.clone()
        } else {
            user.values(&own)
        };
        let key = format!("KEY_{index}");
        assert_eq!(stored.get(&key), Some(&format!("value {index}")));
    }
}

#[test]
fn nobody_else_can_read_the_vault_and_no_value_stands_in_it() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=c4n4ry-v4lue", "--skip"]);
    let folder = user.home().join(".local/share/bot-cli");
    assert!(folder.join("vault/vault.age").is_file());
    let mut open = Command::new("find");
    let open = open.arg(&folder).args(["-perm", "/077"]).output().unwrap();
    assert_eq!(String::from_utf8(open.stdout).unwrap(), "");
    assert_in_no_file(&folder, &["c4n4ry".to_owned()], "vault");
}

#[test]
fn a_vault_that_has_lost_its_key_says_so_and_stays_as_it_is() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    let folder = user.home().join(".local/share/bot-cli/vault");
    let (store, key) = (folder.join("vault.age"), folder.join("vault.key"));
    let sealed = fs::read(&store).unwrap();
    for code in ["vault_wrong_key", "vault_no_key"] {
        match code {
            "vault_wrong_key" => fs::write(&key, "another key").unwrap(),
            _ => fs::remove_file(&key).unwrap(),
        }
        for arguments in [
            &["secrets", "run", "prod", "--", "true"][..],
            &["secrets", "set", "prod", "B=2", "--skip"],
        ] {
            let error = user.fails(arguments, 1, code);
            assert!(error["hints"][0].is_string(), "{error}");
            assert_eq!(fs::read(&store).unwrap(), sealed);
        }
    }
}

/// Returns two commands, one for the plugin and one for the host. Both replace their process with the user's program.
fn doors(user: &User) -> [Command; 2] {
    [user.command(&[]), user.host(&["cloud"])]
}

#[test]
fn a_program_started_with_a_set_takes_the_place_of_what_started_it() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=two words", "--skip"]);
    // More than fits into a pipe, and no text.
    let input: Vec<u8> = (0..=250).cycle().take(300_000).collect();
    user.write("input", &input);
    for mut command in doors(&user) {
        let script = "cat; printf %s \"$A\"; exit 7";
        let output = command
            .args(["secrets", "run", "prod", "--", "/bin/sh", "-c", script])
            .stdin(fs::File::open(user.work().join("input")).unwrap())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(7), "{command:?}");
        assert!(output.stdout == [&input[..], b"two words"].concat());
        assert_eq!(output.stderr, b"");
    }
    for mut command in doors(&user) {
        let script = "echo started; exec sleep 60";
        let mut child = command
            .args(["secrets", "run", "prod", "--", "/bin/sh", "-c", script])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert_eq!(line, "started\n");
        let _ = kill_process(Pid::from_child(&child), Signal::TERM);
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(15), "{status:?}");
    }
}

#[test]
fn names_of_sets_are_completed_where_nobody_is_asked_for_the_key() {
    let user = User::of_the_vault();
    let complete = |words: &[&str]| user.completions(words);
    // Nothing is made for it.
    assert_eq!(complete(&["secrets", "delete", ""]), "");
    assert!(!user.home().join(".local").exists());
    for set in ["prod", "prod-2", "test"] {
        user.done(&["secrets", "set", set, "A=1", "AB=2", "--skip"]);
    }
    let folder = user.home().join(".local/share/bot-cli/vault");
    let found = complete(&["secrets", "run", "pr"]);
    assert_eq!(found, "prod\t\nprod-2\t\n");
    for words in [
        &["secrets", "image-pull-secret", ""][..],
        &["organizations", "use", ""],
        &["secrets", "delete", "--backend", "hosted", ""],
        &["secrets", "delete", "-o", "other", ""],
        &["secrets", "unset", "other", ""],
    ] {
        assert_eq!(complete(words), "", "{words:?}");
    }
    for (words, found) in [
        (&["secrets", "unset", "prod", ""][..], "A\t\nAB\t\n"),
        (&["secrets", "unset", "prod", "A", ""], "AB\t\n"),
        (
            &["secrets", "list", "--region=us-w"],
            "--region=us-west\tUS West\n",
        ),
        (&["secrets", "list", "--backend", "h"], "hosted\t\n"),
    ] {
        assert_eq!(complete(words), found, "{words:?}");
    }
    // Reading takes no lock, so nobody is waited for.
    let lock = fs::File::open(folder.join("vault.lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(complete(&["secrets", "run", "test"]), "test\t\n");
    // A keyring would have to be asked, and may ask its user.
    fs::write(folder.join("vault.key"), "keyring = \"vault-0\"\n").unwrap();
    assert_eq!(complete(&["secrets", "run", "test"]), "");
}

#[test]
fn with_json_a_program_leaves_the_one_document_alone() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    let [_, mut host] = doors(&user);
    let run = ["--json", "secrets", "run", "prod", "--", "/bin/sh", "-c"];
    let run = user.feed(host.args(run).arg("echo said; exit 7"), "");
    assert_eq!(run.status, Some(7), "{run:?}");
    assert_eq!(
        run.document(),
        serde_json::json!({"names": ["prod"], "exit": 7})
    );
    assert_eq!(run.stderr, "said\n");
}

#[test]
fn a_program_ignores_the_signals_that_its_shell_ignores() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    for door in doors(&user) {
        let run = "secrets run prod -- /bin/sh -c 'kill -HUP $$; echo \"goes on $A\"'";
        let mut shell = Command::new("/bin/sh");
        let script = format!("trap '' HUP; exec \"$@\" {run}");
        shell
            .args(["-c", &script, "sh"])
            .arg(door.get_program())
            .args(door.get_args())
            .env_clear()
            .envs(user.variables());
        let run = user.feed(&mut shell, "");
        let shown = (run.status, run.stdout.as_str());
        assert_eq!(shown, (Some(0), "goes on 1\n"), "{door:?}: {run:?}");
    }
}

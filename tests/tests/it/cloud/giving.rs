//! Tests for the input of `secrets set`: arguments, files, values from separate files, and keys without values.

use serde_json::json;

use super::user::{Run, User, pairs};
use super::{fields, words};

const CANARY: &str = "sk-live-c4n4ry";

fn assert_unseen(run: &Run) {
    for shown in [&run.stdout, &run.stderr] {
        assert!(!shown.contains("c4n4ry"), "{run:?}");
        assert!(!shown.contains("C4N4RY"), "{run:?}");
    }
}

#[test]
fn a_value_comes_from_a_file_byte_for_byte() {
    let pem = "-----BEGIN KEY-----\nabc=\n-----END KEY-----\n";
    for user in User::all() {
        user.write("key.pem", pem);
        user.write("account.json", "{\n  \"a\": \"${B}\"\n}");
        let from = ["PEM=key.pem", "ACCOUNT=account.json", "TOKEN=-"];
        let mut arguments = words("secrets set prod A=1 --skip");
        for from in from {
            arguments.extend(["--value-from", from]);
        }
        let run = user.run_with(&arguments, "typed\n");
        assert_eq!(run.status, Some(0), "{run:?}");
        assert_eq!(
            run.stderr.lines().next(),
            Some("warning: the value of `TOKEN` ends with a line break")
        );
        let expected = [
            ("A", "1"),
            ("PEM", pem),
            ("ACCOUNT", "{\n  \"a\": \"${B}\"\n}"),
            ("TOKEN", "typed\n"),
        ];
        assert_eq!(user.values("prod"), pairs(&expected), "{}", user.name);
        let plan = user.run(&words(
            "secrets set prod --value-from PEM=key.pem --dry-run",
        ));
        let size = "PEM  43 characters in 3 lines";
        assert!(plan.stdout.contains(size), "{plan:?}");
    }
}

#[test]
fn values_from_files_are_refused_all_at_once_and_unseen() {
    let user = User::of_the_vault();
    user.write("latin", b"c4n4ry\xff");
    user.write("nul", b"c4n4ry\0");
    user.write("empty", "");
    let mut arguments = vec!["--json", "secrets", "set", "prod", "A=1", "--skip"];
    for from in [
        "LATIN=latin",
        "NUL=nul",
        "EMPTY=empty",
        "FOLDER=.",
        "NONE=sk-live-c4n4ry",
        "A=empty",
        "sk-live-c4n4ry",
    ] {
        arguments.extend(["--value-from", from]);
    }
    let run = user.run(&arguments);
    assert_eq!(run.status, Some(2));
    assert_unseen(&run);
    let no_file = "there is no such file (what is given is not shown: it may be a value)";
    assert_eq!(
        fields(&run.document()["error"]),
        [
            ("LATIN", "the file is not UTF-8"),
            ("NUL", "has a value with a NUL character"),
            ("EMPTY", "has no value"),
            ("FOLDER", "the file is a directory"),
            ("NONE", no_file),
            ("A", "is given a second time"),
            ("file 7", "is not `KEY=PATH`"),
        ]
    );
    for arguments in [
        &["--value-from", "A=-", "--value-from", "B=-"][..],
        &["--value-from", "A=-", "--file", "-"],
        &["--from-template", "-", "--file", "-"],
    ] {
        let run = user.run_with(&[&["secrets", "set", "prod"], arguments].concat(), CANARY);
        assert_eq!(run.status, Some(2), "{run:?}");
        assert!(run.stderr.contains("can be read only once"), "{run:?}");
    }
    assert_eq!(user.done(&["secrets", "list"])["sets"], json!([]));
}

#[test]
fn keys_without_a_value_are_refused_or_left_out() {
    for user in User::all() {
        user.write(".env", "A=1\nB=\nC=2\n");
        let set = ["secrets", "set", "prod", "--skip", "-f", ".env"];
        let run = user.run(&set);
        assert_eq!(run.status, Some(2));
        assert_eq!(
            run.stderr,
            "error: .env:2:1 (--file): `B` has no value\n\
             hint: `--empty skip` leaves keys without a value out\n"
        );
        let done = user.done(&[&set[..], &["--empty", "skip"]].concat());
        assert_eq!(done["skipped"], json!(["B"]));
        let without = pairs(&[("A", "1"), ("C", "2")]);
        assert_eq!(user.values("prod"), without, "{}", user.name);
    }
}

#[test]
fn what_has_only_keys_without_a_value_is_refused() {
    let user = User::of_the_vault();
    user.write(".env", "A=\n");
    let run = user.run(&["secrets", "set", "prod", "-f", ".env", "--empty", "skip"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("no key has a value"), "{run:?}");
    // The end of base64 in a file of its own looks like a key.
    user.write(".env", "c4n4ryC4N4RY=\n");
    for empty in ["skip", "refuse"] {
        let run = user.run(&["secrets", "set", "p", "-f", ".env", "--empty", empty]);
        assert_eq!(run.status, Some(2), "{run:?}");
        assert_unseen(&run);
    }
}

#[test]
fn every_name_of_standard_input_is_read_through_a_host_and_by_hand() {
    let user = User::of_the_vault();
    for name in ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
        for (line, stdin) in [
            ("secrets set file -s --file NAME", "A=1\n"),
            ("secrets set value -s --value-from A=NAME", "x\n"),
            (
                "vault backup saved --force --passphrase-file NAME",
                "a long passphrase\n",
            ),
            (
                "vault restore saved -s --passphrase-file NAME",
                "a long passphrase\n",
            ),
        ] {
            let line = line.replace("NAME", name);
            for mut door in [user.host(&["cloud"]), user.command(&[])] {
                let run = user.feed(door.args(words(&line)), stdin);
                assert_eq!(run.status, Some(0), "{door:?}: {run:?}");
            }
        }
    }
    assert_eq!(user.values("value"), pairs(&[("A", "x\n")]));
}

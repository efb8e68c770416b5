//! Tests with backends that break the protocol. No change may be falsely reported as done, no value may be displayed, and the built-in
//! backends must keep working.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use bot_cli_tests::patience::{wait_for_end, wait_for_file};
use bot_cli_tests::pty::CTRL_C;
use serde_json::{Value, json};

use super::terminal::answer;
use super::user::{Run, User, assert_in_no_file};
use super::{fields, script, words};

const VALUE: &str = "c4n4ry-v4lue";

/// The number of listed sets, enough to exceed the protocol's line limit.
const SETS: usize = 100_000;

/// The faulty backends.
const FAULTS: &str = include_str!("faults.toml");

/// A user with a faulty backend, which writes its process ID to a file next to the backend's executable.
struct Rogue {
    user: User,
    file: PathBuf,
}

impl Rogue {
    fn new(fault: &str) -> Self {
        let mut user = User::of_a_backend();
        user.unset("BOT_CLI_BACKEND");
        user.set("BOT_CLI_TIMEOUT", "5");
        let file = user.plugins().join("bot-cli-secrets-sample");
        let faults: BTreeMap<String, String> = toml::from_str(FAULTS).unwrap();
        let rules = faults[fault].replace("CANARY", VALUE);
        let rules = format!("-- start\n-- mark pid\n{rules}");
        fs::write(file.with_extension("fault"), rules).unwrap();
        Self { user, file }
    }

    /// Returns the path of the file in which the backend stores its sets.
    fn kept(&self) -> PathBuf {
        self.user.home().join(".local/share/sample.json")
    }

    /// Stores a set, so that commands request its values.
    fn keep(&self) {
        let set = json!({"kind": "secret", "region": "us-west", "values": {"A": "1", "C": "3"}});
        let sets = json!({"home": {"prod": set}});
        fs::write(self.kept(), sets.to_string()).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> (Run, Value) {
        let at = ["--backend", "sample"];
        let (own, program) = match arguments.iter().position(|word| *word == "--") {
            Some(end) => arguments.split_at(end),
            None => (arguments, &[][..]),
        };
        let words = [own, &at, program].concat();
        let run = self.user.run(&words);
        let (_, document) = self.user.json(&words);
        for shown in [&run.stdout, &run.stderr, &document.to_string()] {
            assert!(!shown.contains(VALUE), "{arguments:?}: {shown}");
        }
        (run, document)
    }

    /// Checks what must hold in every case: the backend has ended, no file contains the value, and the vault works.
    fn rest(&self, case: &str) {
        let pid = self.file.with_extension("pid");
        if let Ok(pid) = fs::read_to_string(pid) {
            wait_for_end(pid.trim().parse().unwrap());
        }
        fs::remove_file(&self.file).unwrap();
        fs::remove_file(self.file.with_extension("fault")).unwrap();
        // What it keeps is its own affair.
        let _ = fs::remove_file(self.kept());
        assert_in_no_file(&self.user.home(), &[VALUE.to_owned()], case);
        self.user.done(&["secrets", "set", "prod", "A=1", "-s"]);
        assert_eq!(self.user.values("prod").len(), 1, "{case}");
    }
}

#[test]
fn a_change_is_called_what_it_is_and_unknown_where_that_is_not_known() {
    let pair = format!("A={VALUE}");
    for (status, outcome, faults) in [
        (
            3,
            "unknown",
            &[
                "dies-in-put",
                "dies-before-put",
                "unreadable",
                "partly-more",
                "partly-others",
                "without-effect",
                "later-words",
                "wrong-shape",
                "lies",
                "hangs",
            ][..],
        ),
        (
            1,
            "not_done",
            &["refuses", "denies", "quotes", "misunderstands"],
        ),
    ] {
        for fault in faults {
            let mut rogue = Rogue::new(fault);
            if *fault == "hangs" {
                rogue.user.set("BOT_CLI_TIMEOUT", "0.5");
            }
            let (run, document) = rogue.run(&["secrets", "set", "prod", &pair, "-s"]);
            assert_eq!(run.status, Some(status), "{fault}: {run:?}");
            assert!(!run.stdout.contains("Saved"), "{fault}: {run:?}");
            let error = &document["error"];
            assert_eq!(error["outcome"], outcome, "{fault}: {document}");
            let look = "`bot-cli cloud secrets list prod --backend sample` shows what is there now";
            let is_unknown = outcome == "unknown";
            assert_eq!(run.stderr.contains(look), is_unknown, "{fault}: {run:?}");
            rogue.rest(fault);
        }
    }
}

#[test]
fn parts_of_a_change_are_told_apart() {
    let pair = format!("A={VALUE}");
    let set = ["secrets", "set", "prod", &pair, "B=2", "-s"];
    let rogue = Rogue::new("partly");
    let (_, document) = rogue.run(&set);
    let told = [("A", "applied"), ("B", "not applied")];
    assert_eq!(fields(&document["error"]), told, "{document}");
    rogue.rest("partly");
}

#[test]
fn a_question_of_a_backend_is_asked_under_its_name() {
    let rogue = Rogue::new("asks");
    let list = "secrets list --backend sample";
    let words = [&["bot-cli-cloud"][..], &words(list)].concat();
    let ended = answer(rogue.user.terminal(&words), &[("Code", "1234\r")], 0);
    let signed_in = "secrets-sample: signed in";
    assert!(ended.output.contains(signed_in), "{}", ended.output);
    answer(rogue.user.terminal(&words), &[("Code", CTRL_C)], 130);

    let messages = script(&rogue.user, list, &json!({"code": "1234"}));
    let error = &messages.last().unwrap()["error"];
    assert_eq!(error["data"]["code"], "input_required", "{error}");
    assert!(!error.to_string().contains("--code"), "{error}");
    let messages = script(&rogue.user, list, &json!({"secrets-sample.code": "1234"}));
    let is_log = |it: &&Value| it["params"]["message"] == signed_in;
    assert_eq!(messages.iter().filter(is_log).count(), 1, "{messages:?}");
    let result = &messages.last().unwrap()["result"];
    assert_eq!(result["data"]["sets"], json!([]), "{messages:?}");
}

#[test]
fn a_question_with_a_value_in_it_is_not_asked() {
    let rogue = Rogue::new("asks-in-put");
    let pair = format!("A={VALUE}");
    let set = ["secrets", "set", "prod", &pair, "-s", "--backend", "sample"];
    let terminal = rogue
        .user
        .terminal(&[&["bot-cli-cloud"], &set[..]].concat());
    answer(terminal, &[], 0);
}

#[test]
fn a_backend_that_opens_nothing_is_one_clear_line() {
    let asks =
        "the backend `sample` has a question, and nobody is there to be asked: a code is needed\n";
    let failed = "the backend `sample` failed: plugin `secrets-sample` ";
    let signed_out = "the backend `sample` is not signed in: the sign-in has expired\n";
    let ended = format!("{failed}ended without a reply (exit status: 3)\n");
    for (fault, status, said, hint) in [
        ("asks", 2, asks, ""),
        ("nonsense", 7, failed, ""),
        ("dies-at-open", 1, &ended, "the keyring is locked\n"),
        ("signed-out", 4, signed_out, "sample login\n"),
    ] {
        let mut rogue = Rogue::new(fault);
        rogue.user.set("BOT_CLI_TIMEOUT", "2");
        let pair = format!("A={VALUE}");
        let words = ["secrets", "set", "prod", &pair, "-s", "--backend", "sample"];
        let run = rogue.user.run(&words);
        assert_eq!(run.status, Some(status), "{fault}: {run:?}");
        let (before, error) = run.stderr.split_once("error: ").unwrap();
        assert_eq!(before, "", "{fault}: {run:?}");
        assert!(error.starts_with(said), "{fault}: {run:?}");
        assert!(error.contains(hint), "{fault}: {run:?}");
        let (_, document) = rogue.user.json(&words);
        let outcome = &document["error"]["outcome"];
        assert_eq!(outcome, "not_done", "{fault}: {document}");
        rogue.rest(fault);
    }
}

#[test]
fn values_that_can_not_be_had_start_no_program() {
    for fault in ["quotes", "bad-values"] {
        let rogue = Rogue::new(fault);
        let marker = rogue.user.root().join("ran").display().to_string();
        let (run, _) = rogue.run(&["secrets", "run", "prod", "--", "touch", &marker]);
        assert_eq!(run.status, Some(1), "{fault}: {run:?}");
        assert!(!PathBuf::from(&marker).exists(), "{fault}");
        let copy = words("secrets copy prod --from sample --to local -s");
        rogue.keep();
        let run = rogue.user.run(&copy);
        assert_eq!(run.status, Some(1), "{fault}: {run:?}");
        assert!(!run.stderr.contains(VALUE), "{fault}: {run:?}");
        rogue.rest(fault);
    }
}

#[test]
fn what_can_not_be_used_is_named_by_its_key_as_far_as_lists_show_it() {
    let nul = |whose: &str| {
        format!(
            "can't use what the backend `sample` has: the value of {whose} has a NUL character\n"
        )
    };
    let broken = |reason: &str| {
        format!("the backend `sample` failed: plugin `secrets-sample` sent a {reason}\n")
    };
    let values = &["secrets", "run", "prod", "--", "true"][..];
    for (fault, words, expected) in [
        ("nul", values, nul("`A`")),
        ("hidden-nul", values, nul("a key")),
        (
            "twice-a-key",
            values,
            broken("reply that can't be read: an object in it names a member twice"),
        ),
        (
            "another-set",
            &["secrets", "list", "prod"],
            broken("result that `secrets/get` does not have: `result.set.name` is another name"),
        ),
    ] {
        let rogue = Rogue::new(fault);
        rogue.keep();
        let (run, _) = rogue.run(words);
        assert_eq!(run.status, Some(1), "{fault}: {run:?}");
        let expected = format!("error: {expected}");
        assert!(run.stderr.starts_with(&expected), "{fault}: {run:?}");
        rogue.rest(fault);
    }
}

#[test]
fn a_list_longer_than_a_line_of_the_protocol_is_shown_by_the_executable_itself() {
    let rogue = Rogue::new("many");
    let fault = rogue.file.with_extension("fault");
    let sets = (0..SETS).map(|set| format!(r#"{{"name":"set-{set:037}","kind":"secret"}}"#));
    let rules = fs::read_to_string(&fault).unwrap();
    let rules = rules.replace("SETS", &sets.collect::<Vec<_>>().join(","));
    fs::write(fault, rules).unwrap();
    let list = words("cloud secrets list --backend sample --json");
    let run = rogue.user.feed(&mut rogue.user.host(&list), "");
    assert_eq!(run.document()["error"]["code"], "result_too_large");
    // By itself it writes to no line of the protocol.
    let run = rogue.user.run(&list[1..]);
    assert_eq!(run.document()["sets"].as_array().map(Vec::len), Some(SETS));
}

#[test]
fn ctrl_c_ends_a_deaf_backend_before_the_host_loses_patience() {
    let rogue = Rogue::new("deaf");
    let line = format!("cloud secrets set prod A={VALUE} -s --backend sample");
    let mut host = rogue.user.host(&words(&line));
    let host = host.stdout(Stdio::piped()).stderr(Stdio::piped());
    let host = host.spawn().unwrap();
    wait_for_file(&rogue.file.with_extension("state"));
    let run = rogue.user.interrupt(host);
    assert_eq!(run.status, Some(130), "{run:?}");
    let unknown = "cancelled; it is unknown whether `prod` was changed\n";
    assert!(run.stderr.contains(unknown), "{run:?}");
    rogue.rest("deaf");
}

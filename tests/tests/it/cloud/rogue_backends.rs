//! Tests with backends that break the protocol. No change may be falsely reported as done, no value may be displayed, and the built-in
//! backends must keep working.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use bot_cli_tests::patience::{wait_for_end, wait_for_file};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::user::{Run, User, assert_in_no_file};
use super::words;

const VALUE: &str = "c4n4ry-v4lue";

/// The number of listed sets, enough to exceed the protocol's line limit.
const SETS: usize = 100_000;

/// The faulty backends.
const FAULTS: &str = include_str!("../backend/faults.toml");

/// A user with a faulty backend, which writes its process ID to a file next to the backend's executable.
struct Rogue {
    user: User,
    file: PathBuf,
}

impl Rogue {
    fn new(fault: &str) -> Self {
        let mut user = User::of_the_vault();
        user.unset("BOT_CLI_BACKEND");
        user.set("BOT_CLI_TIMEOUT", "5");
        let data = user.home().join(".local/share").display().to_string();
        user.set("XDG_DATA_HOME", &data);
        let file = user.plugins().join("bot-cli-secrets-sample");
        fs::copy(env!("CARGO_BIN_EXE_it-secrets-sample"), &file).unwrap();
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
        let set = r#"{"prod":{"kind":"secret","region":"eu","values":{"A":"1"}}}"#;
        fs::write(self.kept(), set).unwrap();
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

    /// Returns a command that runs the host with the plugin and the backend.
    fn host(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.user.bin().join("bot-cli"));
        command
            .args(words)
            .current_dir(self.user.work())
            .env_clear()
            .envs(self.user.variables())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn hosted(&self, words: &[&str]) -> (Run, Value) {
        let run = self.user.feed(&mut self.host(words), "");
        let document = run.stdout.parse().unwrap_or_default();
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
        (1, "not_done", &["refuses", "denies", "quotes"]),
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
fn a_backend_that_opens_nothing_is_one_clear_line() {
    for (fault, status, line) in [
        (
            "asks",
            2,
            "error: the backend `sample` has a question, and nobody is there to be asked: a code is needed",
        ),
        (
            "nonsense",
            7,
            "error: the backend `sample` failed: plugin `secrets-sample` ",
        ),
        (
            "dies-at-open",
            1,
            "error: the backend `sample` failed: plugin `secrets-sample` ",
        ),
    ] {
        let mut rogue = Rogue::new(fault);
        rogue.user.set("BOT_CLI_TIMEOUT", "2");
        let pair = format!("A={VALUE}");
        let words = ["secrets", "set", "prod", &pair, "-s", "--backend", "sample"];
        let run = rogue.user.run(&words);
        assert_eq!(run.status, Some(status), "{fault}: {run:?}");
        let errors: Vec<&str> = run
            .stderr
            .lines()
            .filter(|line| line.starts_with("error: "))
            .collect();
        assert_eq!(errors.len(), 1, "{fault}: {run:?}");
        assert!(errors[0].starts_with(line), "{fault}: {run:?}");
        let (_, document) = rogue.user.json(&words);
        assert_eq!(
            document["error"]["outcome"], "not_done",
            "{fault}: {document}"
        );
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
    let words = ["cloud", "secrets", "list", "--backend", "sample", "--json"];
    let (run, _) = rogue.hosted(&words);
    assert_eq!(run.document()["error"]["code"], "result_too_large");
    // By itself it writes to no line of the protocol.
    let run = rogue.user.run(&words[1..]);
    assert_eq!(run.document()["sets"].as_array().map(Vec::len), Some(SETS));
}

#[test]
fn ctrl_c_ends_a_deaf_backend_before_the_host_loses_patience() {
    let rogue = Rogue::new("deaf");
    let pair = format!("A={VALUE}");
    let words = [
        "cloud",
        "secrets",
        "set",
        "prod",
        &pair,
        "-s",
        "--backend",
        "sample",
    ];
    let mut host = rogue.host(&words).spawn().unwrap();
    let state = rogue.file.with_extension("state");
    wait_for_file(&state);
    kill_process(Pid::from_child(&host), Signal::INT).unwrap();
    let mut stderr = String::new();
    host.stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert_eq!(host.wait().unwrap().code(), Some(130), "{stderr}");
    assert!(
        stderr.contains("cancelled; it is unknown whether `prod` was changed\n"),
        "{stderr}"
    );
    rogue.rest("deaf");
}

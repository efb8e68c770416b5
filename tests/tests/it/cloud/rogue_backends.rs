//! Backends that break their word: nothing is called done that isn't, no value is shown, and what is built in works on.

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

/// So many that a list of them is longer than a line of the protocol.
const SETS: usize = 100_000;

/// The wrong backends.
const FAULTS: &str = include_str!("../backend/faults.toml");

/// A user with a wrong backend, whose process leaves its number beside it.
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

    /// The file that keeps the sets.
    fn kept(&self) -> PathBuf {
        self.user.home().join(".local/share/sample.json")
    }

    /// Keeps a set, so that its values are asked for.
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

    /// The host with the plugin and the backend.
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

    /// Checks what holds after everything: nobody is left, no value is in a file, and the vault works.
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
fn a_change_whose_end_nobody_knows_is_unknown() {
    let pair = format!("A={VALUE}");
    for fault in [
        "dies-in-put",
        "dies-before-put",
        "replies-twice",
        "answers-late",
        "unreadable",
        "partly-more",
        "contradicts-itself",
        "partly-others",
        "without-effect",
        "later-words",
        "wrong-shape",
        "lies",
    ] {
        let rogue = Rogue::new(fault);
        let (run, document) = rogue.run(&["secrets", "set", "prod", &pair, "-s"]);
        assert_eq!(run.status, Some(3), "{fault}: {run:?}");
        assert!(!run.stdout.contains("Saved"), "{fault}: {run:?}");
        assert_eq!(
            document["error"]["outcome"], "unknown",
            "{fault}: {document}"
        );
        let look = "`bot-cli cloud secrets list prod --backend sample` shows what is there now";
        assert!(run.stderr.contains(look), "{fault}: {run:?}");
        rogue.rest(fault);
    }
}

#[test]
fn a_change_that_was_refused_is_not_done() {
    let pair = format!("A={VALUE}");
    for fault in ["refuses", "denies", "quotes"] {
        let rogue = Rogue::new(fault);
        let (run, document) = rogue.run(&["secrets", "set", "prod", &pair, "-s"]);
        assert_eq!(run.status, Some(1), "{fault}: {run:?}");
        assert_eq!(
            document["error"]["outcome"], "not_done",
            "{fault}: {document}"
        );
        rogue.rest(fault);
    }
}

#[test]
fn a_backend_that_hangs_is_ended_and_its_change_unknown() {
    let mut rogue = Rogue::new("hangs");
    rogue.user.set("BOT_CLI_TIMEOUT", "0.5");
    let pair = format!("A={VALUE}");
    let (run, document) = rogue.run(&["secrets", "set", "prod", &pair, "-s"]);
    assert_eq!(run.status, Some(3), "{run:?}");
    assert_eq!(document["error"]["outcome"], "unknown", "{document}");
    rogue.rest("hangs");
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
fn a_value_that_no_variable_can_have_is_named_by_its_key_as_far_as_lists_show_it() {
    for (fault, whose) in [("nul", "`A`"), ("hidden-nul", "a key")] {
        let rogue = Rogue::new(fault);
        rogue.keep();
        let (run, _) = rogue.run(&["secrets", "run", "prod", "--", "true"]);
        let expected = format!(
            "error: the value of {whose} in the backend `sample` has a NUL character, which no variable of an environment can have\n\
             hint: set it again without that character\n"
        );
        assert_eq!((run.status, run.stderr), (Some(1), expected), "{fault}");
        rogue.rest(fault);
    }
}

#[test]
fn what_can_be_read_in_two_ways_is_not_relied_on() {
    for (fault, words, reason) in [
        (
            "twice-a-key",
            &["secrets", "run", "prod", "--", "true"][..],
            "sent a reply that can't be read: an object in it names a member twice",
        ),
        (
            "nameless",
            &["secrets", "list"],
            "sent a result that `secrets/list` does not have: a set has no name",
        ),
        (
            "doubled",
            &["secrets", "list"],
            "sent a result that `secrets/list` does not have: two sets have one name",
        ),
    ] {
        let rogue = Rogue::new(fault);
        let (run, _) = rogue.run(words);
        assert_eq!(run.status, Some(1), "{fault}: {run:?}");
        let expected =
            format!("error: the backend `sample` failed: plugin `secrets-sample` {reason}\n");
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

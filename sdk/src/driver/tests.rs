//! The driver against plugins of every character, as real processes.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::{Launch, Patience, run};
use crate::cancel::Cancel;
use crate::failure::{Exit, Failure};
use crate::outcome::Outcome;
use crate::protocol::{self, RunParams};
use crate::question::{Answer, Question};
use crate::secret::Secret;
use crate::ui::{Capabilities, Level, Ui};

/// Notes what it is shown and gives prepared answers.
#[derive(Default)]
struct Recorder {
    seen: Vec<String>,
    answers: VecDeque<Answer>,
    /// Asks to stop as soon as a line with this text comes in.
    cancel_at: Option<(&'static str, Cancel, u8)>,
}

impl Ui for Recorder {
    fn capabilities(&self) -> Capabilities {
        Capabilities::all()
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, Failure> {
        self.seen
            .push(format!("ask {} {:?}", question.key, question.problem));
        self.answers.pop_front().ok_or_else(Failure::cancelled)
    }

    fn progress(&mut self, message: &str, current: Option<u64>, total: Option<u64>) {
        self.seen
            .push(format!("progress {message} {current:?} {total:?}"));
    }

    fn log(&mut self, level: Level, message: &str) {
        self.seen.push(format!("{level:?} {message}"));
    }

    fn output(&mut self, text: &str) {
        self.seen.push(format!("output {text:?}"));
    }

    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        Ok(vec![0xff, 0xfe, 0xfd])
    }

    fn plugin_stderr(&mut self, line: &str) {
        if let Some((text, cancel, times)) = &self.cancel_at
            && line.contains(text)
        {
            (0..*times).for_each(|_| cancel.request());
        }
        self.seen.push(format!("stderr {line}"));
    }
}

const QUICK: Patience = Patience {
    cancel: Duration::from_millis(200),
    terminate: Duration::from_millis(200),
    finish: Duration::from_millis(500),
    reply: Some(Duration::from_secs(20)),
};

fn launch(name: &str, patience: Patience) -> Launch {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugins");
    Launch {
        name: name.to_owned(),
        program: folder.join(name),
        cwd: folder,
        env: Vec::new(),
        patience,
    }
}

fn params() -> RunParams {
    RunParams {
        protocol: protocol::VERSION.to_owned(),
        argv: Some(Vec::new()),
        ..RunParams::default()
    }
}

fn run_plugin(name: &str, ui: &mut Recorder, cancel: &Cancel) -> Outcome {
    let outcome = run(&launch(name, QUICK), &params(), ui, cancel);
    for pid in pids(ui) {
        assert!(!lives(pid), "{name} left process {pid} behind");
    }
    outcome
}

fn pids(ui: &Recorder) -> Vec<u32> {
    let lines = ui
        .seen
        .iter()
        .filter_map(|line| line.strip_prefix("stderr pids "));
    lines
        .flat_map(str::split_whitespace)
        .map(|pid| pid.parse().unwrap())
        .collect()
}

/// A process that nobody has reaped yet lives no more. KILL works at once, but not within no time.
fn lives(pid: u32) -> bool {
    let deadline = Instant::now() + Duration::from_secs(5);
    while Instant::now() < deadline {
        let stat = std::fs::read_to_string(PathBuf::from(format!("/proc/{pid}/stat")));
        let state = stat
            .ok()
            .and_then(|stat| stat.rsplit_once(") ").map(|(_, rest)| rest.to_owned()));
        if state.is_none_or(|state| state.starts_with(['Z', 'X'])) {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

#[test]
fn a_breach_of_the_protocol_has_its_code_and_its_line() {
    for (name, code, message) in [
        (
            "wrong-id",
            "wrong_id",
            "replied to request 7, which nobody made",
        ),
        ("double-reply", "double_reply", "replied twice to request 1"),
        (
            "no-reply",
            "no_reply",
            "ended without a reply (exit status: 3)",
        ),
        (
            "orphan",
            "no_reply",
            "ended without a reply (exit status: 4)",
        ),
        (
            "closed-output",
            "no_reply",
            "ended without a reply (its output was closed)",
        ),
        ("not-utf8", "invalid_utf8", "sent a line that is not UTF-8"),
        (
            "endless-line",
            "line_too_long",
            "sent a line of more than 8 MiB",
        ),
        (
            "wrong-result",
            "wrong_result",
            "sent a result that `run` does not have: invalid type: integer `7`, expected a string",
        ),
    ] {
        let mut ui = Recorder::default();
        let outcome = run_plugin(name, &mut ui, &Cancel::new());
        let failure = outcome.result.unwrap_err();
        assert_eq!(failure.code, code);
        assert_eq!(failure.message, format!("plugin `{name}` {message}"));
        assert_eq!(outcome.status, 125);
        let last_words = if name == "no-reply" {
            "its last words: cannot find the moon"
        } else {
            ""
        };
        assert_eq!(
            failure
                .hints
                .iter()
                .filter(|hint| !hint.contains("pids"))
                .cloned()
                .collect::<String>(),
            last_words
        );
    }
}

#[test]
fn a_plugin_that_cannot_be_run_is_named() {
    let outcome = run(
        &launch("nobody", QUICK),
        &params(),
        &mut Recorder::default(),
        &Cancel::new(),
    );
    assert_eq!(outcome.status, 126);
    let message = outcome.result.unwrap_err().message;
    assert!(
        message.ends_with("tests/plugins/nobody`: No such file or directory (os error 2)"),
        "{message}"
    );
}

#[test]
fn what_is_no_message_is_skipped_and_what_is_new_ignored() {
    let mut ui = Recorder::default();
    let outcome = run_plugin("chatty", &mut ui, &Cancel::new());
    assert_eq!(outcome.status, 3);
    let reply = outcome.result.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.data, reply.next),
        ("done\n", json!([1]), vec!["rest".to_owned()])
    );
    // Standard error is a stream of its own: it comes in its own time.
    let (stderr, shown): (Vec<_>, Vec<_>) = ui
        .seen
        .into_iter()
        .partition(|line| line.starts_with("stderr"));
    assert_eq!(
        shown,
        [
            "Info plugin `chatty` printed a line that is not a message: `Loading model ...`",
            "Info plugin `chatty` printed a line that is not a message: `{\\\"level\\\":\\\"info\\\"}`",
            "Debug ignored the notification `weather`",
            "progress Working Some(1) Some(2)",
            "Info noted",
            "output \"early\\n\"",
        ]
    );
    assert_eq!(
        stderr,
        [
            r#"stderr {"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"the host has no method `clipboard`"}}"#
        ]
    );
}

#[test]
fn a_flood_of_standard_error_is_no_deadlock() {
    let mut ui = Recorder::default();
    let outcome = run_plugin("flood", &mut ui, &Cancel::new());
    assert_eq!(outcome.result.unwrap().text, "done");
    assert_eq!(ui.seen.len(), 1_000_000);
}

#[test]
fn what_a_plugin_leaves_behind_ends_with_it() {
    for name in ["heir", "clinging"] {
        let mut ui = Recorder::default();
        let outcome = run_plugin(name, &mut ui, &Cancel::new());
        assert_eq!(outcome.result.unwrap().text, "done", "{name}");
        assert_eq!(pids(&ui).len(), 1, "{name}");
    }
}

#[test]
fn cancelling_is_a_message_first() {
    let cancel = Cancel::new();
    let mut ui = Recorder {
        cancel_at: Some(("ready", cancel.clone(), 1)),
        ..Recorder::default()
    };
    let launch = launch(
        "polite",
        Patience {
            cancel: Duration::from_secs(20),
            ..QUICK
        },
    );
    let outcome = run(&launch, &params(), &mut ui, &cancel);
    assert_eq!(
        (outcome.status, outcome.result.unwrap_err().code),
        (130, "cancelled".to_owned())
    );
    assert_eq!(
        ui.seen,
        [
            "stderr ready",
            r#"stderr {"jsonrpc":"2.0","method":"cancel","params":{"id":1,"reason":"user"}}"#
        ]
    );
}

#[test]
fn a_deaf_plugin_is_ended_in_three_steps() {
    let cancel = Cancel::new();
    let mut ui = Recorder {
        cancel_at: Some(("pids", cancel.clone(), 1)),
        ..Recorder::default()
    };
    let outcome = run_plugin("deaf", &mut ui, &cancel);
    assert_eq!(outcome.status, 130);
    assert_eq!(outcome.result.unwrap_err().exit, Exit::Cancelled);
    assert_eq!(pids(&ui).len(), 2);
}

#[test]
fn a_second_wish_does_not_wait() {
    let cancel = Cancel::new();
    let mut ui = Recorder {
        cancel_at: Some(("pids", cancel.clone(), 2)),
        ..Recorder::default()
    };
    let patience = Patience {
        cancel: Duration::from_secs(600),
        ..QUICK
    };
    let outcome = run(
        &launch(
            "deaf",
            Patience {
                reply: None,
                ..patience
            },
        ),
        &params(),
        &mut ui,
        &cancel,
    );
    assert_eq!(outcome.status, 130);
}

#[test]
fn a_late_reply_is_not_waited_for() {
    let mut ui = Recorder::default();
    let patience = Patience {
        reply: Some(Duration::from_secs(1)),
        ..QUICK
    };
    let outcome = run(
        &launch("deaf", patience),
        &params(),
        &mut ui,
        &Cancel::new(),
    );
    let failure = outcome.result.unwrap_err();
    assert_eq!((outcome.status, failure.code.as_str()), (7, "timed_out"));
    assert_eq!(failure.message, "plugin `deaf` did not reply within 1 s");
    assert!(pids(&ui).into_iter().all(|pid| !lives(pid)));
}

#[test]
fn questions_are_served_and_checked_and_secrets_stay_unseen() {
    let mut ui = Recorder::default();
    ui.answers.extend([
        Answer::Secret(Secret::new("hunter2".to_owned())),
        Answer::Text("dog".to_owned()),
        Answer::Text("cat".to_owned()),
    ]);
    let outcome = run_plugin("curious", &mut ui, &Cancel::new());
    let replies = outcome.result.unwrap().data;
    let results: Vec<&Value> = replies
        .as_array()
        .unwrap()
        .iter()
        .map(|reply| &reply["result"])
        .collect();
    assert_eq!(
        json!(results),
        json!([
            { "action": "accept", "value": "hunter2" },
            { "action": "accept", "value": "cat" },
            { "base64": "//79" },
        ])
    );
    assert_eq!(
        ui.seen,
        [
            "ask token None",
            "ask pet None",
            "ask pet Some(\"`dog` is not one of the choices\")"
        ]
    );
}

#[test]
fn the_plugins_of_the_document_work() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/examples");
    let answers: Map<String, Value> = [("dice".to_owned(), json!("2"))].into_iter().collect();
    for (name, argv, status) in [
        ("hello", vec![], 0),
        ("roll", vec![], 0),
        ("roll", vec!["3"], 0),
        ("roll", vec!["many"], 2),
    ] {
        let launch = Launch {
            program: folder.join(format!("bot-cli-{name}")),
            ..launch(
                name,
                Patience {
                    reply: Some(Duration::from_secs(60)),
                    ..QUICK
                },
            )
        };
        let argv: Vec<String> = argv.into_iter().map(str::to_owned).collect();
        let dice = argv.first().map_or(Some(2), |number| number.parse().ok());
        let params = RunParams {
            argv: Some(argv),
            answers: answers.clone(),
            ..params()
        };
        let outcome = run(&launch, &params, &mut Recorder::default(), &Cancel::new());
        assert_eq!(outcome.status, status, "{name}: {outcome:?}");
        match outcome.result {
            Ok(reply) if name == "hello" => assert_eq!(reply.text, "Hello\n"),
            Ok(reply) => assert_eq!(Some(reply.data["rolled"].as_array().unwrap().len()), dice),
            Err(failure) => assert_eq!(failure.message, "`dice` must be a number from 1 to 100"),
        }
    }
}

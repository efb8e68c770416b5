//! What a plugin says and asks while it works.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{QUICK, Recorder, all_gone, launch, params, run_plugin};
use crate::cancel::Cancel;
use crate::driver::{Launch, Patience, Plugin, run};
use crate::protocol::{RunParams, WireCapabilities, methods};
use crate::question::Answer;
use crate::secret::Secret;

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
            "Info plugin `chatty` printed a line that is not a message: `{\"level\":\"info\"}`",
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
    let patient = Patience {
        finish: Duration::from_secs(60),
        ..QUICK
    };
    let outcome = run(
        &launch("flood", patient),
        &params(),
        &mut ui,
        &Cancel::new(),
    );
    assert_eq!(outcome.result.unwrap().text, "done");
    assert_eq!(ui.seen.len(), 1_000_000);
}

#[test]
fn questions_are_served_and_checked_and_secrets_stay_unseen() {
    let mut ui = Recorder {
        input: vec![0xff, 0xfe, 0xfd],
        ..Recorder::default()
    };
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
            "ask pet Some(\"`dog` is not one of the choices\")",
            "stdin",
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

#[test]
fn a_plugin_that_knows_a_password_is_not_quoted() {
    for (mode, log, code, message) in [
        (
            "garbage",
            &["Info plugin `blabbing` printed a line that is not a message: 17 bytes"][..],
            "no_reply",
            "plugin `blabbing` ended without a reply (exit status: 0)",
        ),
        (
            "wrong-result",
            &[],
            "wrong_result",
            "plugin `blabbing` sent a result that `run` does not have: `result` must be an object",
        ),
        (
            "wrong-id",
            &[],
            "wrong_id",
            "plugin `blabbing` replied to request \"[hidden]\", which nobody made",
        ),
        (
            "notices",
            &[
                "Info plugin `blabbing` sent `output` for the request \"[hidden]\", which is not open",
                "Debug ignored the notification `[hidden]`",
            ],
            "wrong_reply",
            "plugin `blabbing` sent a reply that can't be read: `jsonrpc` is missing",
        ),
        (
            "crash",
            &[],
            "no_reply",
            "plugin `blabbing` ended without a reply (exit status: 3)",
        ),
    ] {
        let mut ui = Recorder::default();
        ui.answers
            .push_back(Answer::Secret(Secret::new("hunter2".to_owned())));
        let params = RunParams {
            argv: Some(vec![mode.to_owned()]),
            ..params()
        };
        let outcome = run(&launch("blabbing", QUICK), &params, &mut ui, &Cancel::new());
        let failure = outcome.result.unwrap_err();
        assert_eq!(
            (failure.code.as_str(), failure.message.as_str()),
            (code, message)
        );
        assert_eq!(failure.hints, [""; 0], "{mode}");
        ui.seen.retain(|line| !line.starts_with("stderr"));
        let expected: Vec<&str> = ["ask token None"].iter().chain(log).copied().collect();
        assert_eq!(ui.seen, expected, "{mode}");
    }
}

#[test]
fn answers_that_a_plugin_leaves_unread_do_not_pile_up() {
    let mut ui = Recorder {
        input: vec![b'x'; 128 * 1024],
        ..Recorder::default()
    };
    let patience = Patience {
        reply: Some(Duration::from_secs(2)),
        ..QUICK
    };
    let outcome = run(
        &launch("insatiable", patience),
        &params(),
        &mut ui,
        &Cancel::new(),
    );
    assert_eq!(outcome.result.unwrap_err().code, "timed_out");
    let asked = ui.seen.iter().filter(|line| *line == "stdin").count();
    assert!((2..40).contains(&asked), "{asked}");
    assert!(all_gone(&ui));
}

#[test]
fn output_that_was_not_offered_comes_with_the_result_and_several_requests_are_served() {
    let mut ui = Recorder::default();
    let mut plugin = Plugin::start(&launch("telling", QUICK)).unwrap();
    let note = "Info plugin `telling` sent `output`, which can't be shown before the result";
    let json_note = "Info plugin `telling` sent `output`, which is not a part of the JSON document";
    for (offered, format, text, seen) in [
        (
            true,
            "text",
            "three\n",
            ["output \"one\\n\"", "output \"two\\n\""],
        ),
        (false, "text", "one\ntwo\nthree\n", [note; 2]),
        (false, "json", "three\n", [json_note; 2]),
    ] {
        let capabilities = if offered {
            json!({ "output": {} })
        } else {
            json!({})
        };
        let params = json!({ "capabilities": capabilities, "context": { "format": format } });
        let result = plugin.request(methods::RUN, params, &mut ui, &Cancel::new());
        assert_eq!(result.unwrap()["text"], text);
        assert_eq!(std::mem::take(&mut ui.seen), seen);
    }
    plugin.finish(&mut ui, &Cancel::new()).unwrap();
}

#[test]
fn what_is_not_offered_is_not_served() {
    let mut ui = Recorder::default();
    let params = RunParams {
        capabilities: WireCapabilities::default(),
        ..params()
    };
    let outcome = run(&launch("curious", QUICK), &params, &mut ui, &Cancel::new());
    let replies = outcome.result.unwrap().data;
    for (index, message) in [
        "`token` must be answered and nobody can be asked",
        "`pet` must be answered and nobody can be asked",
        "there is no piped input to read",
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(replies[index]["error"]["message"], message);
    }
    assert_eq!(ui.seen, [""; 0]);
}

#[test]
fn a_question_of_a_plugin_that_has_ended_is_withdrawn() {
    let asked = tempfile::tempdir().unwrap();
    let mut launch = launch("fickle", QUICK);
    let file = asked.path().join("asked");
    launch.env = vec![("ASKED".into(), file.clone().into())];
    let mut ui = Recorder {
        patient: Some(file),
        ..Recorder::default()
    };
    let cancel = Cancel::new();
    let outcome = run(&launch, &params(), &mut ui, &cancel);
    assert_eq!(outcome.status, 125);
    assert_eq!(
        outcome.result.unwrap_err().message,
        "plugin `fickle` ended without a reply (exit status: 3)"
    );
    assert!(!cancel.requested(), "it was not the user who gave up");
    assert_eq!(ui.seen, ["ask name None", "withdrawn"]);
}

#[test]
fn a_question_that_the_plugin_takes_back_is_withdrawn() {
    let asked = tempfile::tempdir().unwrap();
    let mut launch = launch("wavering", QUICK);
    let file = asked.path().join("asked");
    launch.env = vec![("ASKED".into(), file.clone().into())];
    let mut ui = Recorder {
        patient: Some(file),
        ..Recorder::default()
    };
    let outcome = run(&launch, &params(), &mut ui, &Cancel::new());
    assert_eq!(outcome.result.unwrap().text, "without a name");
    assert_eq!(ui.seen, ["ask name None", "withdrawn"]);
}

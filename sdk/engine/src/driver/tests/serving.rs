//! What a plugin says and asks while it works.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::{QUICK, Recorder, launch, params, run_plugin};
use crate::driver::{Plugin, run};
use bot_cli_protocol::question::Answer;
use bot_cli_protocol::secret::Secret;
use bot_cli_protocol::{RunParams, methods};
use bot_cli_terminal::cancel::Cancel;

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
            "plugin `blabbing` sent a reply that can't be read: 39 bytes",
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
            argv: vec![mode.to_owned()],
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
fn output_that_was_not_offered_comes_with_the_result() {
    let mut ui = Recorder::default();
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
        let mut plugin = Plugin::start(&launch("telling", QUICK)).unwrap();
        let result = plugin.request(methods::RUN, &params, &mut ui, &Cancel::new());
        assert_eq!(result.unwrap()["text"], text);
        plugin.finish(&mut ui, &Cancel::new()).unwrap();
        assert_eq!(std::mem::take(&mut ui.seen), seen);
    }
}

#[test]
fn a_question_that_nobody_waits_for_any_more_is_withdrawn() {
    for (name, expected) in [
        (
            "fickle",
            "Err(\"plugin `fickle` ended without a reply (exit status: 3)\")",
        ),
        ("wavering", "Ok(\"without a name\")"),
    ] {
        let asked = tempfile::tempdir().unwrap();
        let file = asked.path().join("asked");
        let mut launch = launch(name, QUICK);
        launch.env = vec![("ASKED".into(), file.clone().into())];
        let mut ui = Recorder {
            patient: Some(file),
            ..Recorder::default()
        };
        let cancel = Cancel::new();
        let result = run(&launch, &params(), &mut ui, &cancel).result;
        let result = result.map(|it| it.text).map_err(|it| it.message);
        assert_eq!(format!("{result:?}"), expected);
        assert!(!cancel.requested(), "it was not the user who gave up");
        assert_eq!(ui.seen, ["ask name None", "withdrawn"]);
    }
}

#[test]
fn the_longer_plugin_of_the_document_works() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../protocol/tests/examples");
    for (argv, expected) in [
        (vec![], Ok(2)),
        (vec!["3"], Ok(3)),
        (vec!["many"], Err("`dice` must be a number from 1 to 100")),
    ] {
        let mut launch = launch("roll", QUICK);
        launch.program = folder.join("bot-cli-roll");
        launch.patience.reply = Some(Duration::from_secs(60));
        let params = RunParams {
            argv: argv.into_iter().map(str::to_owned).collect(),
            answers: [("dice".to_owned(), json!("2"))].into_iter().collect(),
            ..params()
        };
        let result = run(&launch, &params, &mut Recorder::default(), &Cancel::new()).result;
        let rolled = result.map(|it| it.data["rolled"].as_array().unwrap().len());
        assert_eq!(
            rolled.map_err(|it| it.message),
            expected.map_err(str::to_owned)
        );
    }
}

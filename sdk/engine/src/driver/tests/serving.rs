use serde_json::{Value, json};

use super::{QUICK, Recorder, launch, params, run_plugin};
use crate::driver::run;
use bot_cli_protocol::question::Answer;
use bot_cli_protocol::secret::Secret;
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
fn a_question_that_the_plugin_takes_back_is_withdrawn() {
    let asked = tempfile::tempdir().unwrap();
    let file = asked.path().join("asked");
    let mut launch = launch("wavering", QUICK);
    launch.env = vec![("ASKED".into(), file.clone().into())];
    let mut ui = Recorder {
        patient: Some(file),
        ..Recorder::default()
    };
    let cancel = Cancel::new();
    let outcome = run(&launch, &params(), &mut ui, &cancel);
    assert_eq!(outcome.result.unwrap().text, "without a name");
    assert!(!cancel.requested(), "it was not the user who gave up");
    assert_eq!(ui.seen, ["ask name None", "withdrawn"]);
}

//! What a backend asks and tells goes to the user of the command that drives it.

use bot_cli_secrets::Code;
use bot_cli_secrets::client::Fault;
use serde_json::json;

use super::Stage;

#[test]
fn questions_are_relayed_under_the_backends_name() {
    let stage = Stage::new("asks");
    stage.user.answers.borrow_mut().push_back("1234");
    stage.open().unwrap();
    assert_eq!(
        stage.seen(),
        [
            "secrets-sample.code Code None",
            "Note secrets-sample: signed in"
        ]
    );
}

#[test]
fn a_script_answers_a_question_of_the_backend_by_that_name_only() {
    let mut stage = Stage::new("asks");
    stage.user.capabilities.ask.clear();
    stage.answers.insert("code".to_owned(), json!("1234"));
    let fault = stage.open().unwrap_err();
    assert!(
        matches!(&fault, Fault::Told(error) if error.code == Code::InputRequired),
        "{fault:?}"
    );
    stage
        .answers
        .insert("secrets-sample.code".to_owned(), json!("1234"));
    stage.open().unwrap();
    assert_eq!(stage.seen(), ["Note secrets-sample: signed in"]);
}

#[test]
fn a_cancelled_question_cancels_the_command() {
    let stage = Stage::new("asks");
    assert_eq!(stage.open().unwrap_err(), Fault::Cancelled);
    assert!(stage.cancel.requested());
}

#[test]
fn a_question_that_nobody_waits_for_is_taken_back() {
    for (fault, code) in [("dies-asking", "no_reply"), ("gives-up-asking", "TimedOut")] {
        let mut stage = Stage::new(fault);
        stage.user.slow = Some(stage.folder.path().join("bot-cli-secrets-sample.open"));
        let failed = format!("{:?}", stage.open().unwrap_err());
        assert!(failed.contains(code), "{fault}: {failed}");
        assert_eq!(
            stage.seen(),
            ["secrets-sample.code is open", "it was taken back"],
            "{fault}"
        );
    }
}

//! Once a value went over, nothing that the backend says is shown.

use bot_cli_secrets::Code;
use bot_cli_secrets::client::Fault;

use super::{CANARY, Stage, put};

#[test]
fn a_question_with_a_value_in_it_is_not_asked() {
    let stage = Stage::new("asks-in-put");
    let mut client = stage.open().unwrap();
    client.put(&put(&[("A", CANARY)])).unwrap();
    drop(client);
    assert_eq!(stage.seen(), [""; 0]);
}

#[test]
fn the_words_of_a_backend_that_never_saw_a_value_are_shown_as_one_line() {
    let fault = Stage::new("signed-out").open().unwrap_err();
    let told = fault;
    let Fault::Told(error) = &told else {
        panic!("{told:?}");
    };
    assert_eq!(error.code, Code::NotSignedIn);
    assert_eq!(error.message, "the sign-in has expired");
    assert_eq!(error.hints, ["sample login"]);
    let fault = Stage::new("dies-at-open").open().unwrap_err();
    let told = fault;
    let Fault::Broken(failure) = &told else {
        panic!("{told:?}");
    };
    assert_eq!(
        failure.message,
        "plugin `secrets-sample` ended without a reply (exit status: 3)"
    );
    assert_eq!(failure.hints, ["its last words: the keyring is locked"]);
}

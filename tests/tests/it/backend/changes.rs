//! Every change ends as done, as not done, as done in part, or as unknown.

use std::time::Duration;

use bot_cli_secrets::Effect;
use bot_cli_secrets::client::{ChangeFault, Fault};
use bot_cli_secrets::messages::{Prior, PutParams, UnsetParams};

use super::{CANARY, Stage, put};

/// Returns what `fault` makes of a new set with two keys, and whether the value was kept in truth.
fn outcome(fault: &str) -> (Result<(), ChangeFault>, bool) {
    let mut stage = Stage::new(fault);
    if fault == "hangs" {
        stage.silence = Duration::from_millis(300);
    }
    let mut client = stage.open().unwrap();
    let changed = client.put(&put(&[("A", CANARY), ("B", "2")]));
    drop(client);
    (changed, stage.has_kept(CANARY))
}

#[test]
fn parts_of_a_change_are_told_apart() {
    let changed = outcome("partly").0.unwrap_err();
    let Effect::Partly(parts) = changed.effect else {
        panic!("{changed:?}");
    };
    assert_eq!(
        (parts.done, parts.not_done),
        (vec!["A".to_owned()], vec!["B".to_owned()])
    );
    assert!(parts.unknown.is_empty());
    let told = changed.fault;
    let Fault::Told(error) = &told else {
        panic!("{told:?}");
    };
    assert_eq!(error.retry_after, Some(5));
}

#[test]
fn a_result_that_names_what_was_not_asked_for_is_none() {
    let stage = Stage::new("names-others");
    let mut client = stage.open().unwrap();
    client.put(&put(&[("A", "1")])).unwrap();
    let unset = UnsetParams {
        name: "prod".to_owned(),
        keys: vec!["A".to_owned()],
        prior: None,
    };
    let changed = client.unset(&unset).unwrap_err();
    assert_eq!(changed.effect, Effect::Unknown);
    // It is not spoken with any more, so that nothing further can have been done.
    let changed = client.unset(&unset).unwrap_err();
    assert_eq!(changed.effect, Effect::NotDone);

    let stage = Stage::new("another-set");
    let mut client = stage.open().unwrap();
    client.put(&put(&[("A", "1")])).unwrap();
    let fault = client.get("prod").unwrap_err();
    assert!(
        matches!(&fault, Fault::Broken(failure) if failure.code == "wrong_result"),
        "{fault:?}"
    );
}

#[test]
fn what_is_wrong_before_a_change_is_sent_leaves_it_not_done() {
    // Cancelled before.
    let stage = Stage::new("");
    let mut client = stage.open().unwrap();
    stage.cancel.request();
    let changed = client.put(&put(&[("A", CANARY)])).unwrap_err();
    assert_eq!(
        (changed.fault, changed.effect),
        (Fault::Cancelled, Effect::NotDone)
    );
    assert!(!stage.has_kept(CANARY));
    // It ended after a change that it had called done.
    let stage = Stage::new("dies-after-put");
    let mut client = stage.open().unwrap();
    client.put(&put(&[("A", "1")])).unwrap();
    let next = PutParams {
        prior: Prior::Keys(vec!["A".to_owned()]),
        ..put(&[("B", CANARY)])
    };
    assert_eq!(client.put(&next).unwrap_err().effect, Effect::NotDone);
    assert!(stage.has_kept("\"A\"") && !stage.has_kept(CANARY));
}

#[test]
fn a_refusal_of_the_request_itself_is_not_done() {
    let stage = Stage::new("");
    let mut client = stage.open().unwrap();
    let mut wrong = put(&[("A", "1")]);
    wrong.name = "Not A Name".to_owned();
    let changed = client.put(&wrong).unwrap_err();
    assert_eq!(changed.effect, Effect::NotDone);
    let organizations = client.organizations().unwrap_err();
    assert!(
        matches!(&organizations, Fault::Broken(failure) if failure.code == "method_not_found"),
        "{organizations:?}"
    );
}

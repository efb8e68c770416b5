//! Tests for retries, and for changes that stop halfway.

use std::time::Duration;

use bot_cli_tests::service::{Fault, Injection, ListForm};
use serde_json::json;

use super::super::user::{User, pairs};
use super::super::{fields, words};
use super::users;

#[test]
fn what_passes_is_tried_again_and_said() {
    let conflict = Fault::error(
        409,
        "Secret set 'prod' was modified concurrently. Please retry.",
        "CONFLICT",
    );
    let soon = |status| Fault::error(status, "not now", "LATER").with("retry-after", "0");
    for fault in [
        conflict,
        soon(429),
        soon(502),
        soon(503),
        soon(504),
        Fault::Reset,
    ] {
        for user in users() {
            user.service()
                .inject(Injection::new("PUT", "/secrets/prod", fault.clone()).times(1));
            let run = user.run(&["secrets", "set", "prod", "A=2", "--skip"]);
            assert_eq!(run.status, Some(0), "{fault:?}: {run:?}");
            let said = run
                .stderr
                .lines()
                .filter(|line| line.contains("trying again"));
            assert_eq!(said.count(), 1, "{fault:?}: {run:?}");
            let stored = user.service().stored();
            assert_eq!(stored["first-org"]["prod"]["secrets"], json!({"A": "2"}));
        }
    }
}

#[test]
fn a_whole_set_is_one_request_and_one_key_a_request_where_that_is_refused() {
    let three = ["secrets", "set", "prod", "A=1", "B=2", "C=3", "--skip"];
    let puts = |user: &User| {
        let sent = user.service().take_sent();
        sent.iter().filter(|line| line.starts_with("PUT")).count()
    };
    let user = User::with_key();
    user.done(&three);
    assert_eq!(puts(&user), 1);
    // The published paths have no other form.
    user.service().world().list_form = ListForm::Nowhere;
    user.fails(&three, 1, "refused");
    assert_eq!(puts(&user), 1);

    let user = User::with_token();
    user.done(&three);
    // The list, and then each key.
    assert_eq!(puts(&user), 4);
    let stored = user.service().stored();
    let expected = json!({"A": "1", "B": "2", "C": "3"});
    assert_eq!(stored["first-org"]["prod"]["secrets"], expected);
}

#[test]
fn a_set_that_is_refused_for_what_is_in_it_is_not_stored_in_part() {
    let four = words("secrets set prod A=1 B=2 C=long D=4 --skip");
    for user in [User::with_key(), User::with_token()] {
        user.service().world().list_form = ListForm::Everywhere;
        let refused = Fault::error(400, "Value of C is longer than 3 characters", "BAD");
        user.service()
            .inject(Injection::new("PUT", "/secrets/prod", refused).times(1));
        let error = user.fails(&four, 1, "refused");
        assert_eq!(error["outcome"], "not_done", "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("Value of C is longer"), "{message}");
        assert_eq!(user.service().stored()["first-org"], json!({}));
    }
}

#[test]
fn a_change_that_stops_half_way_says_which_keys_are_applied() {
    let user = User::with_token();
    let three = |first: &str| {
        let set = ["secrets", "set", "prod", first, "C=3", "D=4", "--skip"];
        user.json(&set)
    };
    assert_eq!(three("A=1").0, Some(0));
    let sent = user.service().take_sent();
    let puts = sent.iter().filter(|line| line.starts_with("PUT")).count();
    user.done(&["secrets", "delete", "prod", "--skip"]);
    // All that is sent up to the first of three keys goes well.
    let first = u32::try_from(puts - 2).unwrap();
    user.service()
        .inject(Injection::new("PUT", "/secrets/prod", Fault::Late(Duration::ZERO)).times(first));
    let refused = Fault::error(400, "no more of these", "GENERIC_BAD_REQUEST");
    user.service().fail("PUT", "/secrets/prod", &refused);
    let (status, document) = three("B=2");
    assert_eq!(status, Some(1), "{document}");
    assert_eq!(document["error"]["code"], "partly_applied", "{document}");
    let not_applied = "not applied";
    let expected = [("B", "applied"), ("C", not_applied), ("D", not_applied)];
    assert_eq!(fields(&document["error"]), expected);
    assert_eq!(user.values("prod"), pairs(&[("B", "2")]));
}

#[test]
fn ctrl_c_in_the_middle_says_which_keys_are_applied() {
    let user = User::with_token();
    user.service().world().latency = Duration::from_millis(150);
    let pairs: Vec<String> = (0..20)
        .map(|index| format!("KEY_{index:02}=value"))
        .collect();
    let mut arguments = words("secrets set prod --skip");
    arguments.extend(pairs.iter().map(String::as_str));
    let child = user.start(&arguments);
    // Two keys are on the service: the update is under way.
    user.service()
        .wait_until("two keys of the update", || user.values("prod").len() >= 2);
    let run = user.interrupt(child);
    let said = run.stderr;
    assert_eq!(run.status, Some(130), "{said}");
    // What is stored is what was said: each key applied, not applied, or, for the one under way, unknown.
    let stored = user.values("prod");
    for index in 0..20 {
        let key = format!("KEY_{index:02}");
        let mut lines = said.lines();
        let line = lines.find(|line| line.contains(&key)).unwrap_or_default();
        let is_stored = stored.contains_key(&key);
        let fits = line.contains("unknown") || line.contains("not applied") != is_stored;
        assert!(
            !line.is_empty() && fits,
            "{key}, stored: {is_stored}\n{said}"
        );
    }
}

#[test]
fn two_clients_at_once_lose_nothing_they_reported() {
    let user = User::with_key();
    user.service().world().latency = Duration::from_millis(30);
    let runs: Vec<_> = ["A", "B", "C"]
        .map(|key| {
            let pair = format!("{key}=1");
            let child = user.start(&["secrets", "set", "prod", &pair, "--skip"]);
            (key, child)
        })
        .into_iter()
        .map(|(key, child)| (key, user.ended(child).status))
        .collect();
    let stored = user.values("prod");
    for (key, status) in runs {
        match status {
            Some(0) => assert!(stored.contains_key(key), "{key}"),
            // The third try met the others again.
            Some(1) => {}
            other => panic!("{key}: {other:?}"),
        }
    }
}

#[test]
fn a_set_that_is_referenced_is_left_alone() {
    for user in users() {
        let service = user.service();
        service
            .world()
            .reference("first-org", "elsewhere", "us-west");
        for arguments in [
            &["secrets", "set", "elsewhere", "A=1", "--skip"][..],
            &["secrets", "unset", "elsewhere", "A", "--skip"],
        ] {
            user.fails(arguments, 1, "referenced");
        }
        let one = user.done(&["secrets", "list", "elsewhere"]);
        assert_eq!(one["referenced"], true);
        assert_eq!(one["keys"], serde_json::Value::Null);
    }
}

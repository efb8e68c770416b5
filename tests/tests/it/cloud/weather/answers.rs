//! Tests with incorrect responses.

use std::time::Duration;

use bot_cli_tests::service::{Fault, Injection, Service};
use serde_json::json;

use super::super::user::User;
use super::super::words;
use super::{COMMANDS, every_command_fails, store, users};

#[test]
fn every_status_has_its_class() {
    for (status, exit, codes) in [
        (400, 1, &["refused"][..]),
        (401, 4, &["not_signed_in"]),
        (403, 4, &["not_allowed"]),
        (418, 1, &["refused"]),
    ] {
        let fault = Fault::error(status, "that can't be", "SOME_CODE");
        every_command_fails(&fault, exit, codes);
    }
    for status in [429, 500, 502, 503, 504] {
        // Asking for more patience than anybody has: it is given up at once.
        let fault = Fault::error(status, "not now", "LATER").with("retry-after", "3600");
        every_command_fails(&fault, 7, &["unavailable"]);
    }
    // A page for a browser is no answer, and no 404 of the service.
    every_command_fails(&Fault::html(200), 1, &["invalid_response"]);
    every_command_fails(&Fault::html(500), 7, &["unavailable"]);
    every_command_fails(&Fault::html(404), 1, &["invalid_response", "refused"]);
}

#[test]
fn a_document_of_another_shape_is_no_answer() {
    for body in [
        "",
        "[]",
        "null",
        "true",
        "\"ready\"",
        "{",
        "{\"sets\": {}}",
        "{\"secrets\": 1, \"regions\": 2}",
    ] {
        every_command_fails(&Fault::json(200, body), 1, &["invalid_response"]);
    }
}

#[test]
fn an_answer_without_a_body_is_enough_where_nothing_is_asked_for() {
    for user in users() {
        user.service().world().deletes_say_nothing = true;
        user.done(&["secrets", "unset", "prod", "A", "--skip"]);
        user.done(&["secrets", "delete", "prod", "--skip"]);
        assert_eq!(user.service().stored()["first-org"], json!({}));
    }
}

#[test]
fn a_token_is_never_taken_to_another_host() {
    let stranger = Service::start().unwrap();
    let elsewhere = Fault::redirect(&format!("{}/v1/secrets", stranger.url()));
    every_command_fails(&elsewhere, 1, &["redirected"]);
    assert_eq!(stranger.take_sent(), [""; 0]);
}

#[test]
fn the_services_text_does_not_steer_the_terminal() {
    let text = "no\u{1b}[2J\u{1b}]0;owned\u{7}\r\n\u{9b}31m\u{202e}way";
    for user in users() {
        user.service().fail("*", "/", &Fault::error(400, text, "X"));
        for arguments in COMMANDS {
            let run = user.run(arguments);
            let case = format!("{arguments:?}: {run:?}");
            assert_eq!(run.status, Some(1), "{case}");
            let hostile = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
            assert!(!run.stderr.contains(hostile), "{case}");
            assert!(!run.stdout.contains(hostile), "{case}");
        }
    }
}

/// Checks that empty responses, and responses from a proxy or a captive portal, are not mistaken for the service's own.
#[test]
fn what_others_say_is_neither_deleted_nor_empty_nor_saved() {
    let kong = "{\"message\":\"no Route matched with those values\"}";
    let foreign = [
        Fault::json(404, kong),
        Fault::json(200, "{}"),
        Fault::json(200, "{\"message\":\"welcome to hotel wifi\"}"),
        Fault::json(200, ""),
        Fault::json(204, ""),
        Fault::json(206, ""),
        Fault::html(404),
    ];
    for fault in foreign {
        for user in users() {
            user.service().fail("*", "/", &fault);
            for arguments in [&["secrets", "list"][..], &["secrets", "list", "prod"]] {
                user.fails(arguments, 1, "invalid_response");
            }
            // What comes before the change, and the look after it, go well.
            for (arguments, method) in [
                (&["secrets", "set", "prod", "A=2", "--skip"][..], "PUT"),
                (&["secrets", "set", "new-set", "A=2", "--skip"], "PUT"),
                (&["secrets", "delete", "prod", "--skip"], "DELETE"),
                (&["secrets", "unset", "prod", "A", "--skip"], "DELETE"),
            ] {
                let service = user.service();
                service.heal();
                service.fail(method, "/", &fault);
                let before = service.stored();
                let (status, document) = user.json(arguments);
                let case = format!("{fault:?}: {arguments:?}: {document}");
                // What is not there yet may still come.
                let outcome = document["error"]["outcome"].as_str();
                assert_eq!((status, outcome), (Some(3), Some("unknown")), "{case}");
                assert_eq!(service.stored(), before);
                // The same with the change carried out: a look shows it.
                service.heal();
                service.inject(Injection::new(method, "/", fault.clone()).applied());
                // An overwritten value looks as before; everything else can be seen.
                let is_overwritten = arguments.contains(&"A=2") && arguments.contains(&"prod");
                let expected = if is_overwritten { 3 } else { 0 };
                assert_eq!(user.json(arguments).0, Some(expected), "{case}");
                store(&user, &[("A", "1")]);
            }
        }
    }
}

/// A list request may return 404 for an organization without sets, but also for one that does not exist. Checks that only the former is
/// reported as empty.
#[test]
fn who_wants_to_stop_is_heard_between_answers_that_come_at_once() {
    let user = User::with_token();
    let keys: Vec<String> = (0..60).map(|number| format!("KEY_{number:02}")).collect();
    let values: Vec<(&str, &str)> = keys.iter().map(|key| (&**key, "1")).collect();
    store(&user, &values);
    user.service().world().latency = Duration::from_millis(8);
    let mut arguments = words("secrets unset prod --skip");
    arguments.extend(keys.iter().map(String::as_str));
    let child = user.start(&arguments);
    let left = || user.values("prod").len();
    user.service()
        .wait_until("some keys to go", || left() <= 55);
    assert_eq!(user.interrupt(child).status, Some(130));
    user.service().settle();
    assert!(left() > 0, "all were removed");
}

#[test]
fn an_organization_that_is_not_found_is_not_called_empty() {
    for user in users() {
        user.service().world().empty_list_is_missing = true;
        user.done(&["secrets", "delete", "prod", "--skip"]);
        assert_eq!(user.done(&["secrets", "list"])["sets"], json!([]));
        let gone = Fault::error(404, "Organization not found", "NOT_FOUND");
        user.service().fail("*", "/", &gone);
        for arguments in [
            &["secrets", "list"][..],
            &["secrets", "list", "prod"],
            &["secrets", "delete", "prod", "--skip"],
        ] {
            let run = user.run(arguments);
            assert_eq!(run.status, Some(1), "{run:?}");
            assert!(run.stderr.contains("Organization not found"), "{run:?}");
        }
    }
}

/// Checks that a set of an unknown type does not prevent the other sets from being listed.
#[test]
fn a_set_of_a_new_type_is_listed() {
    let user = User::with_key();
    let sets = json!({"sets": [
        {"name": "cert", "type": "certificate", "region": "us-west", "status": "ready"},
        {"name": "prod", "type": "secret", "region": "us-west", "status": "rotating"},
    ]});
    let listing = Fault::json(200, &sets.to_string());
    user.service().fail("GET", "/secrets", &listing);
    let listed = user.done(&["secrets", "list"]);
    assert_eq!(listed["sets"][0]["type"], "unknown", "{listed}");
    assert_eq!(listed["sets"][1]["status"], "pending", "{listed}");
}

/// A missing route is the service's own refusal.
#[test]
fn a_deletion_that_has_no_route_is_not_done() {
    for user in users() {
        let missing = Fault::error(404, "no route", "NOT_FOUND");
        user.service().fail("DELETE", "/", &missing);
        for line in ["secrets delete prod --skip", "secrets unset prod A --skip"] {
            let (status, document) = user.json(&words(line));
            assert_eq!(status, Some(1), "{document}");
            assert_eq!(document["error"]["outcome"], "not_done", "{document}");
        }
    }
}

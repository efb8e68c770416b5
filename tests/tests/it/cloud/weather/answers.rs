//! Answers that are not the right ones.

use bot_cli_tests::service::{Fault, Injection, Service};

use super::{COMMANDS, VALUE, assert_clean, every_command_fails, users};

#[test]
fn refusals_keep_their_class() {
    for (status, exit, codes) in [
        (400, 1, &["refused"][..]),
        (401, 4, &["not_signed_in"]),
        (403, 4, &["not_allowed"]),
        (418, 1, &["refused"]),
    ] {
        let fault = Fault::error(status, "that can't be", "SOME_CODE");
        every_command_fails(&fault, exit, codes);
    }
}

#[test]
fn trouble_of_the_service_is_worth_a_retry() {
    for status in [429, 500, 502, 503, 504] {
        // Asking for more patience than anybody has: it is given up at once.
        let fault = Fault::error(status, "not now", "LATER").with("retry-after", "3600");
        every_command_fails(&fault, 7, &["unavailable"]);
    }
}

#[test]
fn a_page_for_a_browser_is_no_answer() {
    every_command_fails(&Fault::html(200), 1, &["invalid_response"]);
    let down = Fault::html(500);
    every_command_fails(&down, 7, &["unavailable"]);
}

#[test]
fn a_page_that_says_404_is_not_the_services_not_found() {
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
        for user in users() {
            let fault = Fault::json(200, body);
            user.service()
                .inject(Injection::new("GET", "/", fault.clone()));
            let before = user.service().stored();
            for arguments in COMMANDS {
                let run = user.run(&[&["--json"], *arguments].concat());
                let case = format!("{}: {body:?}: {arguments:?}: {run:?}", user.name);
                assert_eq!(run.status, Some(1), "{case}");
                assert_eq!(
                    run.document()["error"]["code"],
                    "invalid_response",
                    "{case}"
                );
                assert_clean(&run, &case);
            }
            assert_eq!(user.service().stored(), before);
        }
    }
}

#[test]
fn an_answer_without_a_body_is_enough_where_nothing_is_asked_for() {
    for user in users() {
        user.service().world().deletes_say_nothing = true;
        user.done(&["secrets", "unset", "prod", "A", "--skip"]);
        user.done(&["secrets", "delete", "prod", "--skip"]);
        assert_eq!(user.service().stored()["first-org"], serde_json::json!({}));
    }
}

#[test]
fn a_listing_of_nothing_may_be_missing() {
    for user in users() {
        user.done(&["secrets", "delete", "prod", "--skip"]);
        user.service().world().empty_list_is_missing = true;
        assert_eq!(
            user.done(&["secrets", "list"])["sets"],
            serde_json::json!([])
        );
    }
}

#[test]
fn a_token_is_never_taken_to_another_host() {
    let stranger = Service::start().unwrap();
    for user in users() {
        let elsewhere = format!("{}/v1/secrets", stranger.url());
        user.service()
            .inject(Injection::new("*", "/", Fault::redirect(&elsewhere)));
        for arguments in COMMANDS {
            let (status, code) = user.fails(arguments);
            assert_eq!(
                (status, code.as_str()),
                (Some(1), "redirected"),
                "{arguments:?}"
            );
        }
    }
    assert_eq!(stranger.take_sent(), [""; 0]);
}

#[test]
fn the_services_text_does_not_steer_the_terminal() {
    let text = "no\u{1b}[2J\u{1b}]0;owned\u{7}\r\n\u{9b}31m\u{202e}way";
    for user in users() {
        user.service()
            .inject(Injection::new("*", "/", Fault::error(400, text, "X")));
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

#[test]
fn a_service_that_repeats_the_value_is_not_quoted() {
    let text = format!("the value {VALUE} is not welcome");
    for user in users() {
        user.service()
            .inject(Injection::new("PUT", "/", Fault::error(400, &text, "X")));
        for arguments in COMMANDS {
            for form in [&["--json"][..], &[], &["-vv"]] {
                let run = user.run(&[form, *arguments].concat());
                assert_clean(&run, &format!("{arguments:?}: {run:?}"));
            }
        }
    }
}

//! Tests that signing out takes effect locally at once, and at the issuer if it can be reached. The command reports which of these
//! happened.

use std::fs;
use std::time::Duration;

use bot_cli_tests::service::{Fault, PERSONAL_TOKEN, PRIVATE_KEY};
use bot_cli_tests::signing_in::{assert_no_token, credentials, put_back, sign_in, stranger};
use serde_json::{Value, json};

use super::user::{Run, User};

/// Returns the requests to the issuer's revocation endpoint.
fn revocations(user: &User) -> Vec<String> {
    let sent = user.service().sent();
    let revocations = sent.iter().filter(|sent| sent.target == "/issuer/revoke");
    revocations.map(|sent| sent.body.clone()).collect()
}

#[test]
fn the_sign_in_is_revoked_and_a_copy_of_it_worthless() {
    let user = stranger();
    sign_in(&user);
    let copy = fs::read_to_string(credentials(&user)).unwrap();
    let run = user.run(&["auth", "logout", "-vv"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(
        run.stdout,
        "Signed out: removed from [ROOT]/home/.config/bot-cli/credentials.toml, and the sign-in is revoked\n"
    );
    assert_no_token(&run);
    assert!(!credentials(&user).exists());
    let expected =
        "token=refresh-token-1&token_type_hint=refresh_token&client_id=client_of_the_command_line";
    assert_eq!(revocations(&user), [expected]);

    put_back(&user, &copy);
    user.fails(&["secrets", "list"], 4, "not_signed_in");
    // What is revoked already is no failure.
    assert_eq!(user.done(&["auth", "logout"])["revoked"], json!(true));
    // Once nobody is signed in, nobody is asked.
    let again = user.done(&["auth", "logout"]);
    assert_eq!(again, json!({"signed_in": false, "changed": false}));
    assert_eq!(revocations(&user).len(), 2);

    // Without a refresh token, the token itself is revoked.
    let user = stranger();
    user.service().world().issuer.refreshes = false;
    sign_in(&user);
    assert_eq!(user.done(&["auth", "logout"])["revoked"], json!(true));
    let expected =
        "token=access-token-1&token_type_hint=access_token&client_id=client_of_the_command_line";
    assert_eq!(revocations(&user), [expected]);
}

#[test]
fn whatever_the_issuer_does_this_machine_is_signed_out_and_the_rest_is_said() {
    let elsewhere = "https://elsewhere.example.com/revoke";
    let faults = [
        (Fault::Reset, "unreachable"),
        (Fault::Silence, "timed_out"),
        (Fault::Drip(Duration::from_millis(20)), "timed_out"),
        (Fault::Endless, "invalid_response"),
        (Fault::html(503), "unavailable"),
        (Fault::json(429, "{}"), "unavailable"),
        (
            Fault::json(
                400,
                r#"{"error":"unsupported_token_type","error_description":"refresh-token-1"}"#,
            ),
            "refused",
        ),
        (Fault::redirect(elsewhere), "refused"),
    ];
    let mut user = stranger();
    user.set("BOT_CLI_TIMEOUT", "0.4");
    for (fault, code) in &faults {
        sign_in(&user);
        user.service().fail("POST", "/issuer/revoke", fault);
        let run = user.run(&["--json", "-vv", "auth", "logout"]);
        user.service().heal();
        assert_eq!(run.status, Some(0), "{fault:?}: {run:?}");
        assert!(!credentials(&user).exists(), "{fault:?}");
        assert_no_token(&run);
        assert_is_said(&run, code);
    }
    // The same before the issuer is even found.
    sign_in(&user);
    user.service().fail("GET", "/auth/config", &Fault::Silence);
    let run = user.run(&["--json", "auth", "logout"]);
    assert_is_said(&run, "timed_out");
    assert!(!credentials(&user).exists());
}

/// Asserts that the command warns of a sign-in that works until it expires, and reports `code` as the reason.
fn assert_is_said(run: &Run, code: &str) {
    assert!(
        run.stderr.contains("warning: the sign-in is not revoked: "),
        "{run:?}"
    );
    assert!(run.stderr.contains("works until it expires"), "{run:?}");
    let expected = json!({"signed_in": false, "changed": true, "revoked": false, "reason": code});
    assert_eq!(run.document(), expected, "{run:?}");
}

#[test]
fn an_issuer_that_offers_no_revocation_or_an_unsafe_one_is_sent_nothing() {
    type Spoil = fn(&mut Value);
    let spoilt: [(Spoil, &str); 3] = [
        (
            |document| document["revocation_endpoint"] = Value::Null,
            "not_offered",
        ),
        (
            |document| document["revocation_endpoint"] = json!("http://elsewhere.example.com/"),
            "invalid_response",
        ),
        (
            |document| document["issuer"] = json!("https://elsewhere.example.com"),
            "invalid_response",
        ),
    ];
    for (spoil, code) in spoilt {
        let user = stranger();
        sign_in(&user);
        spoil(&mut user.service().world().issuer.document);
        let run = user.run(&["--json", "auth", "logout"]);
        assert_eq!(run.status, Some(0), "{run:?}");
        assert_is_said(&run, code);
        assert_eq!(revocations(&user), [""; 0]);
    }
}

#[test]
fn keys_and_personal_tokens_are_forgotten_and_sent_nowhere() {
    for (token, what) in [
        (PRIVATE_KEY, "the private API key itself still works"),
        (
            PERSONAL_TOKEN,
            "the personal access token itself still works",
        ),
    ] {
        let user = stranger();
        let run = user.run_with(&["auth", "login", "--token-stdin"], token);
        assert_eq!(run.status, Some(0), "{run:?}");
        user.service().world().sent.clear();
        let run = user.run(&["auth", "logout"]);
        assert_eq!(run.status, Some(0), "{run:?}");
        assert!(run.stdout.ends_with(&format!("; {what}\n")), "{run:?}");
        assert!(!credentials(&user).exists());
        assert_eq!(user.service().sent().len(), 0);
    }
}

#[test]
fn ctrl_c_ends_the_wait_and_leaves_nobody_signed_in() {
    let user = stranger();
    sign_in(&user);
    let service = user.service();
    service.fail("POST", "/issuer/revoke", &Fault::Silence);
    let child = user.start(&["--json", "auth", "logout"]);
    service.wait_until("the request to revoke", || !revocations(&user).is_empty());
    assert!(!credentials(&user).exists());
    let run = user.interrupt(child);
    assert_eq!(run.status, Some(130), "{run:?}");
    let error = &run.document()["error"];
    assert_eq!(error["code"], "cancelled");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("not revoked"), "{message}");
}

#[test]
fn credentials_that_cannot_be_read_are_removed_all_the_same() {
    let user = stranger();
    sign_in(&user);
    put_back(&user, "token = \"half");
    let run = user.run(&["auth", "logout"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stderr.contains("is not revoked: "), "{run:?}");
    assert!(!credentials(&user).exists());
}

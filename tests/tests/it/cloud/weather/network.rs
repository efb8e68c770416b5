//! Tests with connections that fail or break.

use std::time::Duration;

use bot_cli_tests::service::{Fault, Injection, Service};

use super::super::user::User;
use super::{COMMANDS, every_command_fails, users};

#[test]
fn a_connection_that_breaks_or_says_nothing_is_named() {
    for (fault, status, code) in [
        (Fault::Reset, 7, "unreachable"),
        (Fault::ResetInBody, 7, "unreachable"),
        (Fault::Truncated, 7, "unreachable"),
        (Fault::Silence, 7, "timed_out"),
        (Fault::Drip(Duration::from_millis(20)), 7, "timed_out"),
        (Fault::Endless, 1, "invalid_response"),
    ] {
        every_command_fails(&fault, status, &[code]);
    }
}

#[test]
fn nothing_listening_is_unreachable_and_the_cause_is_told_once() {
    let mut user = User::with_key();
    // Only root could listen there.
    user.set("BOT_CLI_API_URL", "http://127.0.0.1:1");
    user.set("BOT_CLI_TIMEOUT", "60");
    let run = user.run(&["-v", "secrets", "list"]);
    assert_eq!(run.status, Some(7), "{run:?}");
    let error = "error: the connection to 127.0.0.1:1 failed: connection refused\n";
    let (retries, told) = run.stderr.split_once(error).unwrap();
    assert_eq!(retries.matches("trying again").count(), 2, "{run:?}");
    assert!(!told.contains("refused"), "{run:?}");
}

#[test]
fn a_host_that_does_not_exist_is_unreachable() {
    let mut user = User::with_key();
    user.set("BOT_CLI_API_URL", "https://service.invalid");
    user.set("BOT_CLI_TIMEOUT", "5");
    assert_eq!(
        user.fails(&["secrets", "list"]),
        (Some(7), "unreachable".to_owned())
    );
}

#[test]
fn a_stranger_is_spoken_to_over_tls_only() {
    for url in [
        "http://example.com",
        "http://192.0.2.1:80",
        "ftp://127.0.0.1",
        "127.0.0.1",
    ] {
        let mut user = User::with_key();
        user.set("BOT_CLI_API_URL", url);
        let (status, code) = user.fails(&["secrets", "list"]);
        assert_eq!(status, Some(2), "{url}: {code}");
    }
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused_before_the_token_is_sent() {
    let (service, certificate) = Service::start_tls().unwrap();
    let mut user = User::with_key();
    user.set("BOT_CLI_API_URL", service.url());
    for arguments in COMMANDS {
        let failed = user.fails(arguments);
        assert_eq!(
            failed,
            (Some(1), "bad_certificate".to_owned()),
            "{arguments:?}"
        );
    }
    assert_eq!(service.take_sent(), [""; 0]);

    // Who vouches for it oneself is served.
    user.write("trusted.pem", certificate);
    let trusted = user.work().join("trusted.pem");
    user.set("SSL_CERT_FILE", &trusted.display().to_string());
    assert_eq!(
        user.done(&["secrets", "list"])["sets"],
        serde_json::json!([])
    );
}

#[test]
fn a_change_whose_answer_is_lost_is_not_called_undone() {
    for fault in [Fault::Reset, Fault::ResetInBody, Fault::Truncated] {
        for user in users() {
            // It takes effect, and only then the connection breaks: what the second try meets is the change itself.
            user.service().inject(
                Injection::new("DELETE", "/secrets/prod", fault.clone())
                    .applied()
                    .times(1),
            );
            let (status, document) = user.json(&["secrets", "delete", "prod", "--skip"]);
            assert_ne!(
                document["error"]["code"], "not_found",
                "{fault:?}: {document}"
            );
            assert!(matches!(status, Some(0 | 7)), "{fault:?}: {document}");
            assert_eq!(user.service().stored()["first-org"], serde_json::json!({}));
        }
    }
}

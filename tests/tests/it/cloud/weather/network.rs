//! Tests with connections that fail or break.

use std::time::Duration;

use bot_cli_tests::service::{Fault, Service};

use super::super::user::User;
use super::{COMMANDS, every_command_fails};

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
    user.fails(&["secrets", "list"], 7, "unreachable");
}

#[test]
fn a_stranger_is_spoken_to_over_tls_only() {
    let mut user = User::with_key();
    for url in [
        "http://a.example",
        "http://192.0.2.1:80",
        "http://127.0.0.1.example",
        "ftp://127.0.0.1",
        "127.0.0.1",
        "a",
        "https://u:p@a",
        "https://a/?q",
        "file:///etc",
    ] {
        user.set("BOT_CLI_API_URL", url);
        user.fails(&["secrets", "list"], 2, "insecure_url");
    }
    let port = user.service().url().rsplit(':').next().unwrap().to_owned();
    user.set("BOT_CLI_API_URL", &format!("http://localhost:{port}/"));
    user.done(&["secrets", "list"]);
    user.set("BOT_CLI_API_URL", "http://[::1]:1");
    user.fails(&["secrets", "list"], 7, "unreachable");
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused_before_the_token_is_sent() {
    let (service, certificate) = Service::start_tls().unwrap();
    let mut user = User::with_key();
    user.set("BOT_CLI_API_URL", service.url());
    for arguments in COMMANDS {
        user.fails(arguments, 1, "bad_certificate");
    }
    assert_eq!(service.take_sent(), [""; 0]);

    // Who vouches for it oneself is served.
    user.write("trusted.pem", certificate);
    let trusted = user.work().join("trusted.pem");
    user.set("SSL_CERT_FILE", &trusted.display().to_string());
    let listed = user.done(&["secrets", "list"]);
    assert_eq!(listed["sets"], serde_json::json!([]));
}

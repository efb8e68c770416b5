//! Connections that are not made, or break.

use std::process::Command;
use std::time::Duration;

use bot_cli_tests::service::{Fault, Injection, Service};

use super::super::user::User;
use super::{COMMANDS, at_once, every_command_fails, users};

#[test]
fn a_reset_before_an_answer_is_unreachable() {
    every_command_fails(&Fault::Reset, 7, &["unreachable"]);
}

#[test]
fn a_reset_in_the_middle_of_an_answer_is_unreachable() {
    every_command_fails(&Fault::ResetInBody, 7, &["unreachable"]);
}

#[test]
fn half_an_answer_is_no_answer() {
    every_command_fails(&Fault::Truncated, 7, &["unreachable"]);
}

#[test]
fn silence_runs_out_of_time() {
    every_command_fails(&Fault::Silence, 7, &["timed_out"]);
}

#[test]
fn drops_that_never_end_run_out_of_time() {
    let fault = Fault::Drip(Duration::from_millis(20));
    every_command_fails(&fault, 7, &["timed_out"]);
}

#[test]
fn an_answer_without_end_is_cut_short() {
    every_command_fails(&Fault::Endless, 1, &["invalid_response"]);
}

#[test]
fn nothing_listening_is_unreachable() {
    for mut user in users() {
        let gone = Service::start().unwrap().url().to_owned();
        user.set("BOT_CLI_API_URL", &gone);
        at_once(|arguments| {
            let failed = user.fails(arguments);
            assert_eq!(failed, (Some(7), "unreachable".to_owned()), "{arguments:?}");
        });
    }
}

#[test]
fn the_causes_of_a_failure_are_told_once_each() {
    let mut user = User::with_key();
    // Nobody but root listens there.
    user.set("BOT_CLI_API_URL", "http://127.0.0.1:1");
    user.set("BOT_CLI_TIMEOUT", "60");
    let words = ["-v", "secrets", "list"];
    let mut host = Command::new(user.bin().join("bot-cli"));
    host.arg("cloud")
        .args(words)
        .current_dir(user.work())
        .env_clear()
        .envs(user.variables());
    for run in [user.run(&words), user.feed(&mut host, "")] {
        assert_eq!(run.status, Some(7), "{run:?}");
        let error = "error: the connection to 127.0.0.1:1 failed: connection refused\n";
        assert!(run.stderr.contains(error), "{run:?}");
        // What is tried again is told each time.
        let lines = run.stderr.lines();
        let told: Vec<&str> = lines
            .filter(|line| !line.starts_with("warning: "))
            .collect();
        assert_eq!(told.join("\n").matches("refused").count(), 1, "{run:?}");
        let causes = told
            .into_iter()
            .filter(|line| line.starts_with("caused by: "));
        let mut causes: Vec<&str> = causes.collect();
        assert!(causes.contains(&"caused by: tcp connect error"), "{run:?}");
        let all = causes.len();
        causes.sort_unstable();
        causes.dedup();
        assert_eq!(causes.len(), all, "{run:?}");
    }
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

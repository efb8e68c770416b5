//! Tests with network and service faults. Every failure must have its own error code, lose no data, and show the user the next step.

mod answers;
mod network;
mod retries;

use std::thread;

use bot_cli_tests::service::{Fault, ORGANIZATION};

use super::user::{Run, User};

/// A value that must never appear in a command's output.
const VALUE: &str = "c4n4ry-v4lue";

/// Every command that communicates with the service, with arguments that make questions unnecessary.
const COMMANDS: &[&[&str]] = &[
    &["secrets", "list"],
    &["secrets", "list", "prod"],
    &["secrets", "set", "prod", "A=c4n4ry-v4lue", "--skip"],
    &["secrets", "unset", "prod", "A", "--skip"],
    &["secrets", "delete", "prod", "--skip"],
    &[
        "secrets",
        "image-pull-secret",
        "registry",
        "https://registry.example.com/v1/",
        "user:c4n4ry-v4lue",
    ],
    &["regions", "list"],
];

/// Returns two users with short timeouts, each with a set on the service.
fn users() -> [User; 2] {
    [User::with_key(), User::with_token()].map(|mut user| {
        user.set("BOT_CLI_TIMEOUT", "0.4");
        store(&user, &[("A", "1")]);
        user
    })
}

/// Stores the set `prod` on the service.
fn store(user: &User, values: &[(&str, &str)]) {
    let mut world = user.service().world();
    world.store(ORGANIZATION, "prod", "us-west", values);
}

/// Runs every command while `fault` affects every request. Each command must fail with this status and one of these codes.
fn every_command_fails(fault: &Fault, status: i32, codes: &[&str]) {
    for mut user in users() {
        // Any other answer may take long on a busy machine.
        if !codes.contains(&"timed_out") {
            user.set("BOT_CLI_TIMEOUT", "20");
        }
        user.service().fail("*", "/", fault);
        let before = user.service().stored();
        at_once(|arguments| {
            let run = user.run(&[&["--json"], arguments].concat());
            let document = run.document();
            let code = document["error"]["code"].as_str().unwrap_or_default();
            let case = format!("{}: {fault:?}: {arguments:?}: {run:?}", user.name);
            assert_eq!(run.status, Some(status), "{case}");
            assert!(codes.contains(&code), "{case}");
            assert!(has_a_hint(&document), "{case}");
            assert_clean(&run, &case);
        });
        assert_eq!(user.service().stored(), before, "{}: {fault:?}", user.name);
    }
}

/// Runs the check for all commands concurrently, because they spend most of their time waiting.
fn at_once(check: impl Fn(&[&str]) + Sync) {
    thread::scope(|scope| {
        for arguments in COMMANDS {
            scope.spawn(|| check(arguments));
        }
    });
}

fn has_a_hint(document: &serde_json::Value) -> bool {
    let hints = document["error"]["hints"].as_array();
    hints.is_some_and(|hints| !hints.is_empty())
}

/// Asserts that the output contains neither the value nor an escape sequence.
fn assert_clean(run: &Run, case: &str) {
    for shown in [&run.stdout, &run.stderr] {
        assert!(!shown.contains(VALUE), "{case}");
        assert!(!shown.contains('\u{1b}'), "{case}");
    }
}

//! Tests that compare all output with snapshots: text, JSON and exit statuses. `UPDATE=1` rewrites the snapshots.

use std::fmt::Write as _;

use super::user::User;

#[test]
fn documents_and_statuses_are_as_recorded() {
    let user = User::with_token();
    user.write("keys.env", "A=1\nA=2\nB\n");
    let recorded = record(&user, &["--json"]);
    assert_snapshot("json.txt", &recorded);
}

#[test]
fn texts_and_statuses_are_as_recorded() {
    for user in [User::of_the_vault(), User::with_key()] {
        user.write("keys.env", "A=1\nA=2\nB\n");
        let name = format!("text_{}.txt", user.name.replace(' ', "_"));
        assert_snapshot(&name, &record(&user, &[]));
    }
}

/// Runs all commands in order, and returns them with their output.
fn record(user: &User, form: &[&str]) -> String {
    let mut recorded = String::new();
    for line in include_str!("shown/commands.txt").lines() {
        let words = shlex::split(line).unwrap();
        let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        let run = user.run(&[form, &arguments].concat());
        let _ = writeln!(recorded, "$ bot-cli cloud {line}");
        if run.stdout.starts_with('{') {
            let _ = writeln!(recorded, "{:#}", run.document());
        } else {
            recorded.push_str(&run.stdout);
        }
        let _ = writeln!(
            recorded,
            "--- exit {}\n{}",
            run.status.unwrap_or(-1),
            run.stderr
        );
    }
    recorded
}

fn assert_snapshot(name: &str, actual: &str) {
    crate::assert_snapshot(&format!("cloud/shown/{name}"), actual);
}

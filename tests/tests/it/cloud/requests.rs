//! Tests for the requests that each command makes, in order. Every request must affect a decision.

use bot_cli_tests::service::{PERSONAL_TOKEN, USER_TOKEN};

use super::user::User;
use super::words;

/// Commands with the requests that each makes.
const CASES: &str = include_str!("requests.txt");

#[test]
fn every_request_of_a_command_decides_something() {
    for user in [User::with_key(), User::with_token()] {
        let mut world = user.service().world();
        world.store(
            "first-org",
            "prod",
            "us-west",
            &[("A", "1"), ("B", "2"), ("C", "3")],
        );
        drop(world);
        for case in CASES.split("\n\n") {
            let mut lines = case.lines().filter(|line| !line.starts_with('#'));
            let command = lines.next().unwrap().strip_prefix("$ ").unwrap();
            let expected: Vec<&str> = lines.collect();
            user.service().take_sent();
            user.run(&words(command));
            let sent = user.service().take_sent().join("\n");
            let sent = sent
                .replace("organizations/first-org/", "")
                .replace("/v1/", "");
            let mut sent: Vec<&str> = sent.lines().collect();
            // These two go out at the same time.
            if let Some(at) = sent.iter().position(|line| *line == "GET properties")
                && sent.get(at + 1).is_some_and(|line| *line == "GET regions")
            {
                sent.swap(at, at + 1);
            }
            assert_eq!(sent, expected, "{}: {command}", user.name);
        }
    }
}

#[test]
fn what_kind_of_token_it_is_and_whose_costs_one_request() {
    let mut user = User::with_token();
    user.unset("BOT_CLI_ORGANIZATION");
    for token in [PERSONAL_TOKEN, USER_TOKEN] {
        user.set("BOT_CLI_TOKEN", token);
        user.service().take_sent();
        user.done(&["secrets", "list"]);
        assert_eq!(
            user.service().take_sent(),
            [
                "GET /v1/organizations",
                "GET /v1/organizations/first-org/secrets"
            ],
            "{token}"
        );
    }
}

//! Which requests a command makes, one after the other, and why: none that decides nothing.

use bot_cli_tests::service::{PERSONAL_TOKEN, USER_TOKEN};

use super::user::User;

/// A command, and the requests that it makes.
type Case = (&'static [&'static str], &'static [&'static str]);

const REGISTRY: &str = "ghcr.io";

const CASES: &[Case] = &[
    // Everything is in the one answer.
    (&["secrets", "list"], &["GET secrets"]),
    (&["secrets", "list", "prod"], &["GET secrets/prod"]),
    // No such set, or no such organization? And which name is near?
    (
        &["secrets", "list", "prods"],
        &["GET secrets/prods", "GET secrets"],
    ),
    // Is it there, where can it be and where by default, the change, whether it is ready.
    (
        &["secrets", "set", "new", "A=1", "--skip"],
        &[
            "GET secrets/new",
            "GET regions",
            "GET properties",
            "PUT secrets/new",
            "GET secrets/new",
        ],
    ),
    // The default does not matter.
    (
        &["secrets", "set", "other", "A=1", "--skip", "-r", "us-east"],
        &[
            "GET secrets/other",
            "GET regions",
            "PUT secrets/other",
            "GET secrets/other",
        ],
    ),
    // Its region is known.
    (
        &["secrets", "set", "prod", "A=2", "--skip"],
        &["GET secrets/prod", "PUT secrets/prod", "GET secrets/prod"],
    ),
    (
        &["secrets", "set", "prod", "A=2", "--dry-run"],
        &["GET secrets/prod"],
    ),
    (
        &["secrets", "unset", "prod", "A", "B", "--skip"],
        &[
            "GET secrets/prod",
            "DELETE secrets/prod/A",
            "DELETE secrets/prod/B",
        ],
    ),
    // Only the listing shows what has this name, and credentials at all.
    (
        &["secrets", "image-pull-secret", "pull", REGISTRY, "u:t"],
        &[
            "GET secrets",
            "GET regions",
            "GET properties",
            "PUT secrets/pull",
            "GET secrets",
        ],
    ),
    (
        &["secrets", "image-pull-secret", "pull", REGISTRY, "u:t2"],
        &["GET secrets", "PUT secrets/pull", "GET secrets"],
    ),
    (
        &["secrets", "delete", "prod", "--skip"],
        &["GET secrets/prod", "DELETE secrets/prod"],
    ),
    // Credentials are not shown by their name.
    (
        &["secrets", "delete", "pull", "--skip"],
        &["GET secrets/pull", "GET secrets", "DELETE secrets/pull"],
    ),
    (&["regions", "list"], &["GET regions", "GET properties"]),
];

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
        for (command, expected) in CASES {
            user.service().take_sent();
            user.run(command);
            let mut sent: Vec<String> = user
                .service()
                .take_sent()
                .iter()
                .map(|line| {
                    line.replace("/v1/organizations/first-org/", "")
                        .replace("/v1/", "")
                })
                .collect();
            // These two go out at the same time.
            if let Some(at) = sent.iter().position(|line| line == "GET properties")
                && sent.get(at + 1).is_some_and(|line| line == "GET regions")
            {
                sent.swap(at, at + 1);
            }
            assert_eq!(sent, *expected, "{}: {command:?}", user.name);
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

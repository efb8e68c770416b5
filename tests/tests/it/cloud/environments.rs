//! Tests for the environments of a project: what a command for one of them uses, and that it changes no other.

use bot_cli_tests::service::ORGANIZATION;
use serde_json::json;

use super::deploy::{FILE, assert_says, users};
use super::user::User;
use super::words;

/// Gives the project two environments.
fn with_environments(user: &User) {
    for name in ["staging", "production"] {
        let file = FILE.replace("my-bot", &format!("my-bot-{name}"));
        user.write(&format!("server/cloud-deploy.{name}.toml"), file);
        let mut world = user.service().world();
        let set = format!("my-bot-{name}-secrets");
        world.store(ORGANIZATION, &set, "us-west", &[("A", "1")]);
    }
}

#[test]
fn a_build_goes_from_staging_to_production_and_back() {
    let user = &users()[1];
    with_environments(user);
    let staging = user.run(&words("deploy --environment staging --skip"));
    assert_says(
        &staging,
        0,
        &["`my-bot-staging` is ready", "built the image"],
    );
    user.service().take_sent();
    let line = "deploy --environment production --from staging";
    let plan = user.run(&[&words(line)[..], &["--dry-run"]].concat());
    let title = "Create the agent `my-bot-production` in the region us-west of organization first-org, with the build ";
    assert_says(&plan, 0, &[title, " that `my-bot-staging` runs\n"]);
    let run = user.run(&[&words(line)[..], &["--skip"]].concat());
    assert_says(&run, 0, &["`my-bot-production` is ready"]);
    let sent = user.service().take_sent().join("\n");
    assert!(!sent.contains("/builds"), "{sent}");
    let build = |name: &str| {
        let status = user.done(&["agents", "status", "--environment", name]);
        status["settings"]["build_id"].clone()
    };
    assert_eq!(build("staging"), build("production"));
    let again = user.run(&[&words(line)[..], &["--skip"]].concat());
    let force = "`bot-cli cloud deploy --environment production --force` gives them the new";
    assert_says(
        &again,
        0,
        &["Nothing to do: `my-bot-production` already runs this"],
    );
    assert!(!again.stderr.contains("--from"), "{again:?}");
    let usual = user.run(&words("deploy --environment production --skip"));
    assert_says(&usual, 0, &[force]);

    let before = build("production");
    user.write("server/bot.py", "print('later')\n");
    user.done(&words("deploy --environment staging --skip"));
    user.done(&[&words(line)[..], &["--skip"]].concat());
    assert_ne!(build("production"), before);
    user.done(&words("agents rollback --environment production --skip"));
    assert_eq!(build("production"), before);
    let scaled = words("agents scale --environment production --max-agents 7 --skip");
    let file =
        "`max_agents = 7` under `[scaling]` in [ROOT]/work/server/cloud-deploy.production.toml";
    assert_says(&user.run(&scaled), 0, &[file]);
}

#[test]
fn a_build_that_the_agent_could_not_run_is_not_taken() {
    let user = &users()[1];
    with_environments(user);
    let line = words("deploy --environment production --from staging --skip");
    user.fails(&line, 1, "not_found");
    user.service().world().deploy(
        ORGANIZATION,
        "my-bot-staging",
        &json!({"image": "me/bot:1"}),
    );
    user.fails(&line, 1, "no_build");
    user.done(&words("deploy --environment staging --skip"));
    let there = [&line[..], &["--region", "us-east"]].concat();
    user.fails(&there, 1, "region_conflict");
    let there = [&line[..], &["--architecture", "amd64"]].concat();
    user.fails(&there, 1, "architecture_differs");
    user.done(&words(
        "deploy --environment staging --architecture amd64 --skip",
    ));
    user.done(&there);
    // The same build with the new values of the secrets.
    let again = user.done(&words(
        "deploy --environment production --from production --force --skip",
    ));
    assert_eq!(
        [&again["changes"], &again["secrets_renewed"]],
        [&json!([]), &json!(true)]
    );
    user.fails(&words("deploy --from stage --skip"), 2, "no_environment");
    for other in [
        "--image a/b:1",
        "--build-id b",
        "--repo a/b",
        "--context-dir .",
    ] {
        let line = format!("deploy --from staging {other}");
        user.fails(&words(&line), 2, "usage");
    }
}

#[test]
fn the_environment_names_set_and_agent_and_nothing_else_does_beside_it() {
    let user = &users()[1];
    with_environments(user);
    for line in [
        "deploy --environment staging --agent x",
        "deploy --environment staging --secret-set x",
        "agents status x --environment staging",
        "secrets list x --environment staging",
        "secrets delete x --environment staging",
        "secrets run x --environment staging -- env",
        "secrets copy x --environment staging",
        "secrets copy --to-name x --environment staging",
        "secrets diff x --environment staging",
    ] {
        user.fails(&words(line), 2, "usage");
    }
    user.fails(
        &words("secrets set x A=1 --environment staging"),
        2,
        "invalid_input",
    );
    user.fails(
        &words("deploy server/cloud-deploy.toml --environment staging"),
        2,
        "invalid_input",
    );
    let run = user.run(&words("secrets list --environment stagin"));
    assert_says(
        &run,
        2,
        &["has no cloud-deploy.stagin.toml", "did you mean `staging`?"],
    );

    // A copied file whose names were not changed.
    user.write(
        "server/cloud-deploy.staging.toml",
        FILE.replace("my-bot", "my-bot-production"),
    );
    for line in [
        "deploy --environment staging --skip",
        "agents delete --environment staging --skip",
        "secrets set --environment staging A=2 --skip",
        "secrets unset --environment staging A --skip",
        "secrets delete --environment staging --skip",
    ] {
        let error = user.fails(&words(line), 2, "not_apart");
        assert!(
            error["message"]
                .as_str()
                .unwrap()
                .contains("the environment `production` has the same"),
            "{error}"
        );
    }
    // What can't be read may have the same names.
    user.write("server/cloud-deploy.production.toml", "agent_name = 1\n");
    for line in [
        "agents delete --environment staging --skip",
        "secrets unset --environment staging A --skip",
    ] {
        user.fails(&words(line), 2, "invalid_file");
    }
    assert_eq!(user.values("my-bot-production-secrets").len(), 1);
    // Reading it is fine.
    user.done(&words("secrets list --environment staging"));
}

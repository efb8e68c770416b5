//! Tests for `secrets copy`, which copies sets from the vault to the hosting service or to another name.

use std::fs;

use bot_cli_tests::service::ORGANIZATION;
use serde_json::json;

use super::user::{User, pairs};
use super::words;

const CANARY: &str = "c4n4ry v4lue";

/// Returns users of the service with a set and an image pull secret in the vault.
fn users() -> [User; 2] {
    let users = [User::with_key(), User::with_token()];
    for user in &users {
        let pair = format!("A={CANARY}");
        let local = ["--backend", "local", "--region", "eu-central"];
        let set = ["secrets", "set", "my-bot", &pair, "B=2", "--skip"];
        user.done(&[&set[..], &local].concat());
        let host = "https://registry.example.com/v1/";
        let pull = ["secrets", "image-pull-secret", "registry", host];
        user.done(&[&pull[..], &["user:t0ken"], &local].concat());
    }
    users
}

#[test]
fn a_set_of_the_vault_is_copied_to_the_service() {
    for user in users() {
        let copy = ["secrets", "copy", "my-bot"];
        let plan = user.run(&[&copy[..], &["--dry-run"]].concat());
        assert_eq!(plan.status, Some(0), "{plan:?}");
        for shown in [
            "+ create     A  12 characters",
            "region eu-central, the hosting service",
            "Nothing was changed\n",
        ] {
            assert!(plan.stdout.contains(shown), "{plan:?}");
        }
        user.fails(&copy, 2, "input_required");
        assert!(user.values("my-bot").is_empty(), "{}", user.name);

        let done = user.done(&[&copy[..], &["--skip", "--wait"]].concat());
        for (member, expected) in [
            ("created", json!(["A", "B"])),
            ("overwritten", json!([])),
            ("region", json!("eu-central")),
            ("status", json!("ready")),
        ] {
            assert_eq!(done[member], expected, "{done}");
        }
        assert_eq!(done["from"]["backend"], "local");
        assert_eq!(user.values("my-bot"), pairs(&[("A", CANARY), ("B", "2")]));

        // What only the copy has stays.
        user.done(&["secrets", "set", "my-bot", "C=3", "B=old", "--skip"]);
        let run = user.run(&[&copy[..], &["--skip", "-vv"]].concat());
        assert_eq!(run.status, Some(0), "{run:?}");
        assert!(!format!("{run:?}").contains("c4n4ry"), "{run:?}");
        assert!(run.stdout.contains("0 created, 2 overwritten"), "{run:?}");
        let expected = pairs(&[("A", CANARY), ("B", "2"), ("C", "3")]);
        assert_eq!(user.values("my-bot"), expected);
    }
}

#[test]
fn an_image_pull_secret_of_the_vault_is_copied_to_the_service() {
    for user in users() {
        let copy = ["secrets", "copy", "registry", "--to-name", "pull"];
        let plan = user.run(&[&copy[..], &["--dry-run"]].concat());
        let create = "Create the image pull secret `pull`";
        assert!(plan.stdout.starts_with(create), "{plan:?}");
        user.fails(&copy, 2, "input_required");
        let done = user.done(&[&copy[..], &["--skip"]].concat());
        assert_eq!(
            (&done["created"], &done["host"]),
            (&json!(true), &json!("https://registry.example.com/v1/"))
        );
        let stored = &user.service().stored()["first-org"]["pull"]["credentials"];
        // `user:t0ken`
        assert_eq!(*stored, json!("dXNlcjp0MGtlbg=="), "{}", user.name);
        // The name of something else.
        user.done(&["secrets", "set", "taken", "A=1", "--skip"]);
        let taken = words("secrets copy registry --to-name taken");
        user.fails(&taken, 1, "wrong_type");
    }
}

#[test]
fn a_name_that_the_service_does_not_take_leads_to_another() {
    let user = User::with_token();
    let set = ["secrets", "set", "Abc-1", "A=1", "-s", "--backend", "local"];
    user.done(&set);
    let run = user.run(&["secrets", "copy", "Abc-1", "--skip"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert_eq!(
        run.stderr,
        "error: --to-name: must be 3 to 63 lower-case letters, digits and hyphens at the hosting service\n\
         hint: `--to-name NAME` gives the copy another name\n"
    );
    user.done(&["secrets", "copy", "Abc-1", "--to-name", "abc-1", "--skip"]);
    assert_eq!(user.values("abc-1"), pairs(&[("A", "1")]));
}

#[test]
fn what_can_not_be_copied_is_refused_before_anything_is_sent() {
    let mut user = User::with_token();
    user.install_sample();
    let set = json!({ "kind": "secret", "values": { "A": "1", "B": "" } });
    let kept = json!({ ORGANIZATION: { "blank": set } });
    let file = user.home().join(".local/share/sample.json");
    fs::write(file, kept.to_string()).unwrap();
    for line in [
        "secrets set blank A=1 --backend local --skip",
        "secrets set emptied A=1 --backend local --skip",
        "secrets unset emptied A --backend local --skip",
    ] {
        user.done(&words(line));
    }
    let before = user.service().sent().len();
    let error = user.fails(
        &words("secrets copy blank --from sample --skip"),
        2,
        "invalid_input",
    );
    assert_eq!(error["fields"][0]["field"], "B");
    for (arguments, status, code) in [
        (&["none"][..], 1, "not_found"),
        (&["blank", "--from", "hosted"], 2, "not_readable"),
        (&["blank", "--to", "elsewhere"], 2, "unknown_backend"),
        (&["blank", "--from", "elsewhere"], 2, "unknown_backend"),
        (&["bl/ank"], 2, "invalid_input"),
        (&["blank", "--to-name", "a b"], 2, "invalid_input"),
        (&["blank", "--to", "local"], 2, "invalid_input"),
    ] {
        let copy = [&["secrets", "copy", "--skip"], arguments].concat();
        user.fails(&copy, status, code);
    }
    assert_eq!(user.service().sent().len(), before);
    user.fails(&["secrets", "copy", "emptied", "--skip"], 1, "empty_set");
}

#[test]
fn names_of_the_vault_are_completed() {
    let user = User::with_token();
    user.done(&words("secrets set prod A=1 --skip --backend local"));
    assert_eq!(user.completions(&["secrets", "copy", "pr"]), "prod\t\n");
}

#[test]
fn a_comparison_names_the_keys_of_one_side_and_no_value() {
    for user in [User::with_key(), User::with_token()] {
        let diff = ["secrets", "diff", "prod"];
        user.fails(&diff, 1, "not_found");
        user.done(&words(
            "secrets set prod A=c4n4ry B=c4n4ry --skip --backend local",
        ));
        let one = user.run(&diff);
        let next = "next: bot-cli cloud secrets copy prod\n";
        let text = "`prod`: 0 in both (values can't be compared)\n  only in the vault    A, B\n";
        assert_eq!((one.stdout.as_str(), one.stderr.as_str()), (text, next));
        user.service().world().store(
            ORGANIZATION,
            "prod",
            "us-west",
            &[("B", "c4n4ry"), ("C", "c4n4ry")],
        );
        let both = user.done(&diff);
        let expected =
            json!({"name": "prod", "only_in_vault": ["A"], "only_at_service": ["C"], "in_both": 1});
        assert_eq!(both, expected);
        user.write(
            "my/server/cloud-deploy.toml",
            "agent_name = \"a1\"\nsecret_set = \"prod\"\n",
        );
        let mut command = user.command(&["secrets", "diff"]);
        command.current_dir(user.work().join("my"));
        let own = user.feed(&mut command, "");
        assert!(own.stdout.contains("only at the service  C"), "{own:#?}");
        user.service()
            .world()
            .store_pull(ORGANIZATION, "pull", "us-west");
        let set = "secrets set pull A=c4n4ry --skip --backend local";
        user.done(&words(set));
        user.fails(&["secrets", "diff", "pull"], 1, "wrong_type");
    }
}

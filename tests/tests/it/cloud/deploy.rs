//! Tests for `deploy` and the commands that manage agents and keys, against the stand-in for the hosted service.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use bot_cli_tests::service::{
    BuildEnd, Building, ORGANIZATION, Outcome, Provisioning, Rollout, RolloutEnd,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::user::{Run, User};

const FILE: &str =
    "agent_name = \"my-bot\"\nsecret_set = \"my-bot-secrets\"\n\n[scaling]\nmax_agents = 5\n";

/// Returns a user with a private key and a user with a token, each in a project whose secret set exists on the service.
fn users() -> [User; 2] {
    let users = [User::with_key(), User::with_token()];
    for user in &users {
        project(user);
        let mut world = user.service().world();
        world.store(ORGANIZATION, "my-bot-secrets", "us-west", &[("A", "1")]);
        world.building = building(1, BuildEnd::Success);
        world.rollout = rollout(2, RolloutEnd::Ready);
    }
    users
}

fn project(user: &User) {
    user.write("server/cloud-deploy.toml", FILE);
    user.write("server/Dockerfile", "FROM scratch\nCOPY . .\n");
    user.write("server/bot.py", "print('hello')\n");
    user.write("server/.env", "A=c4n4ry\n");
    user.write("server/.env.example", "A=\n");
}

fn building(pending_reads: u32, end: BuildEnd) -> Building {
    Building { pending_reads, end }
}

fn rollout(pending_reads: u32, end: RolloutEnd) -> Rollout {
    Rollout { pending_reads, end }
}

fn crash() -> RolloutEnd {
    RolloutEnd::CrashLoop {
        logs: vec!["KeyError: 'OPENAI_API_KEY'".to_owned()],
    }
}

#[track_caller]
fn assert_says(run: &Run, status: i32, words: &[&str]) {
    assert_eq!(run.status, Some(status), "{run:#?}");
    for word in words {
        let said = run.stdout.contains(word) || run.stderr.contains(word);
        assert!(said, "{word}: {run:#?}");
    }
}

#[test]
fn a_project_is_built_deployed_and_followed_until_it_is_ready() {
    for user in users() {
        let plan = user.run(&["deploy", "--dry-run"]);
        let shown = [
            "Create the agent `my-bot` in the region us-west",
            "image       built by the service from [ROOT]/work/server (4 files, 1 KiB, without .env)\n",
            "max_agents  5\n",
            "Nothing was changed\n",
        ];
        assert_says(&plan, 0, &shown);
        let (status, code) = user.fails(&["deploy"]);
        assert_eq!((status, code.as_str()), (Some(2), "input_required"));
        let stored = user.service().stored();
        assert!(stored[ORGANIZATION].get("/agents").is_none(), "{stored}");

        let run = user.run(&["deploy", "--skip"]);
        assert_says(
            &run,
            0,
            &[
                "`my-bot` is ready",
                "built the image",
                "next: bot-cli cloud agents start my-bot",
            ],
        );
        let again = user.run(&["deploy", "--skip"]);
        assert_says(
            &again,
            0,
            &["Nothing to do: `my-bot` already runs this", "`--force`"],
        );

        // The build is not made again for another agent, and nothing is uploaded.
        user.service().take_sent();
        let other = user.run(&[
            "deploy",
            "--skip",
            "--agent",
            "other-bot",
            "--min-agents",
            "1",
        ]);
        assert_says(&other, 0, &["`other-bot` is ready"]);
        let sent = user.service().take_sent().join("\n");
        assert!(
            !sent.contains("upload") && !sent.contains("POST /v1/builds"),
            "{sent}"
        );

        let image = [
            "deploy",
            "--skip",
            "--image",
            "me/my-bot:2",
            "--no-wait",
            "--json",
        ];
        assert_eq!(user.done(&image[..5])["changes"][0]["new"], "me/my-bot:2");
        let status = user.done(&["agents", "status"]);
        assert_eq!(status["settings"]["image"], "me/my-bot:2");
        assert_eq!(status["settings"]["max_agents"], 5);

        let world = user.service().world();
        assert_eq!(world.unknown_members, Vec::<String>::new());
        assert_eq!(world.leaked_tokens, Vec::<String>::new());
        let uploads: Vec<_> = world.uploads.values().collect();
        assert_eq!(uploads.len(), 1);
        let names: Vec<&str> = uploads[0]
            .entries
            .iter()
            .map(|(name, ..)| &**name)
            .collect();
        assert_eq!(
            names,
            [".env.example", "Dockerfile", "bot.py", "cloud-deploy.toml"]
        );
    }
}

#[test]
fn what_is_deployed_is_shown_scaled_rolled_back_and_deleted() {
    let user = &users()[1];
    user.done(&["deploy", "--skip", "--image", "me/my-bot:1"]);
    user.done(&["deploy", "--skip", "--image", "me/my-bot:2"]);
    let (status, code) = user.fails(&["agents", "rollback", "my-bot"]);
    assert_eq!((status, code.as_str()), (Some(2), "input_required"));
    user.done(&["agents", "rollback", "--skip"]);
    user.done(&["agents", "scale", "--max-agents", "7", "--skip"]);
    let status = user.done(&["agents", "status"]);
    assert_eq!(status["settings"]["image"], "me/my-bot:1");
    assert_eq!(status["settings"]["max_agents"], 7);
    let deployments = user.done(&["agents", "deployments"]);
    assert_eq!(deployments["deployments"].as_array().unwrap().len(), 4);
    let run = user.run(&["agents", "stats"]);
    assert_says(&run, 2, &["stat"]);
    let (status, code) = user.fails(&["agents", "status", "my-bt"]);
    assert_eq!((status, code.as_str()), (Some(1), "not_found"));

    // There is no public key yet: one is created with consent.
    let (status, code) = user.fails(&["agents", "start"]);
    assert_eq!((status, code.as_str()), (Some(2), "input_required"));
    let data = [
        "agents",
        "start",
        "--skip",
        "--daily-room",
        "--data",
        "{\"a\": 1}",
    ];
    let started = user.done(&data);
    let session = started["session"].as_str().unwrap();
    assert!(
        started["room"].as_str().unwrap().starts_with("https://"),
        "{started}"
    );
    let sent = user.service().sent();
    let start = sent
        .iter()
        .rfind(|it| it.target.ends_with("/start"))
        .unwrap();
    assert!(start.body.contains("\"body\":{\"a\":1}"), "{start:?}");
    let active = user.done(&["agents", "sessions", "--active"]);
    assert_eq!(active["sessions"][0]["id"], session);
    user.done(&["agents", "stop", session]);
    assert_eq!(
        user.done(&["agents", "sessions", "--active"])["sessions"],
        json!([])
    );
    assert_eq!(
        user.fails(&["agents", "start", "--data", "7"]).1,
        "invalid_input"
    );

    user.done(&["keys", "revoke", "bot-cli", "--skip"]);
    assert_eq!(user.done(&["keys", "list"])["keys"][0]["revoked"], true);
    assert_eq!(
        user.fails(&["keys", "revoke", "bot-cli", "--skip"]).1,
        "not_found"
    );
    user.done(&["agents", "delete", "--skip"]);
    assert_eq!(user.done(&["agents", "list"])["agents"], json!([]));
    assert_eq!(user.fails(&["agents", "delete", "--skip"]).1, "not_found");
}

#[test]
fn a_private_api_key_says_what_it_can_not_do() {
    let mut user = User::with_key();
    user.service()
        .world()
        .deploy(ORGANIZATION, "my-bot", &json!({"image": "me/bot:1"}));
    for words in [
        "keys list",
        "agents deployments my-bot",
        "agents rollback my-bot",
    ] {
        let run = user.run(&super::words(words));
        assert_says(&run, 4, &["a private API key can't"]);
    }
    let start = ["agents", "start", "my-bot"];
    assert_says(&user.run(&start), 2, &["set BOT_CLI_PUBLIC_KEY"]);
    user.set("BOT_CLI_PUBLIC_KEY", "pk_wrong");
    assert_says(&user.run(&start), 4, &["it is from BOT_CLI_PUBLIC_KEY"]);
    let key = user.service().world().add_key(ORGANIZATION, "key").unwrap();
    user.set("BOT_CLI_PUBLIC_KEY", &key);
    let run = user.run(&["-vv", "agents", "start", "my-bot"]);
    assert_says(&run, 0, &["Started the session"]);
    assert!(!format!("{run:?}").contains(&key), "{run:?}");
}

#[test]
fn a_build_or_a_bot_that_fails_says_why_with_its_last_lines() {
    for user in users() {
        let failed = BuildEnd::Failed {
            message: "COPY failed: no such file".to_owned(),
            logs: vec!["Step 2/2 : COPY nothing".to_owned()],
        };
        user.service().world().building = building(1, failed);
        let run = user.run(&["deploy", "--skip"]);
        let why = "error: the image was not built: COPY failed: no such file";
        assert_says(
            &run,
            1,
            &[why, "Step 2/2 : COPY nothing", "bot-cli cloud builds logs"],
        );
        let (_, document) = user.json(&["deploy", "--skip"]);
        assert_eq!(document["error"]["outcome"], "not_done", "{document}");

        user.service().world().building = building(0, BuildEnd::Success);
        user.done(&["deploy", "--skip"]);
        user.service().world().rollout = rollout(1, crash());
        user.write("server/bot.py", "import nothing\n");
        let run = user.run(&["deploy", "--skip"]);
        let said = [
            "`my-bot` was deployed, but does not start: ",
            "(exit code 1, 3 restarts); the version before still serves",
            "note: KeyError: 'OPENAI_API_KEY'",
            "hint: bot-cli cloud agents status my-bot",
        ];
        assert_says(&run, 1, &said);
        // The next run changes nothing, and finds the bot as it is.
        let (status, document) = user.json(&["deploy", "--skip"]);
        assert_eq!(status, Some(1), "{document}");
        assert_eq!(document["error"]["outcome"], "not_done", "{document}");
        let run = user.run(&["agents", "status"]);
        assert_says(
            &run,
            0,
            &[
                "problem",
                "exit code 1",
                "next: bot-cli cloud agents logs my-bot",
            ],
        );
        let refused = RolloutEnd::Refused {
            code: "PCC-1105".to_owned(),
            message: "exec format error".to_owned(),
        };
        user.service().world().rollout = rollout(0, refused);
        let run = user.run(&["deploy", "--skip", "--force"]);
        assert_says(&run, 1, &["does not start: exec format error (PCC-1105)"]);
    }
}

#[test]
fn missing_secrets_are_copied_or_named_before_anything_is_deployed() {
    for user in [User::with_key(), User::with_token()] {
        project(&user);
        let run = user.run(&["deploy", "--skip"]);
        let hint = "hint: bot-cli cloud secrets set my-bot-secrets --from-template";
        assert_says(
            &run,
            1,
            &[
                "there is no secret set `my-bot-secrets` at the service",
                hint,
            ],
        );
        let set = [
            "secrets",
            "set",
            "my-bot-secrets",
            "A=c4n4ry",
            "--skip",
            "--backend",
            "local",
        ];
        user.done(&set);
        let plan = user.run(&["deploy", "--dry-run"]);
        assert_says(
            &plan,
            0,
            &["secret_set  my-bot-secrets, copied from the vault\n"],
        );
        let run = user.run(&["-v", "deploy", "--skip"]);
        assert_says(
            &run,
            0,
            &["Saved 1 key in `my-bot-secrets`", "`my-bot` is ready"],
        );
        assert!(!format!("{run:?}").contains("c4n4ry"), "{run:?}");
        let pull = [
            "deploy",
            "--skip",
            "--image",
            "me/bot:1",
            "--image-credentials",
            "registry",
        ];
        let run = user.run(&pull);
        let hint = "hint: bot-cli cloud secrets image-pull-secret registry REGISTRY";
        assert_says(
            &run,
            1,
            &[
                "there is no image pull secret `registry` at the service",
                hint,
            ],
        );
        user.service()
            .world()
            .store(ORGANIZATION, "registry", "us-west", &[("A", "1")]);
        assert_eq!(user.fails(&pull).1, "wrong_type");
    }
}

#[test]
fn a_set_that_is_copied_but_not_ready_is_not_a_deployment() {
    for user in [User::with_key(), User::with_token()] {
        project(&user);
        let set = ["secrets", "set", "my-bot-secrets", "A=1", "--skip"];
        user.done(&[&set[..], &["--backend", "local"]].concat());
        user.service().world().provisioning = Provisioning {
            pending_reads: 0,
            outcome: Outcome::Failed("no room in the cluster"),
        };
        let (status, document) = user.json(&["deploy", "--skip"]);
        assert_eq!(status, Some(1), "{document}");
        assert_eq!(document["error"]["outcome"], "partly_done", "{document}");
        let hints = document["error"]["hints"].to_string();
        assert!(hints.contains("`my-bot` was not deployed"), "{document}");
        let stored = user.service().stored();
        assert!(stored[ORGANIZATION].get("/agents").is_none(), "{stored}");
    }
}

#[test]
fn a_deployment_file_is_read_strictly_and_options_win() {
    let user = &users()[0];
    let wrong = FILE.replace("max_agents", "max_agent");
    user.write("server/cloud-deploy.toml", &wrong);
    let run = user.run(&["deploy", "--skip"]);
    assert_says(
        &run,
        2,
        &["line 5: unknown field `max_agent`, expected `min_agents` or `max_agents`"],
    );
    std::fs::remove_file(user.work().join("server/cloud-deploy.toml")).unwrap();
    user.write("server/pcc-deploy.toml", FILE);
    let dry = [
        "deploy",
        "server",
        "--dry-run",
        "--max-agents",
        "9",
        "--region",
        "us-east",
    ];
    let run = user.run(&dry);
    assert_says(
        &run,
        1,
        &["`my-bot-secrets` is in the region us-west, and the agent in us-east"],
    );
    let run = user.run(&dry[..5]);
    assert_says(&run, 0, &["max_agents  9"]);
    user.done(&["deploy", "--skip"]);
    let run = user.run(&dry);
    assert_says(
        &run,
        1,
        &["the agent is in the region us-west, which can't change"],
    );
    assert_eq!(user.fails(&["deploy", "--agent", "No"]).1, "invalid_input");
    assert_eq!(user.fails(&["deploy", "nowhere"]).1, "invalid_input");
    let (_, code) = user.fails(&["deploy", "--build-id", "none", "--skip"]);
    assert_eq!(code, "refused");
}

#[test]
fn a_log_is_followed_until_the_user_stops() {
    let user = &users()[1];
    let log = |lines: &[(i64, &str)]| user.service().world().log(ORGANIZATION, "my-bot", lines);
    user.service()
        .world()
        .deploy(ORGANIZATION, "my-bot", &json!({"image": "me/bot:1"}));
    log(&[
        (1000, "INFO one"),
        (2000, "ERROR two"),
        (2000, "  File bot.py"),
        (3000, "INFO three"),
    ]);
    let errors = user.run(&["agents", "logs", "--level", "warning"]);
    assert_says(
        &errors,
        0,
        &["1970-01-01T00:00:02  ERROR two\n1970-01-01T00:00:02  File bot.py\n"],
    );
    assert!(!errors.stdout.contains("INFO"), "{errors:?}");
    assert_eq!(
        user.done(&["agents", "logs", "-n", "1"])["lines"][0]["line"],
        "INFO three"
    );

    let mut command = user.command(&["agents", "logs", "-n", "2", "--follow"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert!(next().ends_with("  File bot.py"));
    assert!(next().ends_with("  INFO three"));
    // Another line of the same time, and one that comes late.
    log(&[
        (3000, "INFO three"),
        (2500, "INFO late"),
        (9000, "INFO four"),
    ]);
    let mut new = [next(), next(), next()];
    new.sort();
    let new = new.map(|line| line.rsplit("  ").next().unwrap().to_owned());
    assert_eq!(new, ["INFO late", "INFO three", "INFO four"]);
    let process = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(process, Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn whoever_stops_waiting_is_told_what_goes_on() {
    for user in users() {
        for (building_, rollout_, said) in [
            (
                building(9999, BuildEnd::Success),
                rollout(0, RolloutEnd::Ready),
                "the build may go on at the service: `bot-cli cloud builds list` shows it",
            ),
            (
                building(0, BuildEnd::Success),
                rollout(9999, RolloutEnd::Never),
                "cancelled; `my-bot` was deployed, and the service goes on starting it",
            ),
        ] {
            {
                let mut world = user.service().world();
                (world.building, world.rollout) = (building_, rollout_);
                world.sent.clear();
            }
            let mut command = user.command(&["deploy", "--skip"]);
            let child = command
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let is_read = |target: &str| {
                if said.contains("build") {
                    target.contains("/builds/0000")
                } else {
                    target.ends_with("/my-bot")
                }
            };
            user.service().wait_until("the wait", || {
                let world = user.service().world();
                let reads = world
                    .sent
                    .iter()
                    .filter(|it| it.method == "GET" && is_read(&it.target));
                reads.count() > 3
            });
            let process = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
            kill_process(process, Signal::INT).unwrap();
            let output = child.wait_with_output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(130), "{stderr}");
            assert!(stderr.contains(said), "{stderr}");
            user.write("server/bot.py", format!("# {said}\n"));
        }
    }
}

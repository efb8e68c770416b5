//! Tests for `deploy` and the commands that manage agents and keys, against the stand-in for the hosted service.

use std::io::{BufRead as _, BufReader};

use bot_cli_tests::pty::ENTER;
use bot_cli_tests::service::{
    BuildEnd, Building, ORGANIZATION, Outcome, Provisioning, Rollout, RolloutEnd, World,
};
use serde_json::json;

use super::terminal::answer;
use super::user::{Run, User};
use super::words;

pub(super) const FILE: &str =
    "agent_name = \"my-bot\"\nsecret_set = \"my-bot-secrets\"\n\n[scaling]\nmax_agents = 5\n";

/// Returns a user with a private key and a user with a token, each in a project whose secret set exists on the service.
pub(super) fn users() -> [User; 2] {
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

/// Gives the user's organization a running agent.
fn deployed(user: &User) {
    let image = json!({"image": "me/bot:1"});
    let mut world = user.service().world();
    world.deploy(ORGANIZATION, "my-bot", &image);
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
pub(super) fn assert_says(run: &Run, status: i32, words: &[&str]) {
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
        user.fails(&["deploy"], 2, "input_required");
        let stored = user.service().stored();
        assert!(stored[ORGANIZATION].get("/agents").is_none(), "{stored}");

        let run = user.run(&["deploy", "--skip"]);
        let next = "next: bot-cli cloud agents start my-bot";
        assert_says(&run, 0, &["`my-bot` is ready", "built the image", next]);
        let again = user.run(&["deploy", "--skip"]);
        let nothing = "Nothing to do: `my-bot` already runs this";
        assert_says(
            &again,
            0,
            &[nothing, "`bot-cli cloud deploy --force` gives them the new"],
        );

        // The build is not made again for another agent, and nothing is uploaded.
        user.service().take_sent();
        let other = words("deploy --skip --agent other-bot --min-agents 1");
        assert_says(&user.run(&other), 0, &["`other-bot` is ready"]);
        let sent = user.service().take_sent().join("\n");
        assert!(
            !sent.contains("upload") && !sent.contains("POST /v1/builds"),
            "{sent}"
        );

        let image = user.done(&words("deploy --skip --image me/my-bot:2 --no-wait"));
        assert_eq!(image["changes"][0]["new"], "me/my-bot:2");
        let status = user.done(&["agents", "status"]);
        assert_eq!(status["settings"]["image"], "me/my-bot:2");
        assert_eq!(status["settings"]["max_agents"], 5);

        let world = user.service().world();
        assert_eq!(world.unknown_members, Vec::<String>::new());
        assert_eq!(world.leaked_tokens, Vec::<String>::new());
        assert_eq!(world.uploads.len(), 1);
        let packed = world.uploads.values().flat_map(|upload| &upload.entries);
        let names: Vec<&str> = packed.map(|(name, ..)| &**name).collect();
        let expected = [".env.example", "Dockerfile", "bot.py", "cloud-deploy.toml"];
        assert_eq!(names, expected);
    }
}

#[test]
fn what_is_deployed_is_shown_scaled_rolled_back_and_deleted() {
    let user = &users()[1];
    user.done(&words("deploy --skip --image me/my-bot:1"));
    user.done(&words("deploy --skip --image me/my-bot:2"));
    user.fails(&["agents", "rollback", "my-bot"], 2, "input_required");
    user.done(&["agents", "rollback", "--skip"]);
    user.done(&words("agents scale --max-agents 7 --skip"));
    let status = user.done(&["agents", "status"]);
    assert_eq!(status["settings"]["image"], "me/my-bot:1");
    assert_eq!(status["settings"]["max_agents"], 7);
    let deployments = user.done(&["agents", "deployments"]);
    assert_eq!(deployments["deployments"].as_array().unwrap().len(), 4);
    let run = user.run(&["agents", "stats"]);
    assert_says(&run, 2, &["stat"]);
    user.fails(&["agents", "status", "my-bt"], 1, "not_found");

    // There is no public key yet: one is created with consent.
    user.fails(&["agents", "start"], 2, "input_required");
    let data = ["--daily-room", "--data", "{\"a\": 1}"];
    let started = user.done(&[&["agents", "start", "--skip"], &data[..]].concat());
    let session = started["session"].as_str().unwrap();
    let room = started["room"].as_str().unwrap();
    assert!(room.starts_with("https://"), "{started}");
    let sent = user.service().sent();
    let start = sent.iter().rfind(|it| it.target.ends_with("/start"));
    let body = &start.unwrap().body;
    assert!(body.contains("\"body\":{\"a\":1}"), "{body}");
    let active = user.done(&["agents", "sessions", "--active"]);
    assert_eq!(active["sessions"][0]["id"], session);
    user.done(&["agents", "stop", session]);
    let active = user.done(&["agents", "sessions", "--active"]);
    assert_eq!(active["sessions"], json!([]));
    user.fails(&["agents", "start", "--data", "7"], 2, "invalid_input");

    let revoke = ["keys", "revoke", "bot-cli", "--skip"];
    user.done(&revoke);
    assert_eq!(user.done(&["keys", "list"])["keys"][0]["revoked"], true);
    user.fails(&revoke, 1, "not_found");
    user.done(&["agents", "delete", "--skip"]);
    assert_eq!(user.done(&["agents", "list"])["agents"], json!([]));
    user.fails(&["agents", "delete", "--skip"], 1, "not_found");
}

#[test]
fn a_private_api_key_says_what_it_can_not_do() {
    let mut user = User::with_key();
    deployed(&user);
    for line in [
        "keys list",
        "agents deployments my-bot",
        "agents rollback my-bot",
    ] {
        assert_says(&user.run(&words(line)), 4, &["a private API key can't"]);
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
        let said = [why, "Step 2/2 : COPY nothing", "bot-cli cloud builds logs"];
        assert_says(&run, 1, &said);
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
        let next = "next: bot-cli cloud agents logs my-bot";
        assert_says(&run, 0, &["problem", "exit code 1", next]);
        let refused = RolloutEnd::Refused {
            code: "PCC-1105".to_owned(),
            message: "exec format error".to_owned(),
        };
        user.service().world().rollout = rollout(0, refused);
        let run = user.run(&["deploy", "--skip", "--force"]);
        assert_says(&run, 1, &["does not start: exec format error (PCC-1105)"]);
        user.service().world().rollout = rollout(0, RolloutEnd::NoCapacity);
        user.done(&words("deploy --skip --force --no-wait"));
        let problem = "a problem with its own infrastructure";
        assert_says(&user.run(&["agents", "status"]), 0, &[problem]);
    }
}

#[test]
fn missing_secrets_are_copied_or_named_before_anything_is_deployed() {
    for user in [User::with_key(), User::with_token()] {
        project(&user);
        let run = user.run(&["deploy", "--skip"]);
        let missing = "there is no secret set `my-bot-secrets` at the service";
        let hint = "hint: bot-cli cloud secrets set my-bot-secrets --from-template";
        assert_says(&run, 1, &[missing, hint]);
        let set = "secrets set my-bot-secrets A=c4n4ry --skip --backend local";
        user.done(&words(set));
        let plan = user.run(&["deploy", "--dry-run"]);
        let copied = "secret_set  my-bot-secrets, copied from the vault\n";
        assert_says(&plan, 0, &[copied]);
        // A file in somebody else's clone may name any set of the vault.
        let run = user.run(&["deploy", "--skip"]);
        let copy = "hint: bot-cli cloud secrets copy my-bot-secrets --region us-west";
        assert_says(&run, 1, &["only if an option names it", copy]);
        assert_eq!(
            user.service().stored()[ORGANIZATION]["my-bot-secrets"],
            json!(null)
        );
        let run = user.run(&words("-v deploy --skip --secret-set my-bot-secrets"));
        let saved = "Saved 1 key in `my-bot-secrets`";
        assert_says(&run, 0, &[saved, "`my-bot` is ready"]);
        assert!(!format!("{run:?}").contains("c4n4ry"), "{run:?}");
        let pull = words("deploy --skip --image me/bot:1 --image-credentials registry");
        let missing = "there is no image pull secret `registry` at the service";
        let hint = "hint: bot-cli cloud secrets image-pull-secret registry REGISTRY";
        assert_says(&user.run(&pull), 1, &[missing, hint]);
        user.service()
            .world()
            .store(ORGANIZATION, "registry", "us-west", &[("A", "1")]);
        user.fails(&pull, 1, "wrong_type");
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
        let deploy = words("deploy --skip --secret-set my-bot-secrets");
        let (status, document) = user.json(&deploy);
        assert_eq!(status, Some(1), "{document}");
        assert_eq!(document["error"]["outcome"], "partly_done", "{document}");
        let hints = document["error"]["hints"].to_string();
        assert!(hints.contains("`my-bot` was not deployed"), "{document}");
        let stored = user.service().stored();
        assert!(stored[ORGANIZATION].get("/agents").is_none(), "{stored}");
    }
}

#[test]
fn a_set_that_somebody_creates_during_the_question_is_not_overwritten() {
    let user = User::with_token();
    project(&user);
    user.done(&words(
        "secrets set my-bot-secrets A=mine --skip --backend local",
    ));
    let mut terminal = user.terminal(&["bot-cli-cloud", "deploy"]);
    terminal.wait_for_question("Deploy it?").unwrap();
    let theirs = [("A", "theirs")];
    let store = |world: &mut World| world.store(ORGANIZATION, "my-bot-secrets", "us-west", &theirs);
    store(&mut user.service().world());
    terminal.press("y").unwrap();
    terminal.press(ENTER).unwrap();
    let ended = terminal.end().unwrap();
    assert_eq!(ended.status.code(), Some(1), "{}", ended.screen);
    let said = "somebody else created `my-bot-secrets` meanwhile";
    assert!(ended.screen.contains(said), "{}", ended.screen);
    let stored = user.service().stored();
    let set = &stored[ORGANIZATION]["my-bot-secrets"]["secrets"];
    assert_eq!(*set, json!({"A": "theirs"}), "{stored}");
    assert!(stored[ORGANIZATION].get("/agents").is_none(), "{stored}");
}

#[test]
fn a_set_that_gets_no_key_is_not_deployed() {
    let user = User::with_token();
    project(&user);
    let terminal = user.terminal(&["bot-cli-cloud", "deploy"]);
    let ended = answer(terminal, &[("Deploy it?", "y\r"), ("Value of A", ENTER)], 1);
    let said = "error: `my-bot-secrets` has no keys, so it was not created";
    assert!(ended.screen.contains(said), "{}", ended.screen);
    assert_eq!(user.service().stored()[ORGANIZATION], json!({}));
    // A template that asks for nothing is not where the keys come from.
    user.write("server/.env.example", "# A=\n");
    let hint = "hint: bot-cli cloud secrets set my-bot-secrets KEY=VALUE";
    assert_says(&user.run(&["deploy", "--dry-run"]), 1, &[hint]);
    let template = words("secrets set --from-template .env.example");
    assert_says(
        &user.run(&template),
        0,
        &["the template has no key that must be set"],
    );
}

#[test]
fn a_file_sends_nothing_from_outside_of_its_repository() {
    let user = &users()[0];
    let build = "\n[build]\ncontext_dir = \"../..\"\ndockerfile = \"my/server/Dockerfile\"\n";
    user.write("my/server/Dockerfile", "FROM scratch\n");
    user.write("my/server/cloud-deploy.toml", FILE.to_owned() + build);
    let deploy = ["deploy", "my", "--dry-run"];
    let run = user.run(&deploy);
    assert_says(
        &run,
        2,
        &["leads out of `", "hint: `--context-dir ../..` sends"],
    );
    let typed = [&deploy[..], &["--context-dir", "../.."]].concat();
    let resolved = "built by the service from [ROOT]/work (";
    assert_says(&user.run(&typed), 0, &[resolved]);
    // The repository is the whole of it.
    std::fs::create_dir(user.work().join(".git")).unwrap();
    assert_says(&user.run(&deploy), 0, &[resolved]);
}

#[test]
fn a_deployment_file_is_read_strictly_and_options_win() {
    let user = &users()[0];
    let wrong = FILE.replace("max_agents", "max_agent");
    user.write("server/cloud-deploy.toml", &wrong);
    let run = user.run(&["deploy", "--skip"]);
    let unknown = "line 5: unknown field `max_agent`, expected `min_agents` or `max_agents`";
    assert_says(&run, 2, &[unknown]);
    std::fs::remove_file(user.work().join("server/cloud-deploy.toml")).unwrap();
    user.write("server/pcc-deploy.toml", FILE);
    let dry = words("deploy server --dry-run --max-agents 9 --region us-east");
    let elsewhere = "`my-bot-secrets` is in the region us-west, and the agent in us-east";
    assert_says(&user.run(&dry), 1, &[elsewhere]);
    assert_says(&user.run(&dry[..5]), 0, &["max_agents  9"]);
    user.done(&["deploy", "--skip"]);
    let fixed = "the agent is in the region us-west, which can't change";
    assert_says(&user.run(&dry), 1, &[fixed]);
    user.fails(&["deploy", "--agent", "No"], 2, "invalid_input");
    user.fails(&["deploy", "nowhere"], 2, "invalid_input");
    user.fails(&words("deploy --build-id none --skip"), 1, "refused");
}

#[test]
fn the_service_takes_another_default_region_and_references_to_a_cluster() {
    for user in [User::with_key(), User::with_token()] {
        user.done(&words("organizations default-region us-east"));
        assert_eq!(user.done(&["regions", "list"])["default"], "us-east");
        let unknown = words("organizations default-region mars");
        user.fails(&unknown, 1, "refused");
    }
    let user = User::with_token();
    user.service().world().self_hosted_regions = vec!["own-1".to_owned()];
    user.done(&words("secrets reference theirs --region own-1"));
    let one = user.done(&["secrets", "list", "theirs"]);
    assert_eq!(one["referenced"], true, "{one}");
    let elsewhere = words("secrets reference more --region us-west");
    user.fails(&elsewhere, 1, "refused");
}

#[test]
fn a_log_is_followed_until_the_user_stops() {
    let user = &users()[1];
    let log = |lines: &[(i64, &str)]| user.service().world().log(ORGANIZATION, "my-bot", lines);
    deployed(user);
    let error = "1970-01-01 00:00:02.000 | ERROR    | bot:run:1 - two";
    log(&[
        (1000, "  File none.py"),
        (2000, error),
        (2000, "  File bot.py"),
        (3000, "INFO:     three"),
        (3000, "  more"),
    ]);
    // A traceback has the level of the line above it.
    let errors = user.run(&["agents", "logs", "--level", "warning"]);
    let time = "1970-01-01T00:00:02";
    let expected = format!("{time}  {error}\n{time}  File bot.py\n");
    assert_eq!((errors.status, errors.stdout), (Some(0), expected));
    let last = user.done(&["agents", "logs", "-n", "1"]);
    assert_eq!(last["lines"][0]["line"], "  more");

    let mut child = user.start(&["agents", "logs", "-n", "2", "--follow"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert!(next().ends_with("  INFO:     three"));
    assert!(next().ends_with("  more"));
    // Other lines of the first and of the last time, and one that comes late.
    log(&[
        (1000, "earliest"),
        (3000, "  more"),
        (2500, "late"),
        (9000, "four"),
    ]);
    let mut new = [next(), next(), next(), next()];
    new.sort();
    let new = new.map(|line| line.rsplit("  ").next().unwrap().to_owned());
    assert_eq!(new, ["earliest", "late", "more", "four"]);
    assert_eq!(user.interrupt(child).status, Some(130));

    let mut child = user.start(&["agents", "logs", "-n", "1", "--follow", "--json=lines"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next =
        || serde_json::from_str::<serde_json::Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next()["output"]["data"]["line"], "four");
    log(&[(10_000, "five")]);
    let line = &next()["output"];
    assert_eq!(line["data"]["line"], "five");
    assert_eq!(line["text"], "1970-01-01T00:00:10  five\n");
    assert_eq!(user.interrupt(child).status, Some(130));
    assert_eq!(next()["error"]["code"], 130);
}

#[test]
fn a_followed_line_without_a_level_has_that_of_the_line_above() {
    let user = &users()[1];
    deployed(user);
    let log = |time, line: &str| {
        let mut world = user.service().world();
        world.log(ORGANIZATION, "my-bot", &[(time, line)]);
    };
    log(1000, "ERROR: one");
    let mut child = user.start(&["agents", "logs", "--level", "error", "--follow"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert!(next().ends_with("  ERROR: one"));
    // Each is longer after the one before than lines are read again.
    for (time, line) in [(9000, "  two"), (17_000, "  three")] {
        log(time, line);
        assert!(next().ends_with(line.trim_start()), "{line}");
    }
    assert_eq!(user.interrupt(child).status, Some(130));
}

#[test]
fn no_line_of_a_followed_log_is_lost_or_shown_twice() {
    for takes_seconds in [false, true] {
        let user = &users()[1];
        deployed(user);
        user.service().world().takes_seconds = takes_seconds;
        let log = |lines: &[(i64, String)]| {
            let lines: Vec<_> = lines.iter().map(|(time, line)| (*time, &**line)).collect();
            user.service().world().log(ORGANIZATION, "my-bot", &lines);
        };
        // Pages end within one time, and with lines that are equal.
        let lines = |numbers: std::ops::Range<i64>| {
            let lines = numbers.map(|at| (1_000_000 + at / 700 * 1000, format!("line {}", at / 2)));
            lines.collect::<Vec<_>>()
        };
        log(&lines(0..1500));
        let mut child = user.start(&["agents", "logs", "-n", "1500", "--follow"]);
        let mut shown = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut next = |number: usize| {
            let lines = shown.by_ref().take(number).map(Result::unwrap);
            let mut lines: Vec<String> = lines
                .map(|line| line.rsplit("  ").next().unwrap().to_owned())
                .collect();
            lines.sort();
            lines
        };
        let texts = |lines: &[(i64, String)]| {
            let mut texts: Vec<_> = lines.iter().map(|(_, line)| line.clone()).collect();
            texts.sort();
            texts
        };
        assert_eq!(next(1500), texts(&lines(0..1500)));
        // A burst, while pages are read, and lines that come two seconds late.
        let size = if takes_seconds { 60_000 } else { 6000 };
        let burst = lines(1500..1500 + size);
        burst.chunks(700).for_each(log);
        assert_eq!(next(burst.len()), texts(&burst));
        let newest = burst.last().unwrap().0;
        let late = [
            (newest - 2000, "late".to_owned()),
            (newest, "line 0".to_owned()),
        ];
        log(&late);
        assert_eq!(next(2), texts(&late));
        let ended = user.interrupt(child);
        assert_eq!(ended.status, Some(130));
        // A look reads each page once.
        let most = (1502 + burst.len()).div_ceil(500) + 1;
        let sent = user.service().take_sent();
        let pages: Vec<_> = sent.iter().filter(|it| it.contains("order=asc")).collect();
        let looks: Vec<_> = pages.split(|it| !it.contains("offset=")).collect();
        assert!(looks.len() > 2, "{pages:?}");
        assert!(looks.iter().all(|rest| rest.len() < most), "{pages:?}");
    }
}

#[test]
fn the_log_of_a_build_is_shown_whole_or_said_to_be_longer() {
    let user = &users()[1];
    let logs: Vec<String> = (0..25_000)
        .map(|at| format!("{at} {}", "x".repeat(400)))
        .collect();
    let failed = BuildEnd::Failed {
        message: "no".to_owned(),
        logs,
    };
    user.service().world().building = building(0, failed);
    user.fails(&["deploy", "--skip"], 1, "build_failed");
    let builds = user.done(&["builds", "list"]);
    let id = builds["builds"][0]["id"].as_str().unwrap();
    let run = user.run(&["builds", "logs", id]);
    assert_says(&run, 0, &["warning: the log is longer", "\n9999 xx"]);
    user.service().world().takes_tokens = true;
    let whole = user.done(&["builds", "logs", id]);
    assert_eq!(whole["lines"].as_array().unwrap().len(), 25_000);
    assert_eq!(whole["has_more"], false);
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
            let child = user.start(&["deploy", "--skip"]);
            let is_read = |target: &str| {
                if said.contains("build") {
                    target.contains("/builds/0000")
                } else {
                    target.ends_with("/my-bot")
                }
            };
            user.service().wait_until("the wait", || {
                let sent = user.service().sent();
                let reads = sent.iter();
                let reads = reads.filter(|it| it.method == "GET" && is_read(&it.target));
                reads.count() > 3
            });
            assert_says(&user.interrupt(child), 130, &[said]);
            user.write("server/bot.py", format!("# {said}\n"));
        }
    }
}

//! Tests that `deploy`, `agents scale` and `agents rollback` compare two whole states: what is set here and there, in both directions.

use bot_cli_tests::pty::ENTER;
use bot_cli_tests::service::{Fault, Injection, ORGANIZATION};
use serde_json::{Value, json};

use super::deploy::{FILE, assert_says, users};
use super::user::User;
use super::words;

const IMAGE: &str = "agent_name = \"my-bot\"\nimage = \"me/bot:1\"\n";

/// Every setting that a deployment file can take back, and one that it can't.
const FULL: &str = "agent_profile = \"agent-2x\"\nmax_session_duration = 900\nsecret_set = \"my-bot-secrets\"\n\
    [scaling]\nmin_agents = 3\nmax_agents = 7\n[krisp_viva]\naudio_filter = \"tel\"\n";

fn write(user: &User, settings: &str) {
    user.write("server/cloud-deploy.toml", format!("{IMAGE}{settings}"));
}

fn wanted(user: &User) -> Value {
    user.service().stored()[ORGANIZATION]["/agents"]["my-bot"]["wanted"].clone()
}

#[test]
fn what_the_file_no_longer_sets_is_taken_back_or_said_to_stay() {
    for user in users() {
        write(&user, FULL);
        user.done(&["deploy", "--skip"]);
        write(&user, "");
        let rows = [
            "agent_profile         agent-1x (now agent-2x), because the file does not set it\n",
            "max_session_duration  7200 (now 900), because the file does not set it\n",
            "min_agents            0 (now 3), because the file does not set it\n",
            "audio_filter          none (now tel), because the file does not set it\n",
            "secret_set            stays my-bot-secrets: write it into the file\n",
            "max_agents            stays 7: write it into the file\n",
        ];
        assert_says(&user.run(&["deploy", "--dry-run"]), 0, &rows);
        // Without a question, the rows are shown all the same.
        let rows = rows.map(str::trim);
        assert_says(&user.run(&["deploy", "--skip"]), 0, &rows);
        let expected = json!({
            "image": "me/bot:1",
            "agentProfile": "agent-1x",
            "maxSessionDuration": 7200,
            "secretSet": "my-bot-secrets",
            "autoScaling": {"minAgents": 0, "maxAgents": 7},
            "krispViva": {"audioFilter": null},
        });
        assert_eq!(wanted(&user), expected);
        let nothing = user.done(&["deploy", "--skip"]);
        assert_eq!(nothing["changes"], json!([]), "{nothing}");
        assert_eq!(nothing["stays"][0]["setting"], "secret_set", "{nothing}");
    }
}

#[test]
fn scaling_names_the_line_for_the_file_which_the_next_deployment_follows() {
    for user in users() {
        write(&user, "");
        user.done(&["deploy", "--skip"]);
        let scale = words("agents scale --min-agents 1 --max-agents 6 --skip");
        let note =
            "only with `min_agents = 1` under `[scaling]` in [ROOT]/work/server/cloud-deploy.toml";
        assert_says(&user.run(&scale), 0, &[note, "min_agents  1 (now 0)"]);
        let row = "min_agents  0 (now 1), because the file does not set it";
        assert_says(&user.run(&["deploy", "--dry-run"]), 0, &[row, "stays 6"]);
        write(&user, "[scaling]\nmin_agents = 1\nmax_agents = 6\n");
        user.done(&["deploy", "--skip"]);
        let again = user.run(&["deploy", "--skip"]);
        assert_says(&again, 0, &["Nothing to do: `my-bot` already runs this\n"]);
        assert!(!user.run(&scale).stderr.contains("only with"));
    }
}

#[test]
fn a_private_key_sets_nothing_that_its_interface_lacks() {
    let [user, signed_in] = users();
    let lacking = "websocket_auth = \"token\"\narchitecture = \"arm64\"\n";
    write(&user, lacking);
    let run = user.run(&["deploy", "--skip"]);
    let said = [
        "a private API key can't create an agent with these settings",
        "websocket_auth: would be dropped",
        "architecture: would be dropped",
        "hint: bot-cli cloud auth login",
    ];
    assert_says(&run, 4, &said);
    assert_eq!(wanted(&user), Value::Null);
    write(&user, "");
    user.done(&["deploy", "--skip"]);
    write(&user, &format!("{lacking}[scaling]\nmin_agents = 1\n"));
    let row = "websocket_auth  stays as it is: a private key can't set it";
    assert_says(&user.run(&["deploy", "--skip"]), 0, &[row, "is ready"]);
    let nothing = "already runs this, except:\n  websocket_auth  stays";
    assert_says(&user.run(&["deploy", "--skip"]), 0, &[nothing]);
    let names = Vec::<String>::new();
    assert_eq!(user.service().world().unknown_members, names);
    write(&signed_in, lacking);
    signed_in.done(&["deploy", "--skip"]);
    assert_eq!(wanted(&signed_in)["websocketAuth"], "token");
}

#[test]
fn what_the_service_does_not_show_is_neither_equal_nor_different() {
    let [_, user] = users();
    user.service().world().shows_little = true;
    write(&user, "websocket_auth = \"token\"\n");
    let done = user.done(&["deploy", "--skip"]);
    assert_eq!(done["differs"], json!([]), "{done}");
    let nothing = "already runs this, except:\n  websocket_auth  not checked, because the service does not show it; `--force` sends it\n";
    assert_says(&user.run(&["deploy", "--skip"]), 0, &[nothing]);
    let named = user.run(&words("deploy --dry-run --websocket-auth token"));
    assert_says(
        &named,
        0,
        &["Update the agent", "  websocket_auth  token\n"],
    );

    // The image of a build is not named, so that it may be another one.
    user.write("server/cloud-deploy.toml", FILE);
    user.done(&["deploy", "--skip"]);
    let again = user.done(&["deploy", "--skip"]);
    assert_eq!(again["changes"][0]["setting"], "build_id", "{again}");
    write(&user, "");
    user.done(&["deploy", "--skip"]);
    let run = user.run(&words("agents rollback --skip"));
    assert_says(&run, 1, &["does not show which image the deployment"]);
}

#[test]
fn rolling_back_takes_all_of_a_deployment_back() {
    let [_, user] = users();
    write(&user, "websocket_auth = \"none\"\n");
    user.done(&["deploy", "--skip"]);
    let before = wanted(&user);
    write(
        &user,
        &format!(
            "websocket_auth = \"token\"\n{}",
            FULL.replace("agent_profile = \"agent-2x\"\n", "")
        ),
    );
    user.done(&["deploy", "--skip"]);
    let back = user.run(&words("agents rollback --skip"));
    let rows = [
        "websocket_auth        none (now token)",
        "max_session_duration  7200 (now 900)",
        "audio_filter          none (now tel)",
        "secret_set            stays my-bot-secrets: the service can't take it back",
    ];
    assert_says(&back, 0, &rows);
    let mut expected = before;
    expected["secretSet"] = json!("my-bot-secrets");
    expected["maxSessionDuration"] = json!(7200);
    assert_eq!(wanted(&user), expected);
    // A deployment shows the resources of its profile alone.
    write(&user, "agent_profile = \"agent-2x\"\n");
    user.done(&["deploy", "--skip"]);
    let back = user.run(&words("agents rollback --skip"));
    let row = "except:\n  agent_profile  stays agent-2x: the deployment does not show it";
    assert_says(&back, 0, &[row]);
}

#[test]
fn a_mistake_in_the_file_is_told_as_one_in_the_file() {
    let [user, _] = users();
    write(
        &user,
        "max_session_duration = 1\n[scaling]\nmin_agents = 3\nmax_agents = 2\n",
    );
    let run = user.run(&words("deploy --skip --architecture mips --max-agents 1"));
    let file = "(in [ROOT]/work/server/cloud-deploy.toml)";
    let said = [
        &format!("max_session_duration: must be from 60 to 14400 {file}"),
        &format!("min_agents: is more than `max_agents` {file}"),
        "--architecture: must be arm64 or amd64\n",
    ];
    assert_says(&run, 2, &said);
}

#[test]
fn a_refusal_names_the_code_of_the_service_and_what_was_not_done() {
    for user in users() {
        write(&user, "");
        for (status, exit, message, hint) in [
            (400, 1, "Invalid parameters", "correct what it says"),
            (402, 1, "No plan", "plan or payment"),
            (403, 4, "Too many agents", "limits"),
            (
                404,
                1,
                "Secret set not found",
                "hint: bot-cli cloud secrets list",
            ),
            (409, 1, "Name taken", "hint: bot-cli cloud agents list"),
        ] {
            let refusal = Injection::new("POST", "/", Fault::error(status, message, "PCC-1"));
            user.service().inject(refusal.times(1));
            let said = format!("{message} (PCC-1), so `my-bot` was not deployed");
            assert_says(&user.run(&["deploy", "--skip"]), exit, &[&said, hint]);
        }
        assert_eq!(wanted(&user), Value::Null);
    }
}

#[test]
fn who_deploys_meanwhile_is_found_before_anything_is_sent() {
    let [_, user] = users();
    let mut terminal = user.terminal(&["bot-cli-cloud", "deploy"]);
    terminal.wait_for_question("Deploy it?").unwrap();
    let image = json!({"image": "me/bot:theirs"});
    user.service()
        .world()
        .deploy(ORGANIZATION, "my-bot", &image);
    terminal.press("y").unwrap();
    terminal.press(ENTER).unwrap();
    let ended = terminal.end().unwrap();
    assert_eq!(ended.status.code(), Some(1), "{}", ended.screen);
    assert!(
        ended
            .screen
            .contains("someone else changed `my-bot` meanwhile"),
        "{}",
        ended.screen
    );
    let world = user.service().world();
    assert!(world.uploads.is_empty());
}

#[test]
fn a_set_that_is_gone_is_created_again_with_a_row_of_the_plan() {
    for user in users() {
        write(&user, "secret_set = \"more\"\n");
        user.service()
            .world()
            .store(ORGANIZATION, "more", "us-west", &[("A", "1")]);
        user.done(&["deploy", "--skip"]);
        user.done(&words("secrets delete more --skip"));
        user.done(&words("secrets set more A=c4n4ry --skip --backend local"));
        for deploy in ["deploy --dry-run", "deploy --dry-run --force"] {
            let row = "  secret_set  more, copied from the vault\n";
            assert_says(&user.run(&words(deploy)), 0, &[row]);
        }
        let done = user.done(&words("deploy --skip --secret-set more"));
        assert_eq!(done["secrets_renewed"], true, "{done}");
        // What the service would refuse is refused before.
        user.done(&words("secrets set Bad A=c4n4ry --skip --backend local"));
        let run = user.run(&words("deploy --dry-run --secret-set Bad"));
        assert_says(&run, 2, &["secret_set: must be 3 to 63"]);
    }
}

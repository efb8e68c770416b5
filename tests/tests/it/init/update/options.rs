//! Tests for options that override the recorded configuration.

use std::fs;

use bot_cli_tests::init::tree;
use serde_json::json;

use super::super::{json as reply, run};
use super::{edit, project, updated};

#[test]
fn options_and_a_file_go_over_what_is_recorded() {
    let (folder, _) = project(&["--name", "My bot", "--recording"]);
    fs::write(
        folder.path().join("more.json"),
        r#"{"transcription": true, "enable_eval": true}"#,
    )
    .unwrap();
    let all = ["--config", "more.json", "--no-eval", "-t", "hosted_rtc"];
    let document = updated(folder.path(), &all);
    assert_eq!(
        document["options"],
        json!([
            { "key": "transports", "from": ["p2p_webrtc"], "to": ["hosted_rtc"] },
            { "key": "transcription", "from": false, "to": true },
        ])
    );
    assert_eq!(document["config"]["project_name"], "My bot");
    assert_eq!(document["config"]["recording"], true);
    let run = run(
        folder.path(),
        &["my-bot", "--update", "--dry-run", "-t", "p2p_webrtc"],
    );
    assert!(
        run.stdout
            .contains("  transports: hosted_rtc -> p2p_webrtc\n"),
        "{run:?}"
    );
}

#[test]
fn the_kind_of_bot_follows_its_transports_and_the_mode_its_services() {
    let (folder, _) = project(&[]);
    let document = updated(folder.path(), &["-t", "p2p_webrtc", "-t", "carrier_a"]);
    assert_eq!(document["config"]["bot_type"], "telephony");
    let document = updated(folder.path(), &["--realtime", "openai_realtime"]);
    assert_eq!(document["config"]["mode"], "realtime");
    assert_eq!(document["review"], json!([]));
    let cascade = [
        "--stt",
        "deepgram_stt",
        "--llm",
        "openai_llm",
        "--tts",
        "cartesia_tts",
    ];
    let document = updated(
        folder.path(),
        &[&["-t", "p2p_webrtc"], &cascade[..]].concat(),
    );
    assert_eq!(document["config"]["mode"], "cascade");
    assert_eq!(document["config"]["bot_type"], "web");
}

#[test]
fn what_does_not_go_with_a_recorded_choice_is_given_up_by_options() {
    let (folder, made) = project(&[
        "--client-framework",
        "react",
        "--video",
        "tavus_video",
        "--video-input",
    ]);
    let before = tree(&made);
    let (status, _) = reply(folder.path(), &["my-bot", "--update", "-t", "carrier_a"]);
    assert_eq!(status, Some(2));
    assert_eq!(tree(&made), before);
    let document = updated(
        folder.path(),
        &[
            "-t",
            "carrier_a",
            "--video",
            "none",
            "--client-framework",
            "none",
            "--no-video-input",
        ],
    );
    assert_eq!(document["config"]["video_service"], json!(null));
    assert_eq!(document["config"]["video_output"], false);
    assert!(!made.join("client").exists());
}

#[test]
fn an_environment_is_added_and_an_edited_file_of_one_is_kept() {
    let (folder, made) = project(&["--environment", "staging"]);
    let file = |name: &str| made.join(format!("server/cloud-deploy.{name}.toml"));
    let text = fs::read_to_string(file("staging")).unwrap();
    let named = "agent_name = \"my-bot-staging\"\nsecret_set = \"my-bot-staging-secrets\"\n";
    assert!(text.starts_with(named), "{text}");
    let edited = text.replace("min_agents = 1", "min_agents = 0");
    fs::write(file("staging"), &edited).unwrap();

    let document = updated(folder.path(), &["--environment", "production"]);
    let both = json!(["staging", "production"]);
    assert_eq!(document["config"]["environments"], both);
    assert_eq!(fs::read_to_string(file("staging")).unwrap(), edited);
    let readme = fs::read_to_string(made.join("README.md")).unwrap();
    let promote = "\nbot-cli cloud deploy --environment production --from staging\n";
    assert!(readme.contains(promote), "{readme}");
    // What is there is not added again.
    let again = updated(folder.path(), &["--environment", "staging"]);
    assert_eq!(again["config"]["environments"], both);

    for (words, problem) in [
        (
            &["--environment", "Qa"][..],
            "`Qa` must be 1 to 50 lower-case",
        ),
        (
            &["--environment", "../x"],
            "`../x` must be 1 to 50 lower-case",
        ),
        (&["--no-deploy-to-cloud"], "needs `--deploy-to-cloud`"),
    ] {
        let refused = run(folder.path(), &[&["my-bot", "--update"], words].concat());
        assert_eq!(refused.status, Some(2), "{refused:?}");
        assert!(refused.stderr.contains(problem), "{refused:?}");
    }
    let document = updated(folder.path(), &["--environment", "none"]);
    assert!(document["config"].get("environments").is_none());
    assert!(!file("production").exists());
    assert_eq!(fs::read_to_string(file("staging")).unwrap(), edited);
}

#[test]
fn a_workflow_comes_and_goes_and_keeps_edits() {
    let (folder, made) = project(&[]);
    let workflow = made.join(".github/workflows/bot.yaml");
    updated(folder.path(), &["--ci", "github"]);
    edit(&workflow, "timeout-minutes: 30", "timeout-minutes: 45");
    updated(folder.path(), &["--eval"]);
    edit(&workflow, "timeout-minutes: 45", "timeout-minutes: 30");
    assert!(
        fs::read_to_string(&workflow)
            .unwrap()
            .contains("evals/text.yaml")
    );
    updated(folder.path(), &["--ci", "none"]);
    assert!(!made.join(".github").exists());
}

//! Conversations with an unmodified generated bot, held by the framework's own eval harness or by a client.

use std::fs;

use serde_json::Value;

use crate::bot::{Bot, OPENAI, WEBRTC, drive, made, python, python_script, succeeds, text};

/// Calls would fail without the carriers' keys, but the bot still answers people in a browser.
#[test]
fn the_starter_scenario_passes_and_missing_keys_of_carriers_are_named() {
    let bot = Bot::over(&["p2p_webrtc", "carrier_a", "carrier_c"], &["--eval"]);
    let (running, address) = bot.run(&WEBRTC, &[]);
    for missing in [
        "twilio will fail: TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN",
        "plivo will fail: PLIVO_AUTH_ID, PLIVO_AUTH_TOKEN",
    ] {
        assert!(running.log().contains(missing), "{missing}");
    }
    bot.passes("evals/text.yaml", &address);
}

#[test]
fn sessions_at_once_are_watched_at_a_port_each() {
    let bot = Bot::over(&["p2p_webrtc"], &["--observability"]);
    let (mut running, address) = bot.run(&WEBRTC, &[]);
    drive(
        "talk_to_deployed.py",
        &["webrtc", &address, "--at-once", "2"],
    );
    let [one, other] = [(); 2].map(|()| running.line_with("Whisker running at ws://localhost:"));
    let port = |line: &str| line.rsplit(':').next().unwrap().to_owned();
    assert_ne!(port(&one), port(&other));
}

#[test]
fn a_slow_service_does_not_delay_the_answer_to_a_ping() {
    let options = ["--transport=p2p_webrtc", "--client-framework=vanilla"];
    let (folder, _) = made(&[&["bot"], &OPENAI[..], &options].concat());
    let server = folder.path().join("bot/server");
    let output = succeeds(python_script("ping_slow_bot.py").current_dir(server));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["data"]["t"], "ping", "{answer}");
}

#[test]
fn a_bot_without_its_keys_names_them_all_and_ends() {
    let services = "--mode=cascade --stt=deepgram_stt --llm=anthropic_llm --tts=cartesia_tts";
    let options: Vec<&str> = services
        .split(' ')
        .chain(["--transport=p2p_webrtc"])
        .collect();
    let bot = Bot::new(&options, &[]);
    let output = bot.runner(&WEBRTC, &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let said = text(&output);
    for part in [
        "DEEPGRAM_API_KEY",
        "ANTHROPIC_API_KEY",
        "CARTESIA_API_KEY",
        "`bot-cli cloud secrets set --backend local --from-template .env.example`",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    for part in ["Traceback", "Bot ready"] {
        assert!(!said.contains(part), "{part}: {said}");
    }
}

/// The project is unmodified, except where its README tells users to add code.
#[test]
fn a_function_and_a_handler_of_the_user_are_called() {
    let answers = [
        "--call",
        r#"where is my order=order_status {"order_id": "A-1042"}"#,
        "--say",
        "\"status\": \"shipped\"=It has been shipped.",
    ];
    let options = [&OPENAI[..], &["--transport=p2p_webrtc", "--eval"]].concat();
    let bot = Bot::new(&options, &answers);
    let readme = fs::read_to_string(bot.folder.path().join("bot/README.md")).unwrap();
    let block = |language: &str| {
        let (_, rest) = readme.split_once(&format!("```{language}\n")).unwrap();
        rest.split_once("```").unwrap().0.to_owned()
    };
    let path = bot.server.join("tools.py");
    let tools = fs::read_to_string(&path).unwrap();
    let (functions, _) = tools.split_once("TOOLS:").unwrap();
    fs::write(path, functions.to_owned() + &block("python")).unwrap();
    bot.handle(HANDLER);
    fs::write(bot.server.join("evals/order.yaml"), block("yaml")).unwrap();
    let mut lint = python().command("ruff");
    succeeds(
        lint.args(["check", "--no-cache", "."])
            .current_dir(&bot.server),
    );

    let (mut running, address) = bot.run(&WEBRTC, &[]);
    bot.passes("evals/order.yaml", &address);
    running.line_with("My handler saw order_status");
}

const HANDLER: &str = r#"
    @llm.event_handler("on_function_calls_started")
    async def on_function_calls_started(service, function_calls):
        logger.info(f"My handler saw {function_calls[0].function_name}")
"#;

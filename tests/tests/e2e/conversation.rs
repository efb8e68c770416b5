//! Conversations with an unmodified generated bot, held by the framework's own eval harness or by a client.

use std::fs;
use std::process::Output;

use bot_cli_templates::languages::languages;
use bot_cli_tests::bench::Bench;
use bot_cli_tests::port::free_port;
use serde_json::Value;

use crate::bot::{
    ANSWERS, Bot, OPENAI, WEBRTC, drive, framework_as_uv, made, python, python_script, succeeds,
    text,
};

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
fn the_starter_scenario_passes_in_another_language() {
    for code in ["de", "ja"] {
        let words = &languages()[code];
        let say = |name: &str, part: &str| format!("{}=„{}“", words[name], words[part]);
        let call = |name: &str, call: &str| format!("{}={call}", words[name]);
        let label = &words["label"];
        let said = [
            format!("one short {label} sentence=Hallo {}", words["asks"]),
            say("capital", "paris"),
            say("favorite", "lisbon"),
        ];
        let called = [
            call("time", r#"current_time {"timezone": "Europe/Lisbon"}"#),
            call("hang_up", "end_call {}"),
        ];
        let said = said.iter().flat_map(|it| ["--say", it]);
        let called = called.iter().flat_map(|it| ["--call", it]);
        let options = [
            &OPENAI[..],
            &["-t=p2p_webrtc", "--eval", "--language", code],
        ]
        .concat();
        let mut bot = Bot::new(&options, &said.chain(called).collect::<Vec<_>>());
        let (_running, address) = bot.run(&WEBRTC, &[]);
        bot.passes("evals/text.yaml", &address);
        let prompt = format!("Speak {label}, and address the user formally.");
        bot.models.line_with(&prompt);
    }
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
    let block = |language: &str| between(&readme, &format!("```{language}\n"), "```");
    let path = bot.server.join("tools.py");
    let tools = fs::read_to_string(&path).unwrap();
    let (functions, _) = tools.split_once("TOOLS:").unwrap();
    fs::write(path, functions.to_owned() + block("python")).unwrap();
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

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap();
    rest.split_once(end).unwrap().0
}

/// The project is unmodified, except where its guide tells coding agents to add code.
#[test]
fn a_telephone_bot_books_as_the_guide_says_and_knows_the_day() {
    let answers = [
        "--call",
        r#"seven in the evening=book_table {"day": "2100-01-31", "hour": 19, "name": "Ada"}"#,
        "--say",
        "\"booked\": \"Sunday, 31 January=It is booked.",
    ];
    let transports = ["--transport=carrier_a", "--transport=p2p_webrtc", "--eval"];
    let mut bot = Bot::new(&[&OPENAI[..], &transports].concat(), &answers);
    let guide = fs::read_to_string(bot.folder.path().join("bot/AGENTS.md")).unwrap();
    let block = |language: &str| between(&guide, &format!("```{language}\n"), "```");
    let change = |name: &str, changes: &[(&str, &str)]| {
        let path = bot.server.join(name);
        let mut code = fs::read_to_string(&path).unwrap();
        for (old, new) in changes {
            assert!(code.contains(old), "{name}: {old}");
            code = code.replacen(old, new, 1);
        }
        fs::write(path, code).unwrap();
    };
    let imports = "import asyncio\nimport os\nimport sqlite3\nfrom contextlib import closing\nfrom datetime import";
    let tool = format!("{}\n\nTOOLS: ", block("python"));
    let tools = [
        ("from datetime import", imports),
        ("TOOLS: ", &tool),
        (" end_call,", " end_call, book_table,"),
    ];
    change("tools.py", &tools);
    let now = format!("    {}\n    llm = ", between(&guide, "appointment: `", "`"));
    let create = format!("create_llm(f{})", between(&guide, "`create_llm(f", ")`"));
    let prompt = [
        ("    llm = ", now.as_str()),
        ("create_llm(SYSTEM_PROMPT)", &create),
        ("import TOOLS", "import TOOLS, ZONE"),
        (
            "import Callable",
            "import Callable\nfrom datetime import datetime",
        ),
    ];
    change("bot.py", &prompt);
    fs::write(bot.server.join("evals/booking.yaml"), block("yaml")).unwrap();
    for words in [&["check"][..], &["format", "--check"]] {
        let mut ruff = python().command("ruff");
        ruff.args(words).args(["--no-cache", "."]);
        succeeds(ruff.current_dir(&bot.server));
    }

    let (_running, address) = bot.run(&WEBRTC, &[("BOOKINGS_DB", ":memory:")]);
    // Each run finds an empty store.
    bot.passes("evals/booking.yaml", &address);
    bot.passes("evals/booking.yaml", &address);
    bot.models.line_with("say so. Today is ");
}

/// The judge and the caller are models of our stand-in, as the starter files say. The package's own console script does not find their
/// factory.
#[test]
fn dev_has_a_judge_and_a_simulated_caller_and_types_to_the_bot() {
    let yes = r#"Answer shape={"choice": "yes", "probabilities": {"yes": 1}, "probability": 1}"#;
    let caller = [
        "--say",
        "how can I help=What time is it in Lisbon?",
        "--call",
        r#"late there=end_call {"success": true, "reason": "told"}"#,
    ];
    let answers = [&["--say", yes], &ANSWERS[..], &caller].concat();
    let options = [&OPENAI[..], &["--transport=p2p_webrtc", "--eval"]].concat();
    let bot = Bot::new(&options, &answers);
    let bench = Bench::whole().unwrap();
    framework_as_uv(&bench);
    let dev = |words: &[&str]| -> Output {
        let port = free_port().unwrap().to_string();
        let folder = bot.folder.path().join("bot").display().to_string();
        let mut dev = bench.host(&[&["dev", &folder, "--port", &port], words].concat());
        dev.env("OPENAI_API_KEY", "any");
        dev.env("OPENAI_BASE_URL", format!("{}/v1", bot.models_address));
        dev.output().unwrap()
    };
    let said = text(&dev(&["--eval", "evals/judged.yaml"]));
    assert!(said.contains("needs a judge: run `ollama pull"), "{said}");
    assert!(said.contains("0 passed, 2 failed, 0 not run"), "{said}");

    for name in ["judged", "caller"] {
        let path = bot.server.join(format!("evals/{name}.yaml"));
        let scenarios = fs::read_to_string(&path).unwrap();
        let scenarios = scenarios.replace("# factory:", "factory:");
        fs::write(path, scenarios.replace("# model:", "model:")).unwrap();
    }
    fs::remove_file(bot.server.join("evals/audio.yaml")).unwrap();
    let ran = dev(&["--eval", "--json"]);
    assert!(ran.status.success(), "{}", text(&ran));
    assert!(ran.stdout.len() < 1000, "{}", text(&ran));
    let document: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(document["passed"], 5, "{document}");

    let said = text(&dev(&["--say", "What time is it in Lisbon?"]));
    assert!(
        said.contains("| call: current_time {\"timezone\""),
        "{said}"
    );
    assert!(said.contains("| bot:  It is late there."), "{said}");

    fs::write(bot.server.join("evals/broken.yaml"), "name: [").unwrap();
    let said = text(&dev(&["--eval", "evals/broken.yaml", "evals/text.yaml"]));
    assert!(said.contains("| failed evals/broken.yaml"), "{said}");
    assert!(said.contains("2 passed, 1 failed, 0 not run"), "{said}");
}

//! Transports of which the hosting service starts no sessions: their bots run as on a developer's machine, and a stand-in takes
//! the place of the company's own client, below the framework's transport.

use serde_json::{Value, json};

use super::{ANSWERS, Bot, Running, assert_voice, models, python, script};
use crate::telephony::whatsapp::post_json;

#[test]
fn a_guest_in_a_livekit_room_is_answered() {
    let bot = Bot::new(&["livekit"], &[]);
    let (mut running, _model) = bot.run(
        "livekit",
        &[
            ("LIVEKIT_URL", "wss://livekit.example.com"),
            ("LIVEKIT_API_KEY", "livekit-key"),
            ("LIVEKIT_API_SECRET", "a secret of thirty-two characters"),
            ("LIVEKIT_ROOM_NAME", "room-1"),
        ],
    );
    let listens = running.line_with("Uvicorn running on");
    let address = listens
        .split_whitespace()
        .find(|word| word.starts_with("http://"))
        .unwrap();
    let started: Value =
        serde_json::from_str(&post_json(address, "/start", r#"{"transport": "livekit"}"#)).unwrap();
    assert_eq!(started["url"], "wss://livekit.example.com", "{started}");

    let seen = seen(&mut running);
    assert_eq!(seen["address"], "wss://livekit.example.com", "{seen}");
    assert_ne!(seen["token"], started["token"], "{seen}");
    assert_eq!(seen["tracks"], json!(["pipecat-audio"]), "{seen}");
    assert_eq!(
        said(&seen),
        "Hello, how can I help you? It is Paris. ",
        "{seen}"
    );
    assert_voice(&seen, "LiveKit");
}

#[test]
fn a_guest_in_a_vonage_session_is_greeted() {
    let bot = Bot::new(&["vonage"], &[]);
    let (mut running, _model) = bot.run(
        "vonage",
        &[
            ("VONAGE_APPLICATION_ID", "application-1"),
            ("VONAGE_SESSION_ID", "session-1"),
            ("VONAGE_TOKEN", "the token"),
        ],
    );
    let seen = seen(&mut running);
    assert_eq!(
        [&seen["application"], &seen["session"], &seen["token"]],
        ["application-1", "session-1", "the token"],
        "{seen}"
    );
    assert_eq!(seen["publishes"], json!([true, false]), "{seen}");
    assert_eq!(seen["hears"], true, "{seen}");
    assert_voice(&seen, "Vonage");
}

/// Returns what the stand-in saw, once the guest has left and the bot, too.
fn seen(running: &mut Running) -> Value {
    let line = running.line_with("STAND-IN ");
    let (_, document) = line.split_once("STAND-IN ").unwrap();
    serde_json::from_str(document).unwrap()
}

fn said(seen: &Value) -> String {
    let words = seen["said"].as_array().unwrap();
    words.iter().filter_map(Value::as_str).collect()
}

impl Bot {
    /// Returns the runner with one transport and a company's stand-in, and its model, which is ended after it.
    fn run(&self, transport: &str, keys: &[(&str, &str)]) -> (Running, Running) {
        let (model, address) = models(&ANSWERS);
        let mut command = python().command("python");
        command
            .args(["bot.py", "-t", transport, "--host", "127.0.0.1"])
            .args(["--port", "0"])
            .env("PYTHONPATH", script("elsewhere"))
            .env("STAND_IN", transport)
            .env("OPENAI_API_KEY", "any")
            .env("OPENAI_BASE_URL", format!("{address}/v1"))
            .envs(keys.iter().copied())
            .current_dir(&self.server);
        (Running::start(&mut command), model)
    }
}

//! Generated bots as the hosting service runs them: from the files in their image, with the service's session classes, in a program that
//! imitates the image's own. Rooms, carriers and REST APIs are stand-ins, to which the unmodified bots are redirected.
//!
//! The service starts no sessions for `LiveKit` and Vonage. Their bots run as on a developer's machine, with a stand-in for the vendor's
//! client library below the framework's transport.

use serde_json::{Value, json};

use crate::bot::{Bot, ask, assert_voice, classes, drive};
use crate::running::Running;

const CARRIERS: [(&str, &str); 4] = [
    ("carrier_a", "twilio"),
    ("carrier_b", "telnyx"),
    ("carrier_c", "plivo"),
    ("carrier_d", "exotel"),
];

#[test]
fn one_bot_serves_every_transport_and_evals_one_after_the_other() {
    // The last stays behind, and is in no other's way.
    let others = ["websocket", "p2p_webrtc", "hosted_rtc", "livekit"];
    let transports = [CARRIERS.map(|(name, _)| name), others].concat();
    let bot = Bot::over(&transports, &["--eval"]);
    let deployed = bot.deploy(&[]);
    let address = &*deployed.address;
    for (_, carrier) in CARRIERS {
        let heard = drive("stand_in_carrier.py", &[carrier, address, "--deployed"]);
        assert_voice(&heard, carrier);
    }
    for way in ["websocket", "webrtc"] {
        let said = drive("talk_to_deployed.py", &[way, address]);
        let said = [&said["greeting"], &said["answer"]];
        assert_eq!(
            said,
            ["Hello, how can I help you?", "It is Paris."],
            "{way}"
        );
    }
    bot.passes("evals/text.yaml", address);
    let world = drive("call_deployed.py", &["hosted_rtc", address]);
    let room = &world["rooms"][0];
    assert_eq!(room["problem"], Value::Null, "{room}");
    assert_eq!(said(room), "Hello, how can I help you? It is Paris. ");
    assert_voice(room, "a room");
    let mut expected = vec!["WebSocketSessionArguments"; 5];
    expected.extend([
        "SmallWebRTCSessionArguments",
        "WebSocketSessionArguments",
        "WebSocketSessionArguments",
        "DailySessionArguments",
    ]);
    assert_eq!(classes(&world), expected);
}

#[test]
fn a_client_meets_the_bot_at_the_relay() {
    let bot = Bot::over(&["moq"], &[]);
    let deployed = bot.deploy(&[]);
    let heard = drive("talk_over_moq.py", &[&deployed.address, "--deployed"]);
    let said = heard["said"].as_str().unwrap();
    assert!(said.contains("It is Paris."), "{heard}");
    assert_voice(&heard["heard"], "the relay");
    assert_eq!(classes(&deployed.ended(1)), ["MOQSessionArguments"]);
}

#[test]
fn an_avatar_speaks_for_the_bot() {
    let bot = Bot::over(&["lemonslice", "p2p_webrtc"], &[]);
    let keys = [
        ("LEMONSLICE_API_KEY", "avatar-key"),
        ("LEMONSLICE_AGENT_ID", "agent-1"),
    ];
    let deployed = bot.deploy(&keys);
    let world = drive("call_deployed.py", &["hosted_rtc", &deployed.address]);
    assert_eq!(classes(&world), ["DailySessionArguments"]);
    let room = &world["rooms"][0];
    assert_eq!(room["problem"], Value::Null, "{room}");
    // The room hears the bot from the avatar alone, which lends its lips to this track.
    assert_eq!(room["track"], "stream", "{room}");
    assert_voice(room, "the avatar");
    let sessions = "https://lemonslice.com/api/liveai/sessions";
    let asked = world["asked"].as_array().unwrap();
    let [first, last] = [asked.first().unwrap(), asked.last().unwrap()];
    assert_eq!(first["request"], format!("POST {sessions}"));
    assert_eq!(first["body"]["agent_id"], "agent-1");
    let properties = json!({"daily_url": room["room"], "daily_token": "service-token"});
    assert_eq!(first["body"]["properties"], properties);
    // What costs money ends with the session.
    assert_eq!(last["request"], format!("POST {sessions}/1/control"));
    assert_eq!(last["body"], json!({"event": "terminate"}));
}

#[test]
fn a_guest_in_a_livekit_room_is_answered() {
    let bot = Bot::over(&["livekit"], &[]);
    let variables = [
        ("PYTHONPATH", ELSEWHERE),
        ("STAND_IN", "livekit"),
        ("LIVEKIT_URL", "wss://livekit.example.com"),
        ("LIVEKIT_API_KEY", "livekit-key"),
        ("LIVEKIT_API_SECRET", "a secret of thirty-two characters"),
        ("LIVEKIT_ROOM_NAME", "room-1"),
    ];
    let (mut running, address) = bot.run(&["-t", "livekit"], &variables);
    let started = ask(&address, "POST /start", r#"{"transport": "livekit"}"#);
    let started: Value = serde_json::from_str(&started).unwrap();
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
    let bot = Bot::over(&["vonage"], &[]);
    let variables = [
        ("PYTHONPATH", ELSEWHERE),
        ("STAND_IN", "vonage"),
        ("VONAGE_APPLICATION_ID", "application-1"),
        ("VONAGE_SESSION_ID", "session-1"),
        ("VONAGE_TOKEN", "the token"),
    ];
    let seen = seen(&mut Running::start(
        &mut bot.runner(&["-t", "vonage"], &variables),
    ));
    for (name, expected) in [
        ("application", json!("application-1")),
        ("session", json!("session-1")),
        ("token", json!("the token")),
        ("publishes", json!([true, false])),
        ("hears", json!(true)),
    ] {
        assert_eq!(seen[name], expected, "{seen}");
    }
    assert_voice(&seen, "Vonage");
}

/// The folder with the stand-ins for the vendors' client libraries.
const ELSEWHERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/framework/elsewhere");

/// Returns what the stand-in recorded, once both the guest and the bot have left.
fn seen(running: &mut Running) -> Value {
    let line = running.line_with("STAND-IN ");
    let (_, document) = line.split_once("STAND-IN ").unwrap();
    serde_json::from_str(document).unwrap()
}

fn said(seen: &Value) -> String {
    let words = seen["said"].as_array().unwrap();
    words.iter().filter_map(Value::as_str).collect()
}

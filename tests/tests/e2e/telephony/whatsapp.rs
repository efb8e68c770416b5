//! Calls from `WhatsApp`, made over WebRTC by a stand-in for its API.

use serde_json::{Value, json};

use super::assert_recorded;
use crate::bot::{Bot, ask, assert_voice, classes, python_script, redirected};
use crate::running::Running;

/// The credentials that `stand_in_whatsapp.py` expects.
const KEYS: [(&str, &str); 4] = [
    ("WHATSAPP_TOKEN", "the token"),
    ("WHATSAPP_PHONE_NUMBER_ID", "100000000000001"),
    ("WHATSAPP_APP_SECRET", "the app's secret"),
    ("WHATSAPP_WEBHOOK_VERIFICATION_TOKEN", "the verify token"),
];

#[test]
fn a_call_from_whatsapp_is_greeted_once_and_recorded() {
    let (_whatsapp, api) = stand_in();
    let mut bot = Bot::over(&["whatsapp"], &["--recording"]);
    let variables = [&KEYS[..], &redirected("STAND_IN_WHATSAPP", &api)].concat();
    let (mut running, address) = bot.run(&["-t", "webrtc", "--whatsapp"], &variables);
    call(&api, &address, "");
    running.line_with("The user has gone");
    assert_recorded(&bot, running);

    // The connection may be told of twice, the caller is greeted once.
    ask(&bot.models_address, "POST /marker", "");
    bot.models.line_with("/marker");
    let asked = bot.models.log();
    assert_eq!(
        asked.matches("POST /v1/chat/completions").count(),
        1,
        "{asked}"
    );
}

/// The hosting service verifies the webhook itself.
#[test]
fn a_caller_on_whatsapp_is_greeted_and_known_to_a_deployed_bot() {
    let (_whatsapp, api) = stand_in();
    let bot = Bot::over(&["whatsapp"], &[]);
    let deployed = bot.deploy(&[&KEYS[..], &[("STAND_IN_WHATSAPP", &api)]].concat());
    call(&api, &deployed.address, "&verify=pk_stand_in");
    assert_eq!(classes(&deployed.ended(1)), ["SmallWebRTCSessionArguments"]);
}

fn stand_in() -> (Running, String) {
    let mut whatsapp = Running::start(&mut python_script("stand_in_whatsapp.py"));
    let api = whatsapp.line_with("http://");
    (whatsapp, api)
}

/// Makes a call and asserts that the caller is greeted. Also asserts that a forged call is rejected.
fn call(api: &str, bot: &str, further: &str) {
    let said = ask(api, &format!("POST /call?bot={bot}{further}"), "");
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_voice(&said["heard"], "WhatsApp");
    assert_eq!(said["proof"], json!([200, "4711"]), "{said}");
    assert_eq!(said["wrong proof"][0], 403, "{said}");
    assert_ne!(said["forged"], 200, "{said}");
    assert_eq!(said["asked by a forger"], 0, "{said}");
    assert_eq!([&said["ringing"], &said["over"]], [200, 200], "{said}");
    let asked = said["asked"].as_array().unwrap();
    let actions: Vec<&Value> = asked.iter().map(|one| &one["action"]).collect();
    assert_eq!(actions, ["pre_accept", "accept"], "{said}");
    for one in asked {
        assert_eq!(
            [&one["key"], &one["to"]],
            ["Bearer the token", "15550100123"],
            "{said}"
        );
    }
}

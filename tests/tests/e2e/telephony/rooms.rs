//! Calls in rooms: the generated web server is driven over HTTP, and the generated bot gets what the server would start it
//! with. Daily, Twilio and the bot's runner are stand-ins on loopback.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Bot, python, python_script, script, text};

#[test]
fn daily_dials_in_and_only_daily() {
    assert_calls("hosted_rtc_pstn_dialin");
}

#[test]
fn the_bot_calls_whom_the_holder_of_the_key_names() {
    assert_calls("hosted_rtc_pstn_dialout");
}

#[test]
fn twilio_hands_a_caller_over_and_only_twilio() {
    assert_calls("carrier_a_hosted_rtc_sip_dialin");
}

#[test]
fn twilio_rings_whom_the_holder_of_the_key_names_and_nobody_else() {
    assert_calls("carrier_a_hosted_rtc_sip_dialout");
}

/// The bot does what `rooms.json` says for each way to start it. A member that it leaves out is as in a session with a browser, whose
/// client says when it is ready for the greeting.
fn assert_calls(transport: &str) {
    let expected: Value = serde_json::from_str(include_str!("rooms.json")).unwrap();
    let mut taken = calls(transport);
    for (start, expected) in expected[transport].as_object().unwrap() {
        let mut whole = json!({
            "rates": [16000, 24000],
            "greetings": {"on_joined": 0, "on_dialin_ready": 0, "on_participant_joined": 0, "on_dialout_answered": 0},
            "dialled": [], "redirected": [], "asked": [], "ended": 0, "ends": ["on_participant_left"],
        });
        for (name, value) in expected.as_object().unwrap() {
            match value.as_object() {
                Some(members) => (whole[name].as_object_mut().unwrap()).extend(members.clone()),
                None => whole[name] = value.clone(),
            }
        }
        let taken = taken[start].as_object_mut().unwrap();
        for name in ["room", "token"] {
            taken.remove(name).unwrap();
        }
        // An address of Twilio's is another each time.
        if let Some(dialled) = taken["dialled"].get_mut(0).and_then(Value::as_object_mut) {
            dialled.remove("sipUri");
        }
        assert_eq!(json!(taken), whole, "{start}");
    }
}

/// Drives the server of a bot with this transport, and then the bot; what the bot did for each way to start it.
fn calls(transport: &str) -> Value {
    let bot = Bot::new(&[transport]);
    let driven = python_script("drive_call_server.py")
        .arg(transport)
        .arg(&bot.server)
        .output()
        .unwrap();
    assert!(driven.status.success(), "{}", text(&driven));

    let mut command: Command = python().command("python");
    let mut child = command
        .arg(script("take_call.py"))
        .arg(&bot.server)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&driven.stdout)
        .unwrap();
    let took = child.wait_with_output().unwrap();
    assert!(took.status.success(), "{}", text(&took));
    let taken: Value = serde_json::from_slice(&took.stdout).unwrap();

    let body: Value = serde_json::from_slice(&driven.stdout).unwrap();
    assert_eq!(taken["announced"]["room"], body["room_url"]);
    assert_eq!(taken["announced"]["token"], body["token"]);
    taken
}

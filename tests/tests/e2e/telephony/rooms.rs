//! Calls in rooms: the generated web server is driven over HTTP, and the generated bot gets what the server would start it
//! with. Daily, Twilio and the bot's runner are stand-ins on loopback.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Bot, python, python_script, script, text};

#[test]
fn daily_dials_in_and_only_daily() {
    let mut taken = calls("hosted_rtc_pstn_dialin");
    // Daily is told where the bot waits, and the caller is greeted as soon as they are in the room.
    let told = |key: &str| {
        json!([["/v1/dialin/pinlessCallUpdate", format!("Bearer {key}"), {
            "callId": "call-1", "callDomain": "domain-1", "sipUri": "sip:line@sip.example.com",
        }]])
    };
    for (start, asked) in [
        ("announced", told("the DAILY_API_KEY")),
        ("hosted", told("another key")),
    ] {
        expect(
            &mut taken[start],
            &json!({
                "rates": [16000, 24000],
                "greetings": {"on_joined": 0, "on_dialin_ready": 0, "on_participant_joined": 1, "on_dialout_answered": 1},
                "dialled": [],
                "redirected": [],
                "asked": asked,
                "ended": 0,
                "ends": ["on_dialin_error", "on_participant_left"],
            }),
        );
    }
    expect_no_call(&mut taken["nobody"]);
}

#[test]
fn the_bot_calls_whom_the_holder_of_the_key_names() {
    let mut taken = calls("hosted_rtc_pstn_dialout");
    expect_dialout(
        &mut taken,
        &json!({"phoneNumber": "+15550100123", "callerId": "caller-1"}),
    );
}

#[test]
fn twilio_hands_a_caller_over_and_only_twilio() {
    let mut taken = calls("carrier_a_hosted_rtc_sip_dialin");
    let url = format!(
        "https://api.twilio.com/2010-04-01/Accounts/the TWILIO_ACCOUNT_SID/Calls/CA{}.json",
        "0".repeat(32)
    );
    let document = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\
        <Response><Dial><Sip>sip:line@sip.example.com</Sip></Dial></Response>";
    expect(
        &mut taken["announced"],
        &json!({
            "rates": [16000, 24000],
            "greetings": {"on_joined": 0, "on_dialin_ready": 0, "on_participant_joined": 1, "on_dialout_answered": 1},
            "dialled": [],
            "redirected": [{
                "method": "POST",
                "url": url,
                "auth": ["the TWILIO_ACCOUNT_SID", "the TWILIO_AUTH_TOKEN"],
                "data": {"Twiml": document},
            }],
            "asked": [],
            "ended": 0,
            // The second line that became ready could not be given to Twilio.
            "ends": ["on_dialin_error", "on_dialin_ready", "on_participant_left"],
        }),
    );
    for start in ["hosted", "elsewhere", "nobody"] {
        expect_no_call(&mut taken[start]);
    }
}

#[test]
fn twilio_rings_whom_the_holder_of_the_key_names_and_nobody_else() {
    let mut taken = calls("carrier_a_hosted_rtc_sip_dialout");
    let settings = taken["announced"]["dialled"][0].clone();
    assert_eq!(settings["displayName"], "+15550100123", "{settings}");
    expect_dialout(&mut taken, &settings);
}

/// The bot calls once, from the room that its server made and from no other, and greets who answers.
fn expect_dialout(taken: &mut Value, settings: &Value) {
    expect(
        &mut taken["announced"],
        &json!({
            "rates": [16000, 24000],
            "greetings": {"on_joined": 0, "on_dialin_ready": 0, "on_participant_joined": 0, "on_dialout_answered": 1},
            "dialled": [settings],
            "redirected": [],
            "asked": [],
            "ended": 0,
            "ends": ["on_dialout_error", "on_dialout_stopped", "on_participant_left", "dial-out refused"],
        }),
    );
    for start in ["hosted", "elsewhere", "nobody"] {
        expect_no_call(&mut taken[start]);
    }
}

/// A session with a browser: its client says when it is ready for the greeting.
fn expect_no_call(taken: &mut Value) {
    expect(
        taken,
        &json!({
            "rates": [16000, 24000],
            "greetings": {"on_joined": 0, "on_dialin_ready": 0, "on_participant_joined": 0, "on_dialout_answered": 0},
            "dialled": [],
            "redirected": [],
            "asked": [],
            "ended": 0,
            "ends": ["on_participant_left"],
        }),
    );
}

fn expect(taken: &mut Value, expected: &Value) {
    for name in ["room", "token"] {
        taken.as_object_mut().unwrap().remove(name).unwrap();
    }
    assert_eq!(taken, expected);
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

//! Calls in rooms. `rooms.json` lists what a bot does for each transport and each way to start the bot: through the generated web server,
//! driven over HTTP, or through the hosting service. Daily, Twilio and the hosting service are stand-ins.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::bot::{Bot, assert_voice, drive, python_script, succeeds, text};

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

fn assert_calls(transport: &str) {
    let expected: Value = serde_json::from_str(include_str!("rooms.json")).unwrap();
    let bot = Bot::over(&[transport], &[]);
    let mut taken = taken(&bot, transport);
    for way in ["refused at once", "refused later"] {
        if let Some(seen) = taken.get(way) {
            let expected = json!({"dialled": 3, "ended": 1, "greetings": 0});
            assert_eq!(seen, &expected, "{way}");
        }
    }
    for (start, expected) in expected[transport]["taken"].as_object().unwrap() {
        assert_taken(&mut taken[start], expected);
    }
    let deployed = bot.deploy(&[]);
    let folder = bot.server.to_str().unwrap();
    for row in expected[transport]["deployed"].as_array().unwrap() {
        let mut words = vec![transport, &deployed.address, "--folder", folder];
        words.extend(row["options"].as_str().unwrap().split_whitespace());
        let world = drive("call_deployed.py", &words);
        let last = |name: &str| world[name].as_array().unwrap().last();
        let (session, room) = (last("sessions").unwrap(), last("rooms").unwrap());
        let rooms = world["rooms"].as_array().unwrap().iter();
        let called = rooms.filter_map(|room| room["dialled"].as_array());
        let mut seen = json!({
            "class": session["arguments"], "problem": session["problem"],
            "dialled": room["dialled"], "asked": last("asked"), "called": called.flatten().count(),
        });
        hide_drawn_part(&mut seen["dialled"]);
        for (name, expected) in row["seen"].as_object().unwrap() {
            assert_eq!(&seen[name], expected, "{world}");
        }
        if row["seen"]["problem"].is_null() {
            assert_eq!(
                [&seen["problem"], &room["problem"]],
                [&Value::Null; 2],
                "{world}"
            );
            assert_voice(room, transport);
        }
    }
}

/// Compares a bot's actions with `expected`. Members missing from `expected` must be as in a browser session, in which the client says when
/// it is ready for the greeting.
fn assert_taken(taken: &mut Value, expected: &Value) {
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
    for name in ["room", "token"] {
        taken.as_object_mut().unwrap().remove(name).unwrap();
    }
    hide_drawn_part(&mut taken["dialled"]);
    assert_eq!(*taken, whole);
}

/// Masks the random part of a Twilio SIP address.
fn hide_drawn_part(dialled: &mut Value) {
    if let Some(Value::String(address)) = dialled.pointer_mut("/0/sipUri") {
        let drawn = address.find('-').unwrap() + 1..address.find('@').unwrap();
        assert!(drawn.len() > 8, "{address}");
        address.replace_range(drawn, "*");
    }
}

/// Drives a bot's server, then starts the bot as the server would. Returns what the bot did for each way to start the bot.
fn taken(bot: &Bot, transport: &str) -> Value {
    let mut drive = python_script("drive_call_server.py");
    let body = succeeds(drive.arg(transport).arg(&bot.server)).stdout;
    let mut child = python_script("take_call.py")
        .arg(&bot.server)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&body).unwrap();
    let took = child.wait_with_output().unwrap();
    assert!(took.status.success(), "{}", text(&took));
    let taken: Value = serde_json::from_slice(&took.stdout).unwrap();

    let body: Value = serde_json::from_slice(&body).unwrap();
    let announced = &taken["announced"];
    assert_eq!(
        [&announced["room"], &announced["token"]],
        [&body["room_url"], &body["token"]]
    );
    taken
}

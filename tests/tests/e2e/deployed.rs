//! Generated bots as the hosting service runs them: from the files of their image, in a program of the shape of the
//! image's own, with its session classes. Rooms, carriers and REST APIs are stand-ins, to which an untouched bot is redirected.

mod elsewhere;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::thread;

use bot_cli_tests::patience::wait_until;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::conversation::running::Running;
use crate::conversation::text;
use crate::framework::tools::{
    ANSWERS, OPENAI, evaluate, made, models, python, python_script, script,
};
use crate::telephony::whatsapp::{ask, post};

/// The pitch of the voice that `stand_in_openai.py` speaks with, in hertz.
const VOICE: f64 = 220.0;

#[test]
fn one_bot_serves_every_transport_and_evals_one_after_the_other() {
    let bot = Bot::new(
        &[
            "carrier_a",
            "carrier_b",
            "carrier_c",
            "carrier_d",
            "websocket",
            "p2p_webrtc",
            "hosted_rtc",
            // Stays behind, and is in no other's way.
            "livekit",
        ],
        &["--eval"],
    );
    let deployed = bot.deploy();
    for carrier in ["twilio", "telnyx", "plivo", "exotel"] {
        let heard = deployed.drive("stand_in_carrier.py", &[carrier], &["--deployed"]);
        assert_voice(&heard, carrier);
    }
    for way in ["websocket", "webrtc"] {
        let said = deployed.drive("talk_to_deployed.py", &[way], &[]);
        assert_eq!(said["greeting"], "Hello, how can I help you?", "{way}");
        assert_eq!(said["answer"], "It is Paris.", "{way}");
    }
    deployed.evaluate();
    let world = deployed.drive("call_deployed.py", &["hosted_rtc"], &[]);
    let room = &world["rooms"][0];
    assert_eq!(room["problem"], Value::Null, "{room}");
    assert_eq!(
        room["said"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect::<String>(),
        "Hello, how can I help you? It is Paris. "
    );
    assert_voice(room, "a room");
    assert_eq!(
        classes(&world),
        [
            vec!["WebSocketSessionArguments"; 5],
            vec![
                "SmallWebRTCSessionArguments",
                "WebSocketSessionArguments",
                "DailySessionArguments"
            ],
        ]
        .concat()
    );
}

/// Nobody speaks, so the bot gives up; then the carrier must not leave the caller on the line.
#[test]
fn a_call_that_the_bot_ends_ends_at_the_carrier() {
    let bot = Bot::new(&["carrier_a", "carrier_b", "carrier_c", "carrier_d"], &[]);
    let deployed = bot.deploy_with(&[("IDLE_SECONDS", "3")]);
    thread::scope(|calls| {
        for carrier in ["twilio", "telnyx", "plivo", "exotel"] {
            let address = &deployed.address;
            calls.spawn(move || {
                drive(
                    address,
                    "stand_in_carrier.py",
                    &[carrier],
                    &["--deployed", "--stays"],
                )
            });
        }
    });
    let world = deployed.ended(4);
    let asked: BTreeSet<String> = world["asked"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            format!(
                "{} {} {}",
                one["request"], one["authorization"], one["body"]
            )
        })
        .collect();
    // `AC0:any`, `any` and `any:any`: the keys that the bot was given. Exotel has no such request: what comes after its applet
    // ends the call.
    let expected = [
        r#""DELETE https://api.plivo.com/v1/Account/any/Call/call-0/" "Basic YW55OmFueQ==" null"#,
        r#""POST https://api.telnyx.com/v2/calls/v3:0/actions/hangup" "Bearer any" null"#,
        r#""POST https://api.twilio.com/2010-04-01/Accounts/AC0/Calls/CA0.json" "Basic QUMwOmFueQ==" {"Status":"completed"}"#,
    ];
    assert_eq!(asked, expected.map(str::to_owned).into(), "{world}");
}

#[test]
fn a_caller_through_daily_is_taken_over_and_greeted() {
    let bot = Bot::new(&["hosted_rtc_pstn_dialin"], &[]);
    let deployed = bot.deploy();
    for (brought_by, class, key) in [
        ("server.py", "PipecatSessionArguments", "bot-daily-key"),
        ("--service", "DailySessionArguments", "service-key"),
    ] {
        let (session, room, asked) = deployed.call("hosted_rtc_pstn_dialin", &bot, brought_by);
        assert_eq!(session, class);
        assert_voice(&room, brought_by);
        let told = asked.last().unwrap();
        assert_eq!(
            told,
            &json!({
                "request": "POST https://api.daily.co/v1/dialin/pinlessCallUpdate",
                "authorization": format!("Bearer {key}"),
                "body": {"callId": "call-1", "callDomain": "domain-1", "sipUri": "room@sip.example.com"},
            })
        );
    }
}

#[test]
fn the_bot_calls_a_number_through_daily() {
    let bot = Bot::new(&["hosted_rtc_pstn_dialout"], &[]);
    let deployed = bot.deploy();
    for (asked_by, class, dialled) in [
        (
            "server.py",
            "PipecatSessionArguments",
            json!([{"phoneNumber": "+15550100123", "callerId": "caller-1"}]),
        ),
        // As the hosting service documents it: one in a list.
        (
            "--service",
            "DailySessionArguments",
            json!([{"phoneNumber": "+15550100123"}]),
        ),
    ] {
        let (session, room, _) = deployed.call("hosted_rtc_pstn_dialout", &bot, asked_by);
        assert_eq!(session, class);
        assert_eq!(room["dialled"], dialled);
        assert_voice(&room, asked_by);
    }
    // The service's list may have more entries. Who reads the log learns what to do.
    let several = ["hosted_rtc_pstn_dialout", "--service"];
    let world = deployed.drive("call_deployed.py", &several, &["--numbers", "2"]);
    assert_eq!(
        world["sessions"].as_array().unwrap().last().unwrap()["problem"],
        "ValueError: `dialout_settings` has 2 entries, and a session calls one number: \
         nobody was called. Start a session for each entry."
    );
    let rooms = world["rooms"].as_array().unwrap();
    let dialled = rooms.iter().filter_map(|room| room["dialled"].as_array());
    assert_eq!(dialled.map(Vec::len).sum::<usize>(), 2, "{rooms:?}");
}

#[test]
fn a_caller_through_twilio_is_taken_over_and_greeted() {
    let bot = Bot::new(&["carrier_a_hosted_rtc_sip_dialin"], &[]);
    let deployed = bot.deploy();
    let transport = "carrier_a_hosted_rtc_sip_dialin";
    let (session, room, asked) = deployed.call(transport, &bot, "server.py");
    assert_eq!(session, "PipecatSessionArguments");
    assert_voice(&room, "Twilio");
    let told = asked.last().unwrap();
    let document = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\
        <Response><Dial><Sip>sip:room@sip.example.com</Sip></Dial></Response>";
    assert_eq!(told["body"], json!({"Twiml": document}));
    assert_eq!(
        told["request"],
        format!(
            "POST https://api.twilio.com/2010-04-01/Accounts/AC0/Calls/CA{}.json",
            "0".repeat(32)
        )
    );
}

#[test]
fn the_bot_calls_a_number_through_twilio() {
    let bot = Bot::new(&["carrier_a_hosted_rtc_sip_dialout"], &[]);
    let deployed = bot.deploy();
    let transport = "carrier_a_hosted_rtc_sip_dialout";
    let (session, room, _) = deployed.call(transport, &bot, "server.py");
    assert_eq!(session, "PipecatSessionArguments");
    let address = room["dialled"][0]["sipUri"].as_str().unwrap_or_default();
    assert!(address.starts_with("sip:15550100123-"), "{room}");
    assert!(address.ends_with("@example.sip.twilio.com"), "{room}");
    assert_voice(&room, "Twilio");
}

#[test]
fn a_caller_on_whatsapp_is_greeted_and_known() {
    let mut whatsapp = Running::start(&mut python_script("stand_in_whatsapp.py"));
    let api = whatsapp.line_with("http://");
    let bot = Bot::new(&["whatsapp"], &[]);
    let deployed = bot.deploy_with(&[
        ("STAND_IN_WHATSAPP", &api),
        ("WHATSAPP_TOKEN", "the token"),
        ("WHATSAPP_PHONE_NUMBER_ID", "100000000000001"),
        ("WHATSAPP_APP_SECRET", "the app's secret"),
        ("WHATSAPP_WEBHOOK_VERIFICATION_TOKEN", "unused"),
    ]);
    let asked = format!("/call?bot={}&verify=pk_stand_in", deployed.address);
    let said: Value = serde_json::from_str(&post(&api, &asked)).unwrap();
    assert_eq!(said["proof"], json!([200, "4711"]), "{said}");
    assert_eq!(said["wrong proof"][0], 403, "{said}");
    assert_eq!(said["forged"], 500, "{said}");
    assert_eq!(said["asked by a forger"], 0, "{said}");
    assert_eq!([&said["ringing"], &said["over"]], [200, 200], "{said}");
    assert_voice(&said["heard"], "WhatsApp");
    let world = deployed.ended(1);
    assert_eq!(classes(&world), ["SmallWebRTCSessionArguments"]);
}

#[test]
fn a_client_meets_the_bot_at_the_relay() {
    let bot = Bot::new(&["moq"], &[]);
    let deployed = bot.deploy();
    let heard = deployed.drive("talk_over_moq.py", &[], &["--deployed"]);
    let said = heard["said"].as_str().unwrap();
    assert!(said.contains("It is Paris."), "{heard}");
    assert_voice(&heard["heard"], "the relay");
    let world = deployed.ended(1);
    assert_eq!(classes(&world), ["MOQSessionArguments"]);
}

#[test]
fn an_avatar_speaks_for_the_bot() {
    let bot = Bot::new(&["lemonslice", "p2p_webrtc"], &[]);
    let deployed = bot.deploy_with(&[
        ("LEMONSLICE_API_KEY", "avatar-key"),
        ("LEMONSLICE_AGENT_ID", "agent-1"),
    ]);
    let world = deployed.drive("call_deployed.py", &["hosted_rtc"], &[]);
    assert_eq!(classes(&world), ["DailySessionArguments"]);
    let room = &world["rooms"][0];
    assert_eq!(room["problem"], Value::Null, "{room}");
    // The room hears the bot from the avatar alone, which lends its lips to this track.
    assert_eq!(room["track"], "stream", "{room}");
    assert_voice(room, "the avatar");
    let asked: Vec<[&Value; 2]> = world["asked"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| [&one["request"], &one["body"]])
        .collect();
    let sessions = "https://lemonslice.com/api/liveai/sessions";
    assert_eq!(asked[0][0], &format!("POST {sessions}"));
    assert_eq!(asked[0][1]["agent_id"], "agent-1");
    assert_eq!(
        asked[0][1]["properties"],
        json!({"daily_url": room["room"], "daily_token": "service-token"})
    );
    // What costs money ends with the session.
    assert_eq!(
        asked.last().unwrap(),
        &[
            &json!(format!("POST {sessions}/1/control")),
            &json!({"event": "terminate"})
        ]
    );
}

/// The bot was heard, at the pitch at which it speaks.
fn assert_voice(heard: &Value, who: &str) {
    assert!(
        heard["seconds"].as_f64().unwrap_or_default() > 0.3,
        "{who}: {heard}"
    );
    let hertz = heard["hertz"].as_f64().unwrap_or_default();
    // A third of a second, with what a loaded machine drops of it, is no exact pitch.
    assert!((hertz - VOICE).abs() < 15.0, "{who}: {heard}");
}

/// The classes of the sessions that have been, none of which had a problem.
fn classes(world: &Value) -> Vec<&str> {
    let sessions = world["sessions"].as_array().unwrap();
    for session in sessions {
        assert_eq!(session["problem"], Value::Null, "{session}");
    }
    sessions
        .iter()
        .filter_map(|session| session["arguments"].as_str())
        .collect()
}

/// A generated project.
struct Bot {
    _folder: TempDir,
    server: PathBuf,
}

impl Bot {
    fn new(transports: &[&str], more: &[&str]) -> Self {
        let transports = transports.iter().flat_map(|name| ["--transport", name]);
        let options = OPENAI
            .into_iter()
            .chain(transports)
            .chain(more.iter().copied());
        let (folder, server) = made(&options.collect::<Vec<_>>());
        Self {
            _folder: folder,
            server,
        }
    }

    /// Returns the image, started with what its secret set would hold.
    fn deploy(&self) -> Deployed<'_> {
        self.deploy_with(&[])
    }

    /// The same, with these in the secret set, too.
    fn deploy_with(&self, more: &[(&str, &str)]) -> Deployed<'_> {
        let (model, model_address) = models(&ANSWERS);
        let mut command = python().command("python");
        command
            .arg(script("deployed_app.py"))
            .arg(&self.server)
            .env("OPENAI_API_KEY", "any")
            .env("OPENAI_BASE_URL", format!("{model_address}/v1"));
        for (name, value) in [
            ("DAILY_API_KEY", "bot-daily-key"),
            ("TWILIO_ACCOUNT_SID", "AC0"),
            ("TWILIO_AUTH_TOKEN", "any"),
            ("TELNYX_API_KEY", "any"),
            ("PLIVO_AUTH_ID", "any"),
            ("PLIVO_AUTH_TOKEN", "any"),
        ]
        .iter()
        .chain(more)
        {
            command.env(name, value);
        }
        let mut app = Running::start(&mut command);
        let address = app.line_with("http://127.0.0.1");
        Deployed {
            bot: self,
            address,
            _app: app,
            _model: model,
        }
    }
}

/// A bot on the hosting service; it is ended before its model.
struct Deployed<'b> {
    bot: &'b Bot,
    address: String,
    _app: Running,
    _model: Running,
}

impl Deployed<'_> {
    /// Returns what one of the scripts prints that are given the address.
    fn drive(&self, name: &str, before: &[&str], after: &[&str]) -> Value {
        drive(&self.address, name, before, after)
    }

    /// A call that `server.py` or the hosting service brings: the session's class, its room, and what REST APIs were asked.
    fn call(&self, transport: &str, bot: &Bot, brought_by: &str) -> (String, Value, Vec<Value>) {
        let folder = bot.server.to_str().unwrap();
        let after: &[&str] = if brought_by == "--service" {
            &["--service"]
        } else {
            &[]
        };
        let after = [&["--folder", folder], after].concat();
        let mut world = self.drive("call_deployed.py", &[transport], &after);
        let session = (*classes(&world).last().unwrap()).to_owned();
        let room = world["rooms"].as_array_mut().unwrap().pop().unwrap();
        assert_eq!(room["problem"], Value::Null, "{room}");
        let asked = world["asked"].as_array().unwrap().clone();
        (session, room, asked)
    }

    /// Returns what happened, once this many sessions are over.
    fn ended(&self, count: usize) -> Value {
        let world =
            || serde_json::from_str::<Value>(&ask(&self.address, "GET /world", "")).unwrap();
        wait_until("the sessions to be over", || {
            let world = world();
            let sessions = world["sessions"].as_array().unwrap();
            sessions.len() == count && sessions.iter().all(|one| one["over"] == true)
        });
        world()
    }

    /// The starter scenario passes, as it does on a developer's machine.
    fn evaluate(&self) {
        let folder = tempfile::tempdir().unwrap();
        let url = self.address.replacen("http", "ws", 1) + "/ws";
        let scenario = self.bot.server.join("evals/text.yaml");
        let output = evaluate(&scenario, &url, folder.path());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    }
}

/// What one of the scripts prints that are given the address.
fn drive(address: &str, name: &str, before: &[&str], after: &[&str]) -> Value {
    let output = python()
        .command("python")
        .arg(script(name))
        .args(before)
        .arg(address)
        .args(after)
        .output()
        .unwrap();
    let succeeded = output.status.success();
    assert!(succeeded, "{name} {before:?}: {}", text(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

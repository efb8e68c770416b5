//! Calls in which the bot acts: it is told who calls, looks something up, and transfers or ends the call. Carriers, rooms and their REST APIs
//! are stand-ins.

use serde_json::{Value, json};

use crate::bot::{Bot, OPENAI, assert_voice, drive};

/// Where transfers go.
const PERSON: [(&str, &str); 2] = [
    ("TRANSFER_NUMBER", "+15550199"),
    ("PLIVO_TRANSFER_URL", "https://example.com/transfer.xml"),
];

/// What the model is told of calls.
const CALLER: &str = r#"{"from": "+15550100", "to": "+15550101"}"#;
const CALLER_WITH_DATA: &str =
    r#"{"from": "+15550100", "to": "+15550101", "data": {"order": "A-1042"}}"#;
const DATA: &str = r#"{"data": {"order": "A-1042"}}"#;
const CALLEE: &str = r#"{"to": "+15550100123", "data": {"name": "Ada"}}"#;

#[test]
fn a_call_through_twilio_is_transferred_and_ended() {
    let asks = "GET https://api.twilio.com/2010-04-01/Accounts/AC0/Calls/CA0.json";
    let changes = asks.replacen("GET", "POST", 1);
    let document = "<Response><Dial><Number>+15550199</Number></Dial></Response>";
    let [transferred, ended] = [json!({"Twiml": document}), json!({"Status": "completed"})];
    let requests = |change| {
        json!([
            [asks, "Basic QUMwOmFueQ==", null],
            [changes, "Basic QUMwOmFueQ==", change],
        ])
    };
    let twilio = Line("carrier_a", "twilio", CALLER_WITH_DATA);
    twilio.assert_asked("transfer_call", &requests(transferred));
    twilio.assert_asked("end_call", &requests(ended));
}

#[test]
fn a_call_through_telnyx_is_transferred_and_ended() {
    let document = "<Response><Dial><Number>+15550199</Number></Dial></Response>";
    let update = "POST https://api.telnyx.com/v2/texml/calls/v3:0/update";
    let hang_up = "POST https://api.telnyx.com/v2/calls/v3:0/actions/hangup";
    let telnyx = Line("carrier_b", "telnyx", CALLER_WITH_DATA);
    let transferred = json!([[update, "Bearer any", {"Texml": document}]]);
    telnyx.assert_asked("transfer_call", &transferred);
    telnyx.assert_asked("end_call", &json!([[hang_up, "Bearer any", null]]));
}

#[test]
fn a_call_through_plivo_is_transferred_and_ended() {
    let [update, hang_up] = ["POST", "DELETE"]
        .map(|method| format!("{method} https://api.plivo.com/v1/Account/any/Call/call-0/"));
    let legs = json!({"legs": "aleg", "aleg_url": PERSON[1].1, "aleg_method": "GET"});
    let plivo = Line("carrier_c", "plivo", DATA);
    plivo.assert_asked(
        "transfer_call",
        &json!([[update, "Basic YW55OmFueQ==", legs]]),
    );
    plivo.assert_asked("end_call", &json!([[hang_up, "Basic YW55OmFueQ==", null]]));
}

/// Exotel has no requests: the model is offered no transfer, and the flow goes on when the stream ends.
#[test]
fn a_call_through_exotel_is_ended() {
    let exotel = Line("carrier_d", "exotel", CALLER);
    exotel.assert_asked("end_call", &json!([]));
    let tools = std::fs::read_to_string(exotel.bot("end_call").server.join("tools.py")).unwrap();
    assert!(!tools.contains("transfer_call"));
}

/// The caller hangs up.
#[test]
fn a_conversation_goes_on_where_nobody_can_be_reached() {
    let twilio = Line("carrier_a", "twilio", CALLER_WITH_DATA);
    let bot = twilio.bot("transfer_call");
    let deployed = bot.deploy(&[]);
    let words = ["twilio", &*deployed.address, "--deployed"];
    assert_voice(&drive("stand_in_carrier.py", &words), "the bot");
    let world = deployed.ended(1);
    assert_eq!(world["asked"].as_array().unwrap().len(), 1, "{world}");
    assert_eq!(world["sessions"][0]["problem"], Value::Null, "{world}");
}

#[test]
fn a_caller_in_a_room_is_transferred() {
    let room = |transport: &str, told: &str| {
        let world = called(
            &acting(transport, told, "transfer_call", &[]),
            transport,
            &[],
        );
        world["rooms"][0]["transferred"].clone()
    };
    let settings = |session: &str| json!({"toEndPoint": "+15550199", "sessionId": session});
    assert_eq!(room("hosted_rtc_pstn_dialin", CALLER), settings("dialin-1"));
    assert_eq!(
        room("hosted_rtc_pstn_dialout", CALLEE),
        settings("dialout-1")
    );
    let endpoint = room("carrier_a_hosted_rtc_sip_dialout", CALLEE)["toEndPoint"].clone();
    let endpoint = endpoint.as_str().unwrap();
    assert!(endpoint.starts_with("sip:15550199-"), "{endpoint}");
    assert!(endpoint.ends_with("@example.sip.twilio.com"), "{endpoint}");
}

#[test]
fn a_caller_whom_twilio_brought_to_a_room_is_transferred() {
    let transport = "carrier_a_hosted_rtc_sip_dialin";
    let world = called(
        &acting(transport, CALLER, "transfer_call", &[]),
        transport,
        &[],
    );
    let last = world["asked"].as_array().unwrap().last().unwrap();
    let document = r#"<?xml version="1.0" encoding="UTF-8"?><Response><Dial><Number>+15550199</Number></Dial></Response>"#;
    assert_eq!(last["body"]["Twiml"], document, "{world}");
}

#[test]
fn a_caller_in_a_room_whose_transfer_fails_is_told_and_not_asked_before() {
    for (transport, told) in [
        ("hosted_rtc_pstn_dialin", CALLER),
        ("hosted_rtc_pstn_dialout", CALLEE),
    ] {
        let mut bot = acting(transport, told, "transfer_call", &[]);
        bot.set("SILENCE_SECS", "2");
        let world = called(&bot, transport, &[("TRANSFER_FAILS", "1")]);
        let spoken = bot.models.read();
        let told = spoken.split_once("Sorry, I could not put you through.");
        let (before, _) = told.unwrap_or_else(|| panic!("{world}: {spoken}"));
        assert!(!before.contains("Are you still there?"), "{spoken}");
    }
}

#[test]
fn keys_that_a_caller_in_a_room_presses_reach_the_model() {
    let transport = "hosted_rtc_pstn_dialin";
    let options = [&OPENAI[..], &["--transport", transport]].concat();
    let mut bot = Bot::new(&options, &["--say", "telephone: 12#=Order twelve."]);
    called(&bot, transport, &[("PRESSES", "12#")]);
    let spoken = bot.models.read();
    assert!(spoken.contains("\"input\":\"Order twelve."), "{spoken}");
}

#[test]
fn a_machine_that_answers_hears_a_message_and_a_person_also_a_silent_one_the_greeting() {
    let transport = "hosted_rtc_pstn_dialout";
    let mut bot = acting(transport, CALLEE, "current_time", &["--voicemail"]);
    for (says, machine) in [
        ("Hello?", false),
        ("", false),
        ("Leave a message after the tone.", true),
    ] {
        let world = called(&bot, transport, &[("MACHINE_SAYS", says)]);
        let room = &world["rooms"][0];
        assert_eq!(room["problem"], Value::Null, "{world}");
        assert_voice(room, says);
        let spoken = bot.models.read();
        let message =
            "\"input\":\"Hello, this is an assistant. I will try to reach you again later.";
        assert_eq!(spoken.contains(message), machine, "{spoken}");
    }
}

/// The model's answer is its verdict, because it hears the same words.
#[test]
fn a_person_who_speaks_into_the_message_for_a_machine_is_answered() {
    let transport = "hosted_rtc_pstn_dialout";
    let mut bot = acting(transport, CALLEE, "current_time", &["--voicemail"]);
    let says = [
        ("MACHINE_SAYS", "Leave a message after the tone."),
        ("PERSON_SAYS", "Hello?"),
    ];
    let world = called(&bot, transport, &says);
    assert_eq!(world["rooms"][0]["problem"], Value::Null, "{world}");
    let spoken = bot.models.read();
    let (_, after) = spoken
        .split_once("\"input\":\"Hello, this is an assistant.")
        .unwrap();
    assert!(after.contains("\"stream\":true"), "{spoken}");
    assert!(
        !after.contains("\"input\":\"Hello, this is an assistant."),
        "{spoken}"
    );
}

/// A transport whose calls a carrier streams, the carrier, and what the model is told when a call begins.
struct Line(&'static str, &'static str, &'static str);

impl Line {
    fn bot(&self, tool: &str) -> Bot {
        acting(self.0, self.2, tool, &[])
    }

    /// Asserts that a call in which the model calls `tool` leads to these requests to the carrier, and to no others.
    fn assert_asked(&self, tool: &str, expected: &Value) {
        let bot = self.bot(tool);
        let deployed = bot.deploy(&PERSON);
        let words = [self.1, &*deployed.address, "--deployed", "--stays"];
        assert_voice(&drive("stand_in_carrier.py", &words), self.1);
        let world = deployed.ended(1);
        let asked = world["asked"].as_array().unwrap().iter();
        let asked: Value = asked
            .map(|it| json!([it["request"], it["authorization"], it["body"]]))
            .collect();
        assert_eq!(&asked, expected, "{world}");
    }
}

/// Generates a bot whose model looks up the time once it is `told` something, says so, and calls `tool`.
fn acting(transport: &str, told: &str, tool: &str, options: &[&str]) -> Bot {
    let options = [&OPENAI[..], &["--transport", transport], options].concat();
    let looks_up = format!(r#"{told}=current_time {{"timezone": "Europe/Lisbon"}}"#);
    let acts = format!(r#""now": ={tool} {{}}"#);
    let judges = [
        "Leave a message after the tone.=voicemail",
        "Hello?=conversation",
    ]
    .map(|it| {
        let (words, verdict) = it.split_once('=').unwrap();
        format!(r#"{words}={{"choice": "{verdict}", "probabilities": {{"{verdict}": 1.0}}}}"#)
    });
    let answers = [
        "--call",
        &looks_up,
        "--say",
        r#""now": =It is late in Lisbon."#,
        "--call",
        &acts,
        "--say",
        &judges[0],
        "--say",
        &judges[1],
    ];
    let answers = if tool == "current_time" {
        [&answers[..4], &answers[6..]].concat()
    } else {
        answers.to_vec()
    };
    Bot::new(&options, &answers)
}

/// Has a deployed bot called through its web server, or call. Returns everything that the stand-ins recorded.
fn called(bot: &Bot, transport: &str, variables: &[(&str, &str)]) -> Value {
    let deployed = bot.deploy(&[&PERSON[..], variables].concat());
    let folder = bot.server.to_str().unwrap();
    let words = [transport, &*deployed.address, "--folder", folder];
    drive("call_deployed.py", &words)
}

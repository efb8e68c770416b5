//! Calls from `WhatsApp`: the generated bot runs as its README says, and a stand-in for `WhatsApp`'s API calls it over WebRTC.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::{Bot, VOICE, python_script, script};
use crate::conversation::running::Running;

/// As `stand_in_whatsapp.py` has them.
const KEYS: &str = "WHATSAPP_TOKEN='the token'\nWHATSAPP_PHONE_NUMBER_ID=100000000000001\nWHATSAPP_APP_SECRET=\"the app's secret\"\nWHATSAPP_WEBHOOK_VERIFICATION_TOKEN='the verify token'\n";

#[test]
fn a_call_from_whatsapp_is_greeted_once_and_recorded() {
    let mut whatsapp = Running::start(&mut python_script("stand_in_whatsapp.py"));
    let api = whatsapp.line_with("http://");
    let bot = Bot::new(&["whatsapp"]);
    let (mut services, model) = bot.services(KEYS);
    let mut command = bot.command();
    command
        .args(["-t", "webrtc", "--whatsapp", "--host", "127.0.0.1"])
        .args(["--port", "0"])
        .env("PYTHONPATH", script("redirected"))
        .env("STAND_IN_WHATSAPP", &api);
    let mut running = Running::start(&mut command);
    let listens = running.line_with("Uvicorn running on");
    let address = listens
        .split_whitespace()
        .find(|word| word.starts_with("http://"))
        .unwrap();

    let said: Value = serde_json::from_str(&post(&api, &format!("/call?bot={address}"))).unwrap();

    let hertz = said["heard"]["hertz"].as_f64().unwrap();
    assert!((hertz - VOICE).abs() < 5.0, "{said}");
    assert_eq!(said["proof"], json!([200, "4711"]), "{said}");
    assert_eq!(said["wrong proof"][0], 403, "{said}");
    assert_ne!(said["forged"], 200, "{said}");
    assert_eq!(said["asked by a forger"], 0, "{said}");
    assert_eq!([&said["ringing"], &said["over"]], [200, 200], "{said}");
    let asked = said["asked"].as_array().unwrap();
    let actions: Vec<&Value> = asked.iter().map(|one| &one["action"]).collect();
    assert_eq!(actions, ["pre_accept", "accept"], "{said}");
    for one in asked {
        assert_eq!(one["key"], "Bearer the token", "{said}");
        assert_eq!(one["to"], "15550100123", "{said}");
    }
    running.line_with("The user has gone");
    running.line_with("Recording saved to");
    bot.expect_both_in_recording();

    // The connection may be told of twice, the caller is greeted once.
    post(&model, "/marker");
    let mut greetings = 0;
    loop {
        let line = services.line_with("POST /");
        if line.contains("/marker") {
            break;
        }
        greetings += usize::from(line.contains("/v1/chat/completions"));
    }
    assert_eq!(greetings, 1);
}

/// The body of the answer to `POST PATH`, without a body of its own.
pub(crate) fn post(address: &str, path: &str) -> String {
    ask(address, &format!("POST {path}"), "")
}

/// The body of the answer to `POST PATH` with a document.
pub(crate) fn post_json(address: &str, path: &str, document: &str) -> String {
    ask(address, &format!("POST {path}"), document)
}

/// The body of the answer to `METHOD PATH`.
pub(crate) fn ask(address: &str, request: &str, document: &str) -> String {
    let host = address.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "{request} HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{document}",
        document.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    body.to_owned()
}

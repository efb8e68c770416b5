//! Tests for requests and their replies.

use bot_cli_protocol::MAX_LINE;
use serde_json::{Value, json};

use super::{feed, request, speak, text};

#[test]
fn a_script_drives_a_plugin_without_a_host() {
    let replies = speak(&[
        request(
            1,
            "run",
            json!({ "argv": ["world", "--language", "de", "--loud"] }),
        ),
        request(
            2,
            "run",
            json!({ "argv": ["moon", "--language=en", "--times=2"] }),
        ),
    ]);
    assert_eq!(
        replies,
        [
            json!({"jsonrpc":"2.0","id":1,"result":{
                "text":"Hallo, world!\n","data":{"name":"world","language":"de","times":1},"exit":0,
                "next":["bot-cli greet world --loud"]}}),
            json!({"jsonrpc":"2.0","id":2,"result":{
                "text":"Hello, moon.\nHello, moon.\n","data":{"name":"moon","language":"en","times":2},"exit":0,
                "next":["bot-cli greet moon --loud"]}}),
        ]
    );
}

#[test]
fn every_request_gets_its_reply_and_the_next_one_is_served() {
    let rows: Vec<(Value, String, i64, String)> =
        serde_json::from_str(include_str!("refused.json")).unwrap();
    for (params, method, code, message) in rows {
        let replies = speak(&[
            request(1, &method, params.clone()),
            request(2, "run", json!({ "argv": ["a", "--language", "en"] })),
        ]);
        assert_eq!(replies.len(), 2, "{params}");
        assert_eq!(replies[0]["id"], 1);
        assert_eq!(replies[0]["error"]["code"], code, "{params}");
        assert_eq!(replies[0]["error"]["message"], message, "{params}");
        assert_eq!(replies[1]["result"]["text"], "Hello, a.\n", "{params}");
    }
}

#[test]
fn a_line_that_is_too_long_is_answered_and_the_next_one_is_served() {
    let line = "x".repeat(MAX_LINE + 1);
    let request = json!({"jsonrpc": "2.0", "id": 7, "method": "nothing"});
    let output = feed(&[], &format!("{line}\n{request}\n"));
    let said = text(&output.stdout);
    let replies = said.lines().map(|line| line.parse::<Value>().unwrap());
    let seen: Vec<Value> = replies
        .map(|reply| json!([reply["id"], reply["error"]["code"]]))
        .collect();
    assert_eq!(seen, [json!([null, -32600]), json!([7, -32601])]);
}

#[test]
fn completion_knows_the_tree_and_asks_the_plugin() {
    for (words, expected) in [
        (json!([""]), json!(["world", "moon"])),
        (json!(["m"]), json!(["moon"])),
        (json!(["--l"]), json!(["--language", "--loud"])),
        (json!(["--language", ""]), json!(["en", "de"])),
        (json!(["--language=d"]), json!(["--language=de"])),
        (json!(["world", "--language", "de", "m"]), json!([])),
    ] {
        let replies = speak(&[request(1, "complete", json!({ "argv": words }))]);
        let candidates = replies[0]["result"]["candidates"].as_array().unwrap();
        let values: Vec<&Value> = candidates
            .iter()
            .map(|candidate| &candidate["value"])
            .collect();
        assert_eq!(json!(values), expected, "{words}");
    }
}

#[test]
fn no_malformed_request_has_its_value_repeated() {
    const CANARY: &str = "zQ7x9Wv3";
    let value = json!(CANARY);
    let junk = [
        value.clone(),
        json!([value]),
        json!([[value]]),
        json!({ "later": value }),
        json!([{ "later": value }]),
    ];
    let mut shapes: Vec<Value> = Vec::new();
    for field in ["argv", "answers", "capabilities", "context", "protocol"] {
        for junk in &junk {
            let mut params = json!({ "argv": [] });
            params[field] = junk.clone();
            shapes.push(params);
        }
    }
    shapes.extend([
        json!({ "argv": format!("secrets set one K={CANARY}") }),
        json!({ "argv": ["a", format!("K={CANARY}")] }),
        json!({ "argv": [format!("--{CANARY}")] }),
        json!({ "argv": ["--language", CANARY] }),
        json!({ "argv": ["--times", CANARY] }),
        json!({ "argv": ["a", CANARY], "answers": CANARY }),
        json!({ "argv": [], "answers": { "name": "a", "language": CANARY } }),
        json!({ "argv": [], "answers": { "name": [CANARY], "language": "en" } }),
        json!({ "argv": [], "context": { "verbosity": CANARY } }),
        json!({ "argv": [], "context": { "host": { "name": [CANARY] } } }),
        json!({ "argv": [], "capabilities": { "ask": { "kinds": CANARY } } }),
    ]);
    let requests: Vec<Value> = shapes
        .iter()
        .zip(1..)
        .map(|(params, id)| request(id, "run", params.clone()))
        .chain([
            request(900, "complete", json!({ "argv": CANARY })),
            request(901, CANARY, json!({})),
            request(902, "describe", json!({ "protocol": CANARY })),
        ])
        .collect();
    let replies = speak(&requests);
    let answered = replies.iter().filter(|reply| reply.get("id").is_some());
    assert_eq!(answered.count(), requests.len());
    for reply in replies {
        if let Some(error) = reply.get("error") {
            let error = error.to_string();
            for part in CANARY.as_bytes().windows(4) {
                let part = std::str::from_utf8(part).unwrap();
                assert!(!error.contains(part), "{error}");
            }
        }
    }
}

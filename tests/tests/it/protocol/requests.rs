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

/// A host that does not know the plugin's arguments sends every word after its name.
#[test]
fn the_options_of_a_host_may_stay_among_the_words() {
    let words = ["world", "--language=en"];
    for options in [
        &["--json=lines", "-v"][..],
        &["--json", "--verbose"],
        &["-vv"],
    ] {
        let argv = [&words[..], options].concat();
        let said = speak(&[request(1, "run", json!({ "argv": argv }))]);
        let logs: Vec<&Value> = said.iter().filter(|it| it["method"] == "log").collect();
        assert_eq!(
            logs[0]["params"]["message"], "greeted",
            "{options:?}: {said:?}"
        );
        assert_eq!(said[said.len() - 1]["result"]["text"], "Hello, world.\n");
    }
    let quiet = speak(&[request(
        1,
        "run",
        json!({ "argv": ["world", "--language=en", "-q"] }),
    )]);
    assert!(quiet.iter().all(|it| it["method"] != "log"), "{quiet:?}");
    let wrong = speak(&[request(
        1,
        "run",
        json!({ "argv": ["world", "--json=xml"] }),
    )]);
    assert_eq!(
        wrong[0]["error"]["message"],
        "`xml` is not a value for `--json`"
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

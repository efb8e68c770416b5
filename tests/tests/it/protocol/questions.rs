//! Questions, with a user and without.

use serde_json::{Value, json};

use super::{Open, request, speak};

#[test]
fn answers_stand_in_for_the_user() {
    let replies = speak(&[request(
        1,
        "run",
        json!({ "argv": [], "answers": { "name": "ada", "language": "de" } }),
    )]);
    assert_eq!(replies[0]["result"]["text"], "Hallo, ada.\n");
}

#[test]
fn an_answer_to_no_question_is_a_warning() {
    let answers = json!({ "name": "ada", "langauge": "de", "language": "en" });
    let replies = speak(&[request(1, "run", json!({ "argv": [], "answers": answers }))]);
    assert_eq!(
        replies[0],
        json!({ "jsonrpc": "2.0", "method": "log", "params": { "id": 1, "level": "warn",
            "message": "the answer `langauge` was not used: nothing asked for it; did you mean `language`?" } })
    );
    assert_eq!(replies[1]["result"]["text"], "Hello, ada.\n");
}

#[test]
fn without_a_user_every_open_question_is_named() {
    let replies = speak(&[request(1, "run", json!({ "argv": [] }))]);
    let data = &replies[0]["error"]["data"];
    assert_eq!(data["code"], "input_required");
    let keys: Vec<&Value> = data["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|input| &input["key"])
        .collect();
    assert_eq!(keys, ["name", "language"]);
}

#[test]
fn questions_go_to_the_host_and_back_leads_back() {
    let (mut plugin, question) = Open::start_asking();
    assert_eq!(question["method"], "ask");
    assert_eq!(
        question["params"],
        json!({ "key": "name", "message": "Whom", "kind": "text" })
    );
    let accept = |id: &Value, value: &str| json!({ "jsonrpc": "2.0", "id": id, "result": { "action": "accept", "value": value } });
    plugin.send(&accept(&question["id"], "wrold"));
    let language = plugin.receive();
    assert_eq!(language["params"]["key"], "language");
    assert_eq!(language["params"]["back"], true);
    plugin.send(&json!({ "jsonrpc": "2.0", "id": language["id"], "result": { "action": "back" } }));
    let again = plugin.receive();
    assert_eq!(again["params"], question["params"]);
    plugin.send(&accept(&again["id"], "world"));
    let language = plugin.receive();
    plugin.send(&accept(&language["id"], "de"));
    assert_eq!(plugin.receive()["result"]["text"], "Hallo, world.\n");
    drop(plugin.child.stdin.take());
    assert_eq!(plugin.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_question_ends_when_the_user_or_the_host_goes() {
    for (answer, code, cause) in [
        (
            Some(json!({ "result": { "action": "cancel" } })),
            130,
            "cancelled",
        ),
        (
            Some(
                json!({ "error": { "code": 130, "message": "cancelled", "data": { "code": "cancelled" } } }),
            ),
            130,
            "cancelled",
        ),
        (
            Some(json!({ "result": { "action": "accept", "value": 7 } })),
            1,
            "host_protocol",
        ),
        (None, 1, "host_gone"),
    ] {
        let (mut plugin, question) = Open::start_asking();
        if let Some(mut answer) = answer {
            answer["jsonrpc"] = json!("2.0");
            answer["id"] = question["id"].clone();
            plugin.send(&answer);
        } else {
            drop(plugin.child.stdin.take());
        }
        let reply = plugin.receive();
        assert_eq!(
            (&reply["error"]["code"], &reply["error"]["data"]["code"]),
            (&json!(code), &json!(cause))
        );
        drop(plugin.child.stdin.take());
        assert_eq!(plugin.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn cancel_ends_a_question_and_spares_the_next_request() {
    let (mut plugin, _question) = Open::start_asking();
    plugin.send(&json!({ "jsonrpc": "2.0", "method": "cancel", "params": { "id": 99 } }));
    plugin.send(
        &json!({ "jsonrpc": "2.0", "method": "cancel", "params": { "id": 1, "reason": "user" } }),
    );
    assert_eq!(plugin.receive()["error"]["code"], 130);
    plugin.send(&request(
        2,
        "run",
        json!({ "argv": ["a", "--language", "en"] }),
    ));
    assert_eq!(plugin.receive()["result"]["text"], "Hello, a.\n");
    drop(plugin.child.stdin.take());
    assert_eq!(plugin.child.wait().unwrap().code(), Some(0));
}

//! Tests for questions, with and without a user.

use serde_json::{Value, json};

use super::Open;

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

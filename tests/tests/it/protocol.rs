//! A plugin written with the library, as a real process: driven by hand, by a host, and as a command.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

use bot_cli_sdk::protocol::MAX_LINE;
use serde_json::{Value, json};

const GREET: &str = env!("CARGO_BIN_EXE_it-greet");

/// Writes `lines` to the plugin, ends its input, and returns what it wrote.
fn speak(lines: &[Value]) -> Vec<Value> {
    let input: String = lines
        .iter()
        .map(Value::to_string)
        .collect::<Vec<_>>()
        .join("\n")
        + "\n";
    let output = feed(&[], &input);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(text(&output.stderr), "");
    let lines = text(&output.stdout);
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn feed(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(GREET)
        .args(arguments)
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that reads no input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn request(id: u32, method: &str, mut params: Value) -> Value {
    if params.get("protocol").is_none() {
        params["protocol"] = json!("1.0");
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

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
            json!({ "command": [], "input": { "name": "moon", "language": "en", "times": 2 } }),
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
    let later = json!({ "argv": ["x"], "protocol": "2.0" });
    for (params, method, code, message) in [
        (
            later,
            "run",
            -32022,
            "protocol version `2.0` is not supported",
        ),
        (
            json!({ "protocol": 1 }),
            "run",
            -32602,
            "`params.protocol` must be a version such as `1.0`",
        ),
        (
            json!({}),
            "run",
            -32602,
            "`run` takes either `argv`, or `command` with `input`",
        ),
        (
            json!({}),
            "weather/tomorrow",
            -32601,
            "there is no method `weather/tomorrow`",
        ),
        (
            json!({ "argv": ["a", "--lod"] }),
            "run",
            2,
            "unexpected argument `--lod`",
        ),
        (
            json!({ "argv": ["a", "SECRET=x"] }),
            "run",
            2,
            "unexpected argument `SECRET=…`",
        ),
        (
            json!({ "argv": ["a", "--language=fr"] }),
            "run",
            2,
            "`fr` is not a value for `--language`",
        ),
        (
            json!({ "command": ["b"] }),
            "run",
            2,
            "there is no command `b`",
        ),
        (
            json!({ "command": [], "input": { "nam": "x" } }),
            "run",
            2,
            "the field `nam` is missing or invalid",
        ),
        (
            json!({ "argv": [] }),
            "run",
            2,
            "2 questions must be answered and nobody can be asked",
        ),
        (
            json!({ "argv": [], "answers": { "name": "a", "language": "fr" } }),
            "run",
            2,
            "the answer to `language` is invalid",
        ),
    ] {
        let replies = speak(&[
            request(1, method, params.clone()),
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
fn lines_that_cannot_be_read_are_answered_without_an_id() {
    let output = feed(
        &[],
        "nonsense\n\n[]\n{\"jsonrpc\":\"2.0\",\"method\":\"later\"}\r\n",
    );
    assert_eq!(
        text(&output.stdout),
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"a line is not JSON\"}}\n\
         {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"a line is not a JSON-RPC 2.0 message\"}}\n"
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_line_that_is_too_long_is_answered_and_the_next_one_is_served() {
    for excess in [1, 2, 100_000] {
        let line = "x".repeat(MAX_LINE + excess);
        let request = json!({"jsonrpc": "2.0", "id": 7, "method": "nothing"});
        let output = feed(&[], &format!("{line}\n{request}\n"));
        let replies: Vec<Value> = text(&output.stdout)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let seen: Vec<_> = replies
            .iter()
            .map(|reply| (&reply["id"], &reply["error"]["code"]))
            .collect();
        let expected = [(Value::Null, -32600), (Value::from(7), -32601)]
            .map(|(id, code)| (id, Value::from(code)));
        assert_eq!(
            seen,
            expected
                .iter()
                .map(|(id, code)| (id, code))
                .collect::<Vec<_>>(),
            "{excess} bytes too many"
        );
    }
}

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
fn help_and_version_are_replies() {
    let replies = speak(&[
        request(
            1,
            "run",
            json!({ "argv": ["--help"], "context": { "host": { "name": "bot-cli" } } }),
        ),
        request(2, "run", json!({ "argv": ["--version"] })),
    ]);
    let help = replies[0]["result"]["text"].as_str().unwrap();
    assert!(
        help.contains("\nUsage: bot-cli greet [OPTIONS] [NAME]\n"),
        "{help}"
    );
    assert_eq!(replies[1]["result"]["text"], "bot-cli greet 0.1.0\n");
}

#[test]
fn the_executable_carries_what_it_describes() {
    let file = std::fs::read(GREET).unwrap();
    let embedded = bot_cli_sdk::protocol::Manifest::find(&file).unwrap();
    let replies = speak(&[request(1, "describe", json!({}))]);
    assert_eq!(json!(embedded), replies[0]["result"]);
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

/// A plugin whose input stays open.
struct Open {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Open {
    fn start() -> Self {
        let mut child = Command::new(GREET)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn send(&mut self, message: &Value) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn receive(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }

    fn start_asking() -> (Self, Value) {
        let mut plugin = Self::start();
        let capabilities =
            json!({ "ask": { "kinds": ["text", "select", "hologram"] }, "clipboard": {} });
        plugin.send(&request(
            1,
            "run",
            json!({ "argv": [], "capabilities": capabilities }),
        ));
        let question = plugin.receive();
        (plugin, question)
    }
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

#[test]
fn as_a_command_it_prints_and_exits() {
    for (arguments, status, stdout, stderr) in [
        (
            &["world", "--language", "en"][..],
            0,
            "Hello, world.\n",
            "next: bot-cli greet world --loud\n",
        ),
        (
            &["-q", "world", "--language", "en"],
            0,
            "Hello, world.\n",
            "",
        ),
        (
            &["world", "--language", "fr"],
            2,
            "",
            "error: `fr` is not a value for `--language`\n",
        ),
        (
            &["world"],
            2,
            "",
            "error: `language` must be answered and nobody can be asked\n",
        ),
    ] {
        let output = feed(arguments, "");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        assert_eq!(text(&output.stdout), stdout, "{arguments:?}");
        let shown = text(&output.stderr);
        assert_eq!(
            shown.is_empty(),
            stderr.is_empty(),
            "{arguments:?}: {shown}"
        );
        if stderr.starts_with("error") {
            assert!(shown.starts_with(stderr), "{arguments:?}: {shown}");
        }
    }
}

#[test]
fn json_anywhere_is_one_document() {
    for (arguments, status, expected) in [
        (
            &["--json", "a", "--language", "en"][..],
            0,
            json!({ "name": "a", "language": "en", "times": 1 }),
        ),
        (
            &["a", "--language", "en", "--json"],
            0,
            json!({ "name": "a", "language": "en", "times": 1 }),
        ),
        (
            &["a", "--langage", "en", "--json"],
            2,
            json!({ "error": { "code": "usage", "message": "unexpected argument `--langage`", "fields": [],
                "hints": ["did you mean `--language`?", "bot-cli-greet --help"] } }),
        ),
    ] {
        let output = feed(arguments, "");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document, expected, "{arguments:?}");
        if status != 0 {
            assert_eq!(text(&output.stderr), "", "{arguments:?}");
        }
    }
}

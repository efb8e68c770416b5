//! The document's plugin in shell keeps the document's rules, as far as it says that it does.

use std::io::Write;
use std::process::{Command, Stdio};

use bot_cli_tests::bench::Bench;
use serde_json::{Value, json};

const HELLO: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../sdk/protocol/tests/examples/bot-cli-hello"
);

fn replies(input: &[u8]) -> Vec<Value> {
    let mut child = Command::new("/bin/sh")
        .arg(HELLO)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn the_shell_plugin_refuses_what_it_cant_serve_and_goes_on() {
    let run = |id: &str, params: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"run\",\"params\":{{{params}\"argv\":[]}}}}\n"
        )
    };
    let lines = [
        run("1", "\"protocol\":\"1.0\","),
        run("\"b\"", "\"protocol\":\"2.0\","),
        "nonsense\n\n{}\n".to_owned(),
        "{\"jsonrpc\":\"2.0\",\"method\":\"cancel\",\"params\":{\"id\":1}}\r\n".to_owned(),
        run("3", "").replace("\"run\"", "\"runs\""),
        run("4", "").replace('\n', "\r\n"),
        "{\"jsonrpc\":\"2.0\",\"id\":7}\n".to_owned(),
        run("6", "").replace("[]", "[\"my\",\"\\\"big\\\" world\"]"),
        run("5", "\"protocol\":\"1.7\",").trim_end().to_owned(),
    ];
    let found: Vec<(Value, Value)> = replies(lines.concat().as_bytes())
        .into_iter()
        .map(|reply| {
            let what = reply.get("result").map(|result| &result["data"]);
            let what = what.unwrap_or(&reply["error"]["code"]);
            (reply["id"].clone(), what.clone())
        })
        .collect();
    let expected = [
        (json!(1), json!("Hello")),
        (json!("b"), json!(-32022)),
        (Value::Null, json!(-32700)),
        (Value::Null, json!(-32600)),
        (json!(3), json!(-32601)),
        (json!(4), json!("Hello")),
        (Value::Null, json!(-32600)),
        (json!(6), json!("Hello, my \"big\" world")),
        (json!(5), json!("Hello")),
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_shell_plugin_lacks_only_what_the_document_says() {
    let bench = Bench::new(&[("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli"))]).unwrap();
    let ran = bench
        .run(&["--json", "plugin", "check", HELLO, "--argv", ""])
        .unwrap();
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap().iter();
    let failed: Vec<&Value> = checks
        .filter(|check| check["verdict"] == "failed")
        .map(|check| &check["id"])
        .collect();
    assert_eq!(failed, ["any_json_read", "help_replied", "version_replied"]);
}

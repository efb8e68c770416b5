//! Plugins and hosts of later versions of the protocol, which use what today's lack.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::sides::{Age, BOTH, Sides};

/// A plugin of a later version: its manifest, its messages and its result have members, and it sends a notification, that 1.0 does not know.
const LATER: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"VERSION","name":"later","version":"1.0.0","about":"Later","palette":["red"],"command":{"name":"later","about":"Later","arguments":[{"name":"hue","kind":"slider","long":"hue","about":"A hue","range":[0,360]}]}}
while read -r line; do
  printf '%s\n' '{"jsonrpc":"2.0","method":"paint","params":{"id":1,"colour":"red"}}'
  printf '%s\n' '{"jsonrpc":"2.0","method":"log","params":{"id":1,"level":"info","message":"painting","colour":"red"}}'
  printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"text":"painted\n","data":"painted","colour":"red"},"trace":"x"}'
done
"#;

#[test]
fn every_host_runs_a_plugin_of_protocol_1_1_without_what_that_adds() {
    let sides = Sides::new();
    sides
        .bench
        .script("plugins/bot-cli-later", &LATER.replace("VERSION", "1.1"))
        .unwrap();
    for host in BOTH {
        let ran = sides.run(host, Age::Newer, &["later", "--hue", "12"]);
        assert_eq!(
            (ran.status, ran.stdout.as_str()),
            (Some(0), "painted\n"),
            "{host:?}: {ran:?}"
        );
        let help = sides.done(host, Age::Newer, &["help", "later"]);
        assert!(help.contains("--hue"), "{host:?}: {help}");
        let list = sides.done(host, Age::Newer, &["plugin", "list"]);
        assert!(list.contains("later "), "{host:?}: {list}");
        assert!(!list.contains("hint"), "{host:?}: {list}");
    }
}

#[test]
fn every_host_refuses_a_plugin_of_protocol_2_0_in_a_line_with_both_versions() {
    let sides = Sides::new();
    sides
        .bench
        .script("plugins/bot-cli-later", &LATER.replace("VERSION", "2.0"))
        .unwrap();
    for host in BOTH {
        let ran = sides.run(host, Age::Newer, &["later"]);
        let line = "error: `[BENCH]/plugins/bot-cli-later` is not run: it speaks protocol 2.0, this host 1.0\n\
                    hint: install a newer bot-cli, or a version of the plugin for this one\n";
        assert_eq!(
            (ran.status, ran.stdout.as_str(), ran.stderr.as_str()),
            (Some(126), "", line),
            "{host:?}"
        );
        // The others are there all the same.
        sides.done(host, Age::Newer, &["init", "--list-options"]);
    }
}

#[test]
fn every_plugin_serves_a_host_of_protocol_1_1() {
    let sides = Sides::new();
    for age in BOTH {
        for (plugin, argv) in [
            ("bot-cli-init", ["--list-options"].as_slice()),
            ("bot-cli-cloud", &["secrets", "list"]),
        ] {
            let request = json!({
                "jsonrpc": "2.0", "id": 1, "method": "run", "trace": "x",
                "params": {
                    "protocol": "1.1", "argv": argv, "palette": ["red"],
                    "capabilities": {"ask": {"kinds": ["text", "colour"]}, "paint": {}},
                    "context": {"format": "json", "mood": "blue"},
                },
            });
            let paint = json!({"jsonrpc": "2.0", "method": "paint", "params": {}});
            let replies = exchange(&mut sides.plugin(age, plugin), &[paint, request]);
            let result = &replies.last().unwrap()["result"];
            assert!(result.is_object(), "{age:?} {plugin}: {replies:?}");
        }
    }
}

#[test]
fn every_plugin_refuses_a_host_of_protocol_2_0_and_says_what_it_speaks() {
    let sides = Sides::new();
    for age in BOTH {
        for plugin in ["bot-cli-init", "bot-cli-cloud"] {
            let request = json!({"jsonrpc": "2.0", "id": 1, "method": "run", "params": {"protocol": "2.0", "argv": []}});
            let replies = exchange(&mut sides.plugin(age, plugin), &[request]);
            let error = &replies.last().unwrap()["error"];
            assert_eq!(error["code"], -32022, "{age:?} {plugin}: {replies:?}");
            assert_eq!(
                error["data"]["supported"],
                json!(["1.0"]),
                "{age:?} {plugin}"
            );
        }
    }
}

/// Returns what a plugin replies to these messages.
pub(crate) fn exchange(plugin: &mut Command, messages: &[Value]) -> Vec<Value> {
    let mut child = plugin
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: Vec<String> = messages.iter().map(ToString::to_string).collect();
    let lines = lines.join("\n") + "\n";
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(lines.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{plugin:?}");
    let lines = output.stdout.split(|byte| *byte == b'\n');
    lines
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

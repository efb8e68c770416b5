use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{command, done};

/// Sends requests to the plugin, and returns the replies.
fn speak_in(folder: &Path, requests: &[Value]) -> Vec<Value> {
    let mut plugin = command(folder, &[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = String::new();
    for request in requests {
        lines.extend([&request.to_string(), "\n"]);
    }
    plugin
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let output = plugin.wait_with_output().unwrap();
    assert!(output.status.success());
    let stdout = String::from_utf8(output.stdout).unwrap();
    stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn argv(argv: &[&str]) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "run", "params": {"argv": argv}})
}

#[test]
fn older_guides_are_refreshed_when_the_user_agrees() {
    for agrees in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("my-bot")).unwrap();
        let guide = folder.path().join("my-bot/AGENTS.md");
        let older = super::guides::older("old words\n");
        std::fs::write(&guide, &older).unwrap();
        let mut request = argv(&["my-bot"]);
        request["params"]["capabilities"] =
            json!({"ask": {"kinds": ["text", "confirm", "select", "multiselect"]}});
        request["params"]["context"] = json!({"cwd": folder.path(), "interactive": true});
        request["params"]["answers"] = json!({"way": "agent", "refresh_guide": agrees});
        let answers = speak_in(folder.path(), &[request]);
        let data = &answers.last().unwrap()["result"]["data"];
        let text = std::fs::read_to_string(&guide).unwrap();
        if agrees {
            assert_eq!(data["changed"], json!(["AGENTS.md"]), "{answers:?}");
            assert!(text.starts_with("# Guide for coding agents\n"), "{text}");
        } else {
            assert_eq!(
                data["kept"],
                json!([{"path": "AGENTS.md", "guide": "written by version 0.0.1"}]),
                "{answers:?}"
            );
            assert_eq!(text, older);
        }
    }
}

#[test]
fn a_name_of_standard_input_is_the_users_and_not_the_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let config = done(folder.path(), &super::web(&["my-bot", "--dry-run"]));
    for name in ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "./stdin"] {
        let _ = std::os::unix::fs::symlink("/dev/stdin", folder.path().join("stdin"));
        let mut request = argv(&["my-bot", "--config", name, "--dry-run"]);
        request["params"]["capabilities"] = json!({ "stdin": {} });
        let answer = json!({"jsonrpc": "2.0", "id": "1-1", "result": {"text": config}});
        let said = speak_in(folder.path(), &[request, answer]);
        assert_eq!(said[0]["method"], "stdin", "{name}: {said:?}");
        assert_eq!(said[1]["result"]["text"], config, "{name}");
    }
}

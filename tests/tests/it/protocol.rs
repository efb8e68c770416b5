//! Tests for a plugin built with the library, as a real process: driven directly, by a host, and as a command.

mod command;
mod questions;
mod requests;
mod schema;
mod signals;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

const GREET: &str = env!("CARGO_BIN_EXE_it-greet");

/// Writes `lines` to the plugin, closes its input, and returns its output.
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
        .env("PATH", "/usr/bin:/bin")
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

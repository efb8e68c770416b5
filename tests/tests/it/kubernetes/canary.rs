//! Checks that a value sent to the cluster appears nowhere else. The executable runs over plain pipes.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bot_cli_tests::kubernetes::stand_in::{Applied, Fault, StandIn, Trouble};
use serde_json::{Value, json};

const VALUE: &str = "Zq7%k/+\"c4n4ry=end";

/// Returns the forms of the value that must not appear anywhere.
fn traces() -> Vec<String> {
    vec![
        VALUE.to_owned(),
        "c4n4ry".to_owned(),
        STANDARD.encode(VALUE),
        STANDARD.encode(format!("user:{VALUE}")),
    ]
}

#[test]
#[expect(clippy::too_many_lines, reason = "one conversation")]
fn a_value_is_in_no_message_and_no_list_of_processes() {
    let (stand_in, cluster) = StandIn::start().unwrap();
    stand_in.make_namespace("n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_it-bot-cli-secrets-kubernetes"))
        .env_clear()
        .current_dir(stand_in.folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let process = format!("/proc/{}", child.id());
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = String::new();
    let mut number = 0;
    let mut send = |method: &str, mut params: Value| -> Value {
        number += 1;
        params["protocol"] = json!("1.0");
        params["capabilities"] = json!({ "progress": {} });
        params["context"] = json!({
            "cwd": stand_in.folder(), "interactive": false, "color": "never", "width": 80,
            "format": "text", "verbosity": 2, "host": { "name": "tests", "version": "0.1.0" },
        });
        let request = json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params });
        writeln!(input, "{request}").unwrap();
        for line in lines.by_ref() {
            let line = line.unwrap();
            said.push_str(&line);
            said.push('\n');
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == number {
                for file in ["cmdline", "environ"] {
                    let text = fs::read(format!("{process}/{file}")).unwrap_or_default();
                    said.push_str(&String::from_utf8_lossy(&text));
                }
                return message;
            }
        }
        panic!("no reply: {said}");
    };
    let settings = json!({ "kubeconfig": cluster.kubeconfig });
    let opened = send(
        "secrets/open",
        json!({ "secrets": "1.0", "organization": "n", "settings": settings }),
    );
    assert_eq!(opened["result"]["organization"], "n", "{opened}");
    let put = json!({ "name": "prod", "entries": { "KEY": VALUE }, "prior": "absent" });
    let echo = format!("Invalid value: {VALUE:?} {}", STANDARD.encode(VALUE));
    // The cluster quotes the value in every way it can, and breaks off in the middle.
    for trouble in [
        Trouble::status(422, "Invalid", &echo),
        Trouble::status(403, VALUE, &echo),
        Trouble::status(400, "BadRequest", &echo),
        Trouble::status(500, "InternalError", &echo),
        Trouble::words(200, &echo),
        Trouble::words(404, &echo),
        Trouble::words(
            200,
            &json!({ "kind": VALUE, "data": { VALUE: VALUE } }).to_string(),
        ),
    ] {
        let again = || Some(trouble.clone());
        stand_in.follow([None, again(), again(), again()]);
        let failed = send("secrets/put", put.clone());
        assert!(failed["error"]["data"]["effect"].is_string(), "{failed}");
    }
    // It never got there, in spite of everything that was said.
    assert!(stand_in.stored("n").is_empty());
    let lost = Trouble::new(Fault::CutAnswer(9)).applied(Applied::Yes);
    stand_in.follow([None, Some(lost)]);
    let done = send("secrets/put", put.clone());
    assert_eq!(done["result"], json!({}), "{done}");
    let credentials = STANDARD.encode(format!("user:{VALUE}"));
    let pull =
        json!({ "name": "r", "host": "ghcr.io", "credentials": credentials, "prior": "absent" });
    assert_eq!(
        send("secrets/put_image_pull_secret", pull)["result"],
        json!({})
    );
    let conflict = send("secrets/put", put);
    assert_eq!(conflict["error"]["data"]["code"], "conflict", "{conflict}");
    for (method, params) in [
        ("secrets/list", json!({})),
        ("secrets/get", json!({ "name": "prod" })),
        (
            "secrets/unset",
            json!({ "name": "prod", "keys": ["OTHER"] }),
        ),
        ("secrets/delete", json!({ "name": "r" })),
    ] {
        let reply = send(method, params);
        assert!(reply["result"].is_object(), "{reply}");
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    for trace in traces() {
        assert!(!said.contains(&trace), "`{trace}`:\n{said}");
    }
    assert_eq!(
        stand_in.stored("n")["prod"]["data"]["KEY"],
        STANDARD.encode(VALUE)
    );
}

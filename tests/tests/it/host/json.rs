//! Tests that with `--json`, the host prints exactly one document, and with `--json=lines` one message a line, whatever a plugin sends.

use serde_json::{Map, Value};

use super::bench_with_rogue;

#[test]
fn whatever_a_plugin_sends_is_one_document() {
    let bench = bench_with_rogue();
    for words in SENT {
        for verbosity in VERBOSITY {
            let options = [verbosity, &["--json", "rogue"], words].concat();
            let ran = bench.run(&options).unwrap();
            let document: Result<Value, _> = serde_json::from_str(&ran.stdout);
            assert!(document.is_ok(), "{options:?}: {ran:?}");
        }
    }
}

#[test]
fn whatever_a_plugin_sends_is_lines_that_end_with_the_outcome() {
    let bench = bench_with_rogue();
    for words in SENT {
        for verbosity in VERBOSITY {
            let options = [verbosity, &["rogue", "--json=lines"], words, &["--json"]].concat();
            let ran = bench.run(&options).unwrap();
            let lines: Vec<Map<String, Value>> = ran
                .stdout
                .lines()
                .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
                .collect();
            let kinds = lines.iter().flat_map(|line| {
                assert_eq!(line.len(), 1, "{options:?}: {ran:?}");
                line.keys().map(String::as_str)
            });
            let kinds: Vec<&str> = kinds.collect();
            let (last, before) = kinds.split_last().unwrap();
            assert!(["result", "error"].contains(last), "{options:?}: {ran:?}");
            let notified = ["progress", "log", "output"];
            assert!(before.iter().all(|it| notified.contains(it)), "{ran:?}");
            let status = match &lines[lines.len() - 1] {
                line if *last == "result" => line["result"]["exit"].as_i64(),
                line => line["error"]["code"].as_i64(),
            };
            assert_eq!(status, ran.status.map(i64::from), "{options:?}: {ran:?}");
        }
    }
}

/// Checks the example in `PROTOCOL.md` with the messages of its example of `run`.
#[test]
fn the_lines_are_those_that_the_protocol_shows() {
    let document = include_str!("../../../../sdk/protocol/PROTOCOL.md");
    let example = |name: &str| {
        let (_, rest) = document
            .split_once(&format!("<!-- example: {name} -->\n```"))
            .unwrap();
        let (_, rest) = rest.split_once('\n').unwrap();
        rest.split_once("```\n").unwrap().0
    };
    let sent: Vec<&str> = example("run.jsonl").lines().skip(1).collect();
    let words = [&["-v", "--json=lines", "rogue", "say"][..], &sent].concat();
    let ran = bench_with_rogue().run(&words).unwrap();
    assert_eq!((&*ran.stdout, &*ran.stderr), (example("lines"), ""));
}

const VERBOSITY: [&[&str]; 4] = [&[], &["-v"], &["-vv"], &["-q"]];

/// What a plugin may send.
const SENT: &[&[&str]] = &[
    &["no-reply"],
    &["crash"],
    &["last-words"],
    &["banner"],
    &["stray"],
    &["wrong-id"],
    &["double"],
    &["long-line"],
    &["not-utf8"],
    &["grandchild"],
    &["flood"],
    &["version"],
    &["escapes"],
    &["status"],
    &["exit", "127"],
    &["unknown-method"],
    &["everything"],
    &["echo"],
    &["said", "{}", "7", "[]", "null", "\"text\""],
    &["said", r#"{"jsonrpc":"2.0","id":1,"result":[]}"#],
    &["said", r#"{"jsonrpc":"2.0","id":1,"result":{"exit":300}}"#],
    &[
        "said",
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":2,"message":"no","data":{"fields":"oops"}}}"#,
    ],
    &["said", r#"{"jsonrpc":"2.0","id":1}"#],
    &["said", r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#],
    &[
        "said",
        r#"{"jsonrpc":"2.0","method":"output","params":{"id":1,"text":7}}"#,
    ],
];

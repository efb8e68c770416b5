//! What a plugin says beside its result, and what became of a change that failed.

use serde_json::{Value, json};

use super::{bench, expect};

#[test]
fn each_level_is_heard_by_those_who_want_to_hear_it() {
    let bench = bench();
    let lines = ["warn", "note", "info", "debug", "later"]
        .map(|level| format!(r#"{{"jsonrpc":"2.0","method":"log","params":{{"id":1,"level":"{level}","message":"{level} said"}}}}"#));
    let script = format!(
        "#!/bin/sh\n# bot-cli-plugin: {{\"protocol\":\"1.0\",\"name\":\"say\",\"about\":\"Say\",\"command\":{{\"name\":\"say\"}}}}\n\
         read -r _\ncat <<'end'\n{}\n{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{}}}}\nend\n",
        lines.join("\n")
    );
    bench.script("plugins/bot-cli-say", &script).unwrap();
    let (warning, note) = ("warning: warn said\n", "note: note said\n");
    let (info, later) = ("info said\n", "later said\n");
    let debug = "debug: debug said\n";
    for (option, heard) in [
        (Some("-q"), vec![warning]),
        (None, vec![warning, note]),
        (Some("-v"), vec![warning, note, info, later]),
        (Some("-vv"), vec![warning, note, info, debug, later]),
    ] {
        let words: Vec<&str> = option.into_iter().chain(["say"]).collect();
        expect(&bench, &words, 0, "", &heard.concat());
    }
}

#[test]
fn what_became_of_a_change_is_in_the_document() {
    for (data, outcome) in [
        (
            json!({ "code": "lost", "outcome": "unknown" }),
            json!("unknown"),
        ),
        (
            json!({ "code": "lost", "outcome": "partly_done" }),
            json!("partly_done"),
        ),
        (
            json!({ "code": "lost", "outcome": "half" }),
            json!("unknown"),
        ),
        (json!({ "code": "lost" }), json!("unknown")),
    ] {
        let bench = bench();
        let reply = json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": 3, "message": "the answer was lost", "data": data } });
        let script = format!(
            "#!/bin/sh\n# bot-cli-plugin: {{\"protocol\":\"1.0\",\"name\":\"lose\",\"about\":\"Lose\"}}\nread -r _\necho '{reply}'\n"
        );
        bench.script("plugins/bot-cli-lose", &script).unwrap();
        expect(&bench, &["lose"], 3, "", "error: the answer was lost\n");
        let ran = bench.run(&["lose", "--json"]).unwrap();
        assert_eq!(ran.status, Some(3));
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(document["error"]["outcome"], outcome, "{data}");
    }
}

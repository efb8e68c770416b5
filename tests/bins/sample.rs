//! A command plugin that follows the protocol, except where the rules in a file next to the executable add faults.

use bot_cli_tests::faulty::{self, Plugin, Wire};
use serde_json::{Value, json};

const MANIFEST: &str = concat!(
    "bot-cli-plugin: ",
    r#"{"protocol":"1.0","name":"sample","version":"1.0.0","about":"Have one fault","command":{"name":"sample","about":"Have one fault","#,
    r#""arguments":[{"name":"who","kind":"positional","completion":"dynamic"},{"name":"pet","long":"pet","completion":"dynamic"},{"name":"json","kind":"flag","long":"json"}],"#,
    r#""commands":[{"name":"shell","direct":true},{"name":"list","result":{"type":"object","properties":{"pets":{"type":"array","items":{"type":"string"}}},"required":["pets"]}}]}}"#,
    "\n"
);

struct Sample;

fn main() {
    std::hint::black_box(MANIFEST);
    faulty::main(&mut Sample);
}

impl Plugin for Sample {
    fn serve(&mut self, wire: &mut Wire, id: &Value, method: &str, params: &Value) {
        let version = params["protocol"].as_str().unwrap_or("1.0");
        let words: Vec<&str> = params["argv"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if !version.starts_with("1.") {
            let data = json!({ "supported": ["1.0"] });
            return wire.fail(id, -32022, "another protocol", &data);
        }
        match (method, words.as_slice()) {
            ("describe", _) => {
                let text = MANIFEST.trim_start_matches("bot-cli-plugin: ");
                wire.result(id, &serde_json::from_str(text).unwrap_or_default());
            }
            ("complete", [.., word]) => {
                let prefix = word.find('=').map_or("", |end| &word[..=end]);
                let candidates = ["cat", "dog"].map(|pet| format!("{prefix}{pet}"));
                let fitting = candidates.iter().filter(|it| it.starts_with(word));
                let fitting: Vec<Value> = fitting.map(|it| json!({ "value": it })).collect();
                wire.result(id, &json!({ "candidates": fitting }));
            }
            ("run", words) if words.contains(&"--help") => {
                wire.result(id, &json!({"text":"help\n","data":{"help":"help\n"}}));
            }
            ("run", ["--version", ..]) => {
                let data = json!({"name":"sample","version":"1.0.0"});
                wire.result(id, &json!({"text":"1.0.0\n","data":data}));
            }
            ("run", words) if words.contains(&"ask") => ask_all(wire, id, params),
            ("run", ["list"]) => {
                wire.result(id, &json!({"text":"cat\n","data":{"pets":["cat"]}}));
            }
            ("run", _) => wire.result(id, &json!({"text":"done\n","data":"done"})),
            _ => wire.fail(id, -32601, "no such method", &json!({})),
        }
    }
}

fn ask_all(wire: &mut Wire, id: &Value, params: &Value) {
    let pets = json!([{"value":"cat","label":"Cat"},{"value":"dog","label":"Dog"}]);
    let questions = [
        json!({"key":"name","kind":"text","message":"Name","default":"ada"}),
        json!({"key":"pet","kind":"select","message":"Pet","default":"cat","choices":pets}),
        json!({"key":"token","kind":"password","message":"Token"}),
    ];
    if params["capabilities"].get("ask").is_none() {
        let data = json!({"code":"input_required","inputs":[questions[2]]});
        return wire.fail(id, 2, "`token` is missing", &data);
    }
    for question in &questions {
        let answer = wire.ask(id, question);
        if answer.is_none_or(|answer| answer["action"] != "accept") {
            return wire.fail(id, 130, "cancelled", &json!({}));
        }
    }
    wire.result(id, &json!({"text":"done\n","data":"done"}));
}

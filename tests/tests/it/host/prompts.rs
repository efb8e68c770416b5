//! Tests for the usual features of prompts: line editing, filtered lists, going back and cancelling.

use bot_cli_tests::pty::{DOWN, ENTER, Terminal};
use serde_json::{Value, json};

use super::terminal::asking;

const KINDS: [&str; 5] = ["text", "password", "confirm", "select", "multiselect"];

fn choices() -> Value {
    json!([
        {"value": "a", "label": "Alpha", "about": "first"},
        {"value": "b", "label": "Beta"},
        {"value": "c", "label": "Gamma"},
    ])
}

fn question(kind: &str) -> Value {
    json!({"kind": kind, "message": "What?", "choices": choices()})
}

fn lines(screen: &str) -> Vec<&str> {
    screen.lines().map(str::trim_end).collect()
}

#[test]
fn a_terminal_that_is_gone_ends_every_question() {
    for kind in KINDS {
        for prompts in ["rich", "plain"] {
            let mut bench = asking();
            bench.set("BOT_CLI_PROMPTS", prompts);
            let question = question(kind).to_string();
            // As under `nohup`, nothing tells the process that its terminal has gone.
            let ignoring = "trap '' HUP; exec bot-cli ask \"$0\"";
            let words = ["/bin/sh", "-c", ignoring, &question];
            let mut terminal = Terminal::in_bench(&bench, &words, 24, 80).unwrap();
            terminal.wait_for("What?").unwrap();
            let status = terminal.hang_up().unwrap();
            assert_eq!(status.code(), Some(130), "{kind} {prompts}");
        }
    }
}

#[test]
fn a_list_in_a_low_terminal_keeps_its_question() {
    let many: Vec<Value> = (1..40)
        .map(|number| json!({"value": format!("v{number}"), "label": format!("Choice {number}")}))
        .collect();
    let question = json!({"kind": "select", "message": "What?", "choices": many, "help": "one"});
    let bench = asking();
    let words = ["bot-cli", "ask", &question.to_string()];
    let mut terminal = Terminal::in_bench(&bench, &words, 8, 40).unwrap();
    terminal.wait_for("? What?").unwrap();
    terminal.press(&DOWN.repeat(20)).unwrap();
    terminal.wait_for("> Choice 21").unwrap();
    assert!(terminal.screen().starts_with("? What?"));
    terminal.press(ENTER).unwrap();
    let ended = terminal.end().unwrap();
    assert_eq!(lines(&ended.screen)[0], "> What? Choice 21");
}

#[test]
fn output_without_a_line_end_is_not_written_over() {
    let bench = asking();
    bench
        .script(
            "bin/bot-cli-say",
            r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"say","about":"Say"}
read -r _
printf '%s\n' '{"jsonrpc":"2.0","method":"output","params":{"id":1,"text":"so far"}}'
printf '%s\n' '{"jsonrpc":"2.0","id":"q","method":"ask","params":{"key":"it","kind":"text","message":"What?"}}'
read -r _
printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{}}'
"#,
        )
        .unwrap();
    let mut terminal = Terminal::in_bench(&bench, &["bot-cli", "say"], 24, 80).unwrap();
    terminal.wait_for("? What?").unwrap();
    terminal.press(ENTER).unwrap();
    let ended = terminal.end().unwrap();
    assert_eq!(lines(&ended.screen), ["so far", "> What?"]);
}

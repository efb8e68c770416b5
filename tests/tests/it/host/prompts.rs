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
fn a_long_list_says_how_long_it_is_and_shows_a_long_note_whole() {
    let mut many: Vec<Value> = (1..40)
        .map(|number| json!({"value": format!("v{number}"), "label": format!("Choice {number}")}))
        .collect();
    many[1]["about"] = json!("downloads its model at first start, and runs on this machine");
    let question = json!({"kind": "select", "message": "What?", "choices": many}).to_string();
    for (columns, note) in [
        (
            40,
            "  Choice 2 - downloads its model at\n  first start, and runs on this machine\n",
        ),
        (20, "  Choice 2 -\n  downloads its\n  model at first\n"),
    ] {
        let bench = asking();
        let words = ["bot-cli", "ask", &question];
        let mut terminal = Terminal::in_bench(&bench, &words, 30, columns).unwrap();
        terminal.wait_for("  12 of 39 shown").unwrap();
        terminal.press(DOWN).unwrap();
        terminal.wait_for("> Choice 2").unwrap();
        terminal.wait_for("on this").unwrap();
        let screen = lines(&terminal.screen()).join("\n");
        assert!(screen.contains(note), "{screen}");
        terminal.press("39").unwrap();
        terminal.wait_for("  1 of 39 shown").unwrap();
        terminal.press(ENTER).unwrap();
        terminal.end().unwrap();
    }
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

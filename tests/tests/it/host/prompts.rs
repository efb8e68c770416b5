//! Prompts as people know them: the keys of a line, lists that become shorter, ways back and out.

use bot_cli_tests::pty::{DOWN, ENTER, ESCAPE, Ended, Terminal};
use serde_json::{Value, json};

use super::terminal::{ASK, asking, assert_ends, script};

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

/// Waits for a question and presses keys, one pair after the other.
fn walk(questions: &Value, rows: u16, columns: u16, keys: &[(&str, &str)]) -> Ended {
    let bench = asking();
    let command = script(&bench, ASK, &questions.to_string());
    let mut terminal = Terminal::start(command, rows, columns).unwrap();
    for (shown, keys) in keys {
        terminal.wait_for(shown).unwrap();
        terminal.press(keys).unwrap();
    }
    terminal.end().unwrap()
}

fn lines(screen: &str) -> Vec<&str> {
    screen.lines().map(str::trim_end).collect()
}

#[test]
fn a_terminal_that_is_gone_ends_every_question() {
    for kind in KINDS {
        for prompts in ["rich", "plain"] {
            let bench = asking();
            // As under `nohup`, nothing tells the process that its terminal has gone.
            let ignoring = "trap '' HUP; exec \"$0\" ask \"$1\"";
            let question = question(kind).to_string();
            let command = script(&bench, ignoring, &question).env("BOT_CLI_PROMPTS", prompts);
            let mut terminal = Terminal::start(command, 24, 80).unwrap();
            terminal.wait_for("What?").unwrap();
            let status = terminal.hang_up().unwrap();
            assert_eq!(status.code(), Some(130), "{kind} {prompts}");
        }
    }
}

#[test]
fn a_line_is_edited_with_the_usual_keys() {
    for (keys, value) in [
        ("wrong\u{15}right", "right"),
        ("one two\u{17}three", "one three"),
        ("bc\u{1}a\u{5}d\u{8}e", "abce"),
        ("a\u{18}\u{0f}b\u{1b}[24~", "ab"),
        ("你好\u{2}\u{4}e\u{301}", "你e\u{301}"),
        ("\u{1b}[200~one\rtwo\n\u{1b}[201~", "one two"),
    ] {
        let keys = [("? What?", keys), ("? What? ", ENTER)];
        let ended = walk(&question("text"), 24, 80, &keys);
        let answer = json!({"action": "accept", "value": value}).to_string();
        assert_ends(
            &ended,
            &[&format!("> What? {value}"), &answer, "status 0", "tidy"],
        );
    }
}

#[test]
fn going_back_asks_the_question_before_and_then_ends() {
    let questions = json!([
        {"kind": "text", "message": "First?"},
        {"kind": "select", "message": "Second?", "choices": choices(), "back": true},
        {"kind": "confirm", "message": "Third?", "back": true, "help": "really"},
    ]);
    let keys = [
        ("? First?", "one\r"),
        ("? Second?", "\u{1b}[B\r"),
        ("? Third?", ESCAPE),
        ("? Second?", ESCAPE),
        ("? First?", ESCAPE),
    ];
    let ended = walk(&questions, 24, 60, &keys);
    assert_ends(&ended, &["? First?", "cancelled", "status 130", "tidy"]);
    assert!(!ended.screen.contains("Third?"), "{}", ended.screen);
}

#[test]
fn a_list_in_a_low_terminal_keeps_its_question() {
    let many: Vec<Value> = (1..40)
        .map(|number| json!({"value": format!("v{number}"), "label": format!("Choice {number}")}))
        .collect();
    let question = json!({"kind": "select", "message": "What?", "choices": many, "help": "one"});
    let bench = asking();
    let command = script(&bench, ASK, &question.to_string());
    let mut terminal = Terminal::start(command, 8, 40).unwrap();
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
    let mut terminal = Terminal::start(script(&bench, "exec \"$0\" say", ""), 24, 80).unwrap();
    terminal.wait_for("? What?").unwrap();
    terminal.press(ENTER).unwrap();
    let ended = terminal.end().unwrap();
    assert_eq!(lines(&ended.screen), ["so far", "> What?"]);
}

#[test]
fn a_list_without_choices_is_a_mistake_of_the_plugin() {
    for kind in ["select", "multiselect"] {
        let ended = walk(&json!({"kind": kind}), 24, 80, &[]);
        let error = r#"{"code":-32602,"message":"`params.choices` must not be empty"}"#;
        assert_ends(&ended, &[error, "status 0", "tidy"]);
    }
}

//! Questions line by line: in a terminal that only writes, and where the user wants them so.

use bot_cli_tests::pty::{CTRL_C, CTRL_D, ENTER, Ended, Terminal};
use serde_json::{Value, json};

use super::terminal::{ASK, asking, script};

/// The screen after lines were typed at these questions.
fn answered(variable: (&str, &str), questions: &Value, typed: &[(&str, &str)]) -> Ended {
    let bench = asking();
    let command = script(&bench, ASK, &questions.to_string()).env(variable.0, variable.1);
    let mut terminal = Terminal::start(command, 60, 80).unwrap();
    for (asked, keys) in typed {
        terminal.wait_for_last(asked).unwrap();
        terminal.press(keys).unwrap();
    }
    terminal.end().unwrap()
}

#[track_caller]
fn assert_screen(ended: &Ended, expected: &[&str]) {
    let shown: Vec<&str> = ended.screen.lines().map(str::trim_end).collect();
    assert_eq!(shown, expected);
    for command in ["\u{1b}", "\u{7}", "\u{8}"] {
        assert!(!ended.output.contains(command), "{:?}", ended.output);
    }
}

fn choices() -> Value {
    json!([
        {"value": "a_stt", "label": "Alpha", "about": "first"},
        {"value": "b_stt", "label": "Beta"},
        {"value": "c_stt", "label": "Gamma"},
    ])
}

#[test]
fn every_kind_of_question_is_a_line() {
    let questions = json!([
        {"kind": "text", "message": "Name?", "default": "Ann", "help": "any", "details": "Two\nlines"},
        {"kind": "text", "message": "Again?", "problem": "too short"},
        {"kind": "password", "message": "Token", "back": true},
        {"kind": "confirm", "message": "Sure?", "default": false},
        {"kind": "select", "message": "Which?", "choices": choices(), "default": "b_stt"},
        {"kind": "multiselect", "message": "What else?", "choices": choices(), "help": "any number"},
        {"kind": "multiselect", "message": "And?", "choices": choices(), "default": ["c_stt", "z"]},
        {"kind": "multiselect", "message": "Or?", "choices": choices(), "default": ["a_stt"]},
    ]);
    for variable in [("TERM", "dumb"), ("BOT_CLI_PROMPTS", "plain")] {
        let ended = answered(
            variable,
            &questions,
            &[
                ("Name? (Ann) ", ENTER),
                ("Again? ", "B\u{1b}[D\u{1}ob\r"),
                ("Token (hidden): ", "hun\u{1a}ter2\r"),
                ("Sure? (y/N) ", "what\r"),
                ("Sure? (y/N) ", "Y\r"),
                ("Number or name (2): ", "4\r"),
                ("Number or name (2): ", "gamma\r"),
                ("or `none` (none): ", "1, c_stt\r"),
                ("or `none` (3): ", ENTER),
                ("or `none` (1): ", "none\r"),
            ],
        );
        assert_screen(
            &ended,
            &[
                "",
                "Two",
                "lines",
                "",
                "(any)",
                "Name? (Ann)",
                "too short",
                "Again? B^[[D^Aob",
                "(type `back` to go back)",
                "Token (hidden):",
                "Sure? (y/N) what",
                "type `y` for yes or `n` for no",
                "Sure? (y/N) Y",
                "Which?",
                "  1. Alpha - first",
                "  2. Beta",
                "  3. Gamma",
                "Number or name (2): 4",
                "`4` is not one of the choices",
                "Number or name (2): gamma",
                "What else?",
                "  1. Alpha - first",
                "  2. Beta",
                "  3. Gamma",
                "(any number)",
                "Numbers or names with commas, or `none` (none): 1, c_stt",
                "And?",
                "  1. Alpha - first",
                "  2. Beta",
                "  3. Gamma",
                "Numbers or names with commas, or `none` (3):",
                "Or?",
                "  1. Alpha - first",
                "  2. Beta",
                "  3. Gamma",
                "Numbers or names with commas, or `none` (1): none",
                r#"{"action":"accept","value":"Ann"}"#,
                r#"{"action":"accept","value":"Bob"}"#,
                r#"{"action":"accept","value":"hunter2"}"#,
                r#"{"action":"accept","value":true}"#,
                r#"{"action":"accept","value":"c_stt"}"#,
                r#"{"action":"accept","value":["a_stt","c_stt"]}"#,
                r#"{"action":"accept","value":["c_stt"]}"#,
                r#"{"action":"accept","value":[]}"#,
                "status 0",
                "tidy",
            ],
        );
    }
}

#[test]
fn a_word_goes_back_and_the_end_of_the_input_cancels() {
    let questions = json!([
        {"kind": "text", "message": "First?"},
        {"kind": "select", "message": "Second?", "choices": choices(), "back": true},
    ]);
    for end in [CTRL_D, CTRL_C] {
        let ended = answered(
            ("TERM", "dumb"),
            &questions,
            &[
                ("First? ", "one\r"),
                ("Number or name: ", "back\r"),
                ("First? ", end),
            ],
        );
        assert_eq!(ended.output.matches("First? ").count(), 2);
        let shown: Vec<&str> = ended.screen.lines().map(str::trim_end).collect();
        let rest = shown.iter().skip_while(|line| **line != "cancelled");
        let rest: Vec<&str> = rest.copied().collect();
        if end == CTRL_D {
            assert_eq!(rest, ["cancelled", "status 130", "tidy"]);
        } else {
            // The signal ends the shell as well.
            assert_eq!(rest, ["cancelled"]);
        }
    }
}

#[test]
fn a_pasted_password_has_its_lines() {
    let question = json!({"kind": "password", "message": "Key"});
    let typed = [("Key (hidden): ", "-----BEGIN\ra\rEND-----\r")];
    let ended = answered(("TERM", "dumb"), &question, &typed);
    let answer = r#"{"action":"accept","value":"-----BEGIN\na\nEND-----\n"}"#;
    assert_screen(&ended, &["Key (hidden):", answer, "status 0", "tidy"]);
}

#[test]
fn the_variable_decides() {
    let question = json!({"kind": "text", "message": "Name?"});
    let bench = asking();
    let command = script(&bench, "exec \"$0\" ask \"$1\"", &question.to_string());
    let command = command.env("TERM", "dumb").env("BOT_CLI_PROMPTS", "rich");
    let mut terminal = Terminal::start(command, 24, 80).unwrap();
    terminal.wait_for_question("Name?").unwrap();
    terminal.press(ENTER).unwrap();
    terminal.end().unwrap();
}

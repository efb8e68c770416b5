//! Tests for questions at a real terminal.

use std::collections::BTreeMap;
use std::path::Path;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::pty::{CTRL_C, CTRL_D, ENTER, ESCAPE, Ended, Terminal};
use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;

use super::bench;

/// Creates a bench with a plugin that asks the questions in its argument.
pub fn asking() -> Bench {
    let bench = bench();
    bench
        .install(Path::new(env!("CARGO_BIN_EXE_it-ask")), "bin/bot-cli-ask")
        .unwrap();
    bench
}

/// Asks a question through the host at a terminal.
fn ask(question: &str) -> (Bench, Terminal) {
    let bench = asking();
    let terminal = Terminal::in_shell(&bench, &["bot-cli", "ask", question]).unwrap();
    (bench, terminal)
}

#[track_caller]
fn assert_ends(ended: &Ended, lines: &[&str]) {
    let shown: Vec<&str> = ended.screen.lines().rev().take(lines.len()).collect();
    let shown: Vec<&str> = shown.into_iter().rev().map(str::trim_end).collect();
    assert_eq!(shown, lines, "{}", ended.screen);
}

/// A case in `prompts.toml`.
#[derive(Deserialize)]
struct Case {
    ask: String,
    plain: Option<String>,
    keys: Vec<(String, String)>,
    ends: Vec<String>,
    once: Option<String>,
    absent: Option<String>,
}

#[test]
fn questions_are_asked_and_answered_as_the_cases_say() {
    let mut cases: BTreeMap<String, Vec<Case>> =
        toml::from_str(include_str!("prompts.toml")).unwrap();
    for case in cases.remove("case").unwrap() {
        let bench = asking();
        let ask = [
            "env",
            case.plain.as_deref().unwrap_or("A=B"),
            "bot-cli",
            "ask",
            &case.ask,
        ];
        let mut terminal = Terminal::in_shell(&bench, &ask).unwrap();
        for (shown, keys) in &case.keys {
            if case.plain.is_some() {
                terminal.wait_for_last(shown).unwrap();
            } else {
                terminal.wait_for(shown).unwrap();
            }
            terminal.press(keys).unwrap();
        }
        let ended = terminal.end().unwrap();
        let lines: Vec<&str> = case.ends.iter().map(String::as_str).collect();
        assert_ends(&ended, &lines);
        let count = |text: &String| ended.output.matches(text).count();
        assert_eq!(case.once.as_ref().map_or(1, count), 1, "{}", ended.output);
        assert_eq!(case.absent.as_ref().map_or(0, count), 0, "{}", ended.output);
        let commands = ended.output.contains(['\u{1b}', '\u{7}', '\u{8}']);
        assert!(case.plain.is_none() || !commands, "{}", ended.output);
    }
}

#[test]
fn ctrl_c_ctrl_d_and_escape_cancel_and_leave_a_tidy_terminal() {
    for kind in ["text", "password", "confirm", "select", "multiselect"] {
        let choices = r#""choices":[{"value":"a","label":"Alpha"}]"#;
        for key in [CTRL_C, CTRL_D, ESCAPE] {
            let (_bench, mut terminal) = ask(&format!(r#"{{"kind":"{kind}",{choices}}}"#));
            terminal.wait_for("What").unwrap();
            terminal.press(key).unwrap();
            let ended = terminal.end().unwrap();
            assert_ends(&ended, &["cancelled", "status 130", "tidy"]);
            assert!(!ended.screen.contains("(cancelled)"), "{}", ended.screen);
        }
    }
}

#[test]
fn a_signal_at_a_question_leaves_a_tidy_terminal() {
    let (_bench, mut terminal) = ask(r#"{"kind":"text"}"#);
    terminal.wait_for("What").unwrap();
    let screen = terminal.screen();
    let host: String = screen
        .split("What ")
        .nth(1)
        .unwrap()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    kill_process(Pid::from_raw(host.parse().unwrap()).unwrap(), Signal::TERM).unwrap();
    assert_ends(
        &terminal.end().unwrap(),
        &["cancelled", "status 143", "tidy"],
    );
}

#[test]
fn a_question_without_a_terminal_is_a_usage_error() {
    let bench = bench();
    bench
        .script(
            "plugins/bot-cli-ask",
            r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"ask","about":"Ask"}
read -r request
printf '%s\n' '{"jsonrpc":"2.0","id":"q","method":"ask","params":{"key":"name","kind":"text","message":"Name","flag":"--name"}}'
read -r answer
printf '%s\n' "$answer" | sed 's/"id":"q"/"id":1/'
"#,
        )
        .unwrap();
    super::expect(
        &bench,
        &["ask"],
        2,
        "",
        "error: `--name` is missing, and there is no terminal to ask on\n",
    );
}

#[test]
fn a_password_is_nowhere_to_be_seen_whatever_becomes_of_its_plugin() {
    for end in [
        "printf 'the token is %s\\n' \"$token\"",
        "printf '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"%s\"}\\n' \"$token\"",
        "printf '{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ask\",\"params\":\"%s\"}\\n' \"$token\"; read -r _",
        "kill -SEGV $$",
        "exit 3",
    ] {
        let bench = bench();
        let script = format!(
            r#"#!/bin/sh
# bot-cli-plugin: {{"protocol":"1.0","name":"ask","about":"Ask"}}
read -r _
echo '{{"jsonrpc":"2.0","id":"q","method":"ask","params":{{"key":"token","kind":"password","message":"Token"}}}}'
read -r answer
token=${{answer##*\"value\":\"}}
token=${{token%%\"*}}
echo "$token" >token
{end}
"#
        );
        bench.script("plugins/bot-cli-ask", &script).unwrap();
        for words in [
            &["bot-cli", "-vv", "ask"][..],
            &["bot-cli", "-vv", "--json", "ask"],
        ] {
            let mut terminal = Terminal::in_bench(&bench, words, 24, 100).unwrap();
            terminal.wait_for("Token").unwrap();
            terminal.press(&format!("canary-7{ENTER}")).unwrap();
            let ended = terminal.end().unwrap();
            assert_eq!(ended.status.code(), Some(125), "{end}: {}", ended.output);
            assert!(!ended.output.contains("canary"), "{end}: {}", ended.output);
            let token = std::fs::read_to_string(bench.path("work/token")).unwrap();
            assert_eq!(token, "canary-7\n", "{end}");
        }
    }
}

//! Questions at a real terminal.

use std::path::Path;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::pty::{CTRL_C, CTRL_D, DOWN, ENTER, ESCAPE, Ended, Terminal};
use pty_process::blocking::Command;
use rustix::process::{Pid, Signal, kill_process};

use super::bench;

/// A bench with a plugin that asks what its argument says.
pub fn asking() -> Bench {
    let bench = bench();
    bench
        .install(Path::new(env!("CARGO_BIN_EXE_it-ask")), "bin/bot-cli-ask")
        .unwrap();
    bench
}

/// A shell script at a terminal, with the host as `$0` and a question as `$1`.
pub fn script(bench: &Bench, script: &str, question: &str) -> Command {
    Command::new("/bin/sh")
        .args(["-c", script])
        .arg(bench.path("bin/bot-cli"))
        .arg(question)
        .env_clear()
        .envs(bench.environment())
        .current_dir(bench.path("work"))
}

/// Asks, and tells the status and whether the terminal is as it was.
pub const ASK: &str =
    "\"$0\" ask \"$1\"; echo \"status $?\"; stty -a | grep -wq icanon && echo tidy";

/// The host at a terminal.
fn ask(question: &str) -> (Bench, Terminal) {
    let bench = asking();
    let terminal = Terminal::start(script(&bench, ASK, question), 24, 100).unwrap();
    (bench, terminal)
}

#[track_caller]
pub fn assert_ends(ended: &Ended, lines: &[&str]) {
    let shown: Vec<&str> = ended.screen.lines().rev().take(lines.len()).collect();
    let shown: Vec<&str> = shown.into_iter().rev().map(str::trim_end).collect();
    assert_eq!(shown, lines, "{}", ended.screen);
}

#[test]
fn every_kind_of_question_is_answered() {
    let choices = r#""choices":[{"value":"a_stt","label":"Alpha","about":"first"},{"value":"b_stt","label":"Beta"},{"value":"c_stt","label":"Gamma"}]"#;
    for (kind, rest, keys, value) in [
        (
            "text",
            r#""default":"Ann""#.to_owned(),
            format!("Bob{ENTER}"),
            r#""Bob""#,
        ),
        (
            "password",
            r#""help":"hidden""#.to_owned(),
            format!("hunter2{ENTER}"),
            r#""hunter2""#,
        ),
        (
            "confirm",
            r#""default":false"#.to_owned(),
            ENTER.to_owned(),
            "false",
        ),
        (
            "select",
            choices.to_owned(),
            format!("{DOWN}{ENTER}"),
            r#""b_stt""#,
        ),
        (
            "select",
            choices.to_owned(),
            format!("gam{ENTER}"),
            r#""c_stt""#,
        ),
        (
            "multiselect",
            choices.to_owned(),
            format!(" {DOWN}{DOWN} {ENTER}"),
            r#"["a_stt","c_stt"]"#,
        ),
    ] {
        let (_bench, mut terminal) = ask(&format!(r#"{{"kind":"{kind}",{rest}}}"#));
        terminal.wait_for("What").unwrap();
        terminal.press(&keys).unwrap();
        let ended = terminal.end().unwrap();
        let answer = format!(r#"{{"action":"accept","value":{value}}}"#);
        assert_ends(&ended, &[&answer, "status 0", "tidy"]);
        if kind == "password" {
            assert_eq!(
                ended.output.matches("hunter2").count(),
                1,
                "only the plugin's own answer"
            );
        }
    }
}

#[test]
fn a_pasted_password_has_its_lines() {
    // Terminals send CR for the ends of pasted lines.
    let lines = "-----BEGIN\ra\rEND-----\r".to_owned();
    for (pasted, marked) in [
        (format!("\u{1b}[200~{lines}\u{1b}[201~"), true),
        (lines, false),
    ] {
        let (_bench, mut terminal) = ask(r#"{"kind":"password","help":"hidden"}"#);
        terminal.wait_for("[hidden]").unwrap();
        terminal.press(&pasted).unwrap();
        terminal.wait_for("(3 lines, Enter to go on)").unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        let answer = r#"{"action":"accept","value":"-----BEGIN\na\nEND-----\n"}"#;
        assert_ends(&ended, &[answer, "status 0", "tidy"]);
        let question = ended.screen.lines().find(|line| line.starts_with("> What"));
        let question = question.unwrap().trim_end();
        assert!(question.ends_with(" (hidden, 3 lines)"), "{question}");
        assert_eq!(ended.output.matches("BEGIN").count(), 1, "marked: {marked}");
    }
}

#[test]
fn escape_goes_back_where_that_is_allowed() {
    let (_bench, mut terminal) = ask(r#"{"kind":"text","back":true}"#);
    terminal.wait_for("Esc to go back").unwrap();
    terminal.press(ESCAPE).unwrap();
    assert_ends(
        &terminal.end().unwrap(),
        &[r#"{"action":"back"}"#, "status 0", "tidy"],
    );
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
fn a_question_commands_no_terminal_and_shows_its_problem() {
    let (_bench, mut terminal) = ask(
        r#"{"kind":"text","message":"\u001b[2JWhat\u001b]0;title\u0007 now","problem":"too short","details":"Two lines\nabove","help":"eight letters"}"#,
    );
    terminal.wait_for("[eight letters]").unwrap();
    let screen = terminal.screen();
    let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
    let shown: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    assert_eq!(
        shown,
        [
            "Two lines",
            "above",
            "too short",
            "? What now",
            "[eight letters]"
        ]
    );
    terminal.press(&format!("x{ENTER}")).unwrap();
    let ended = terminal.end().unwrap();
    assert!(!ended.output.contains("title"), "{}", ended.output);
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
        for words in [&["-vv", "ask"][..], &["-vv", "--json", "ask"]] {
            let command = Command::new(bench.path("bin/bot-cli"))
                .args(words)
                .env_clear()
                .envs(bench.environment())
                .current_dir(bench.path("work"));
            let mut terminal = Terminal::start(command, 24, 100).unwrap();
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

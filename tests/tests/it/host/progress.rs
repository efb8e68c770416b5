//! Tests for the progress line, which is shown only on a terminal and cleared before any other output.

use std::fs;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::pty::{CTRL_C, Ended, Terminal};

use super::{bench, expect};

/// A plugin that reports progress and waits until a test writes to the pipe `go`. Then the work finishes, or ends when cancelled.
const WORK: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"work","about":"Work"}
say() { printf '%s\n' "$1"; }
read -r _
say '{"jsonrpc":"2.0","method":"progress","params":{"id":1,"message":"Uploading a name that is far too long for the line that it is to be shown on","current":1,"total":2}}'
test -p go && read -r word < go
case $word in
cancelled) read -r _; say '{"jsonrpc":"2.0","id":1,"error":{"code":130,"message":"cancelled"}}';;
*) say '{"jsonrpc":"2.0","method":"log","params":{"id":1,"level":"warn","message":"slow"}}'
   say '{"jsonrpc":"2.0","method":"output","params":{"id":1,"text":"first\n"}}'
   say '{"jsonrpc":"2.0","method":"progress","params":{"id":1,"message":"Nearly"}}'
   say '{"jsonrpc":"2.0","id":1,"result":{"text":"done\n","data":"done"}}';;
esac
"#;

fn working() -> Bench {
    let bench = bench();
    bench.script("plugins/bot-cli-work", WORK).unwrap();
    bench
}

/// Runs the plugin at a terminal and returns the result.
fn watched(options: &[&str], word: &str) -> Ended {
    let bench = working();
    let go = bench.path("work/go");
    let made = std::process::Command::new("mkfifo").arg(&go).status();
    assert!(made.unwrap().success());
    let words = [&["bot-cli", "work"], options].concat();
    let mut terminal = Terminal::in_bench(&bench, &words, 24, 60).unwrap();
    terminal.wait_for("Uploading a name").unwrap();
    terminal.wait_for("… 1/2").unwrap();
    fs::write(&go, format!("{word}\n")).unwrap();
    if word == "cancelled" {
        terminal.press(CTRL_C).unwrap();
    }
    terminal.end().unwrap()
}

fn lines(ended: &Ended) -> Vec<&str> {
    ended.screen.lines().map(str::trim_end).collect()
}

#[test]
fn progress_is_shown_at_a_terminal_and_leaves_nothing_behind() {
    let ended = watched(&[], "go");
    assert_eq!(lines(&ended), ["warning: slow", "first", "done"]);
    let ended = watched(&["--json"], "go");
    assert_eq!(lines(&ended), ["warning: slow", "\"done\""]);
}

#[test]
fn progress_that_is_cancelled_leaves_nothing_behind() {
    let ended = watched(&[], "cancelled");
    assert_eq!(lines(&ended), ["cancelled"]);
    assert_eq!(ended.status.code(), Some(130));
}

#[test]
fn progress_is_not_shown_elsewhere() {
    let bench = working();
    let warning = "warning: slow\n";
    expect(&bench, &["work"], 0, "first\ndone\n", warning);
    expect(&bench, &["work", "--json"], 0, "\"done\"\n", warning);
    expect(&bench, &["-q", "work"], 0, "first\ndone\n", warning);
}

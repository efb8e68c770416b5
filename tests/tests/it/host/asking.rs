//! Tests with plugins that ask questions without waiting for the answers.

use std::fs;
use std::path::Path;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::pty::{CTRL_C, Terminal};

use super::bench_with_rogue;

/// Runs the misbehaving plugin at a terminal, in a shell.
fn run(bench: &Bench, words: &[&str]) -> Terminal {
    Terminal::in_shell(bench, &[&["bot-cli", "rogue"], words].concat()).unwrap()
}

fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

#[test]
fn a_question_goes_with_its_plugin() {
    for kind in ["text", "password", "confirm"] {
        let mut bench = bench_with_rogue();
        bench.set("IT_PATIENCE", "500");
        let go = bench.path("work/go");
        pipe(&go);
        let mut terminal = run(&bench, &["gone-asking", kind]);
        terminal.wait_for("Your name").unwrap();
        fs::write(&go, "").unwrap();
        let ended = terminal.end().unwrap();
        let shown: Vec<&str> = ended.screen.lines().map(str::trim_end).collect();
        assert!(
            shown.ends_with(&[
                "error: plugin `rogue` ended without a reply (exit status: 3)",
                "status 125",
                "tidy"
            ]),
            "{kind}: {}",
            ended.screen
        );
    }
}

#[test]
fn ctrl_c_at_a_question_cancels_a_plugin_that_goes_on() {
    let mut bench = bench_with_rogue();
    bench.set("IT_PATIENCE", "500");
    let mut terminal = run(&bench, &["stubborn-asking"]);
    terminal.wait_for("Your name").unwrap();
    terminal.press(CTRL_C).unwrap();
    let ended = terminal.end().unwrap();
    assert!(
        ended.screen.contains("cancelled\nstatus 130"),
        "{}",
        ended.screen
    );
    assert_eq!(
        fs::read_to_string(bench.path("work/heard")).unwrap(),
        "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{\"action\":\"cancel\"}}\n\
         {\"jsonrpc\":\"2.0\",\"method\":\"cancel\",\"params\":{\"id\":1,\"reason\":\"user\"}}\n"
    );
}

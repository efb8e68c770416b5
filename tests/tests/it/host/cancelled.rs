//! Tests that cancelled work ends at once, unless a guard protects it.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command as Process, Stdio};

use bot_cli_tests::bench::Bench;
use bot_cli_tests::pty::{CTRL_C, Ended, Terminal};

use super::bench;

fn bench_with_works() -> Bench {
    let bench = bench();
    let works = Path::new(env!("CARGO_BIN_EXE_it-works"));
    bench.install(works, "bin/bot-cli-works").unwrap();
    bench
}

/// Runs a command and presses Ctrl-C once the terminal shows `shown`.
fn cancelled(bench: &Bench, words: &[&str], shown: &str) -> Ended {
    let mut terminal = Terminal::in_shell(bench, words).unwrap();
    terminal.wait_for(shown).unwrap();
    terminal.press(CTRL_C).unwrap();
    terminal.end().unwrap()
}

#[test]
fn ctrl_c_ends_work_that_never_looks() {
    let bench = bench_with_works();
    let by_hand = bench.path("bin/bot-cli-works").display().to_string();
    let host = bench.path("bin/bot-cli").display().to_string();
    for run in [&[host.as_str(), "works"][..], &[&by_hand]] {
        for (how, shown) in [
            ("free", "working"),
            ("freed", "working"),
            ("asking", "The word"),
        ] {
            let ended = cancelled(&bench, &[run, &[how]].concat(), shown);
            let screen = ended.screen.trim_end();
            assert!(
                screen.ends_with("cancelled\nstatus 130\ntidy"),
                "{run:?} {how}: {screen}"
            );
            assert!(!screen.contains("waiting"), "{run:?} {how}: {screen}");
            assert!(how == "asking" || !screen.contains("working"), "{screen}");
        }
    }
}

#[test]
fn ctrl_c_ends_the_work_of_a_new_plugin_in_sh() {
    let bench = bench();
    let new = bench
        .run(&["plugin", "new", "demo", "--lang", "sh"])
        .unwrap();
    assert_eq!(new.status, Some(0), "{new:?}");
    let plugin = fs::read_to_string(bench.path("work/bot-cli-demo/bot-cli-demo")).unwrap();
    let plugin = plugin.replace("    echo \"Hello", "    sleep 30\n    echo \"Hello");
    bench.script("plugins/bot-cli-demo", &plugin).unwrap();
    let ended = cancelled(&bench, &["bot-cli", "demo", "world"], "Greeting world");
    let screen = ended.screen.trim_end();
    assert_eq!(
        screen
            .lines()
            .collect::<Vec<_>>()
            .join("|")
            .replace("^C", ""),
        "cancelled|status 130|tidy"
    );
}

#[test]
fn guarded_work_is_finished_and_its_result_counts() {
    let bench = bench_with_works();
    let by_hand = bench.path("bin/bot-cli-works").display().to_string();
    let host = bench.path("bin/bot-cli").display().to_string();
    for run in [&[host.as_str(), "works"][..], &[&by_hand]] {
        let ended = cancelled(&bench, &[run, &["guarded"]].concat(), "working");
        let screen = ended.screen.trim_end();
        assert!(screen.ends_with("finished\nstatus 0\ntidy"), "{screen}");
    }
}

#[test]
fn whoever_waits_is_told_how_to_end_it() {
    let bench = bench_with_works();
    let host = bench.path("bin/bot-cli").display().to_string();
    let mut terminal = Terminal::in_shell(&bench, &[&host, "works", "deaf"]).unwrap();
    terminal.wait_for("working").unwrap();
    terminal.press(CTRL_C).unwrap();
    let told = "waiting for `works` to stop; Ctrl-C again ends it";
    terminal.wait_for(told).unwrap();
    terminal.press(CTRL_C).unwrap();
    let ended = terminal.end().unwrap();
    let screen = ended.screen.trim_end();
    assert!(screen.ends_with("cancelled\nstatus 130\ntidy"), "{screen}");
    assert_eq!(screen.matches(told).count(), 1, "{screen}");
}

/// Returns the lines that a plugin sends in reply to `lines`.
fn replies(lines: &str) -> Vec<String> {
    let mut plugin = Process::new(env!("CARGO_BIN_EXE_it-works"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = plugin.stdin.take().unwrap();
    input.write_all(lines.as_bytes()).unwrap();
    drop(input);
    let said = plugin.wait_with_output().unwrap().stdout;
    let said = String::from_utf8(said).unwrap();
    let replies = said.lines().filter(|line| !line.contains(r#""method""#));
    replies.map(str::to_owned).collect()
}

fn run(id: u8, how: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"run","params":{{"protocol":"1.0","argv":["{how}"]}}}}"#
    ) + "\n"
}

fn cancel(id: u8) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"cancel","params":{{"id":{id}}}}}"#) + "\n"
}

fn reply(id: u8) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":130,"message":"cancelled","data":{{"code":"cancelled"}}}}}}"#
    )
}

#[test]
fn every_request_is_replied_to_once() {
    let [first, second] = [run(1, "free"), run(2, "free")];
    let both = [reply(1), reply(2)];
    // The second one is wanted until the last line.
    assert_eq!(
        replies(&[first, second, cancel(1), cancel(2)].concat()),
        both
    );
    let lines = [run(1, "said"), run(2, "free"), cancel(2)].concat();
    let said = replies(&lines);
    assert!(said[0].contains(r#""text":"said\n""#), "{said:?}");
    assert_eq!(said[1..], [reply(2)]);
    // One that is wanted keeps the process, and with it the work before.
    let said = replies(&[run(1, "guarded"), run(2, "said"), cancel(1)].concat());
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[1].contains(r#""text":"said\n""#), "{said:?}");
}

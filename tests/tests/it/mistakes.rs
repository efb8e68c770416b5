//! Tests for user mistakes. `mistakes.txt` shows each mistake with its complete output, for people to read. To add a mistake, append a line
//! that starts with `$` and contains the command. `UPDATE=1` rewrites the output.

use std::thread;

use bot_cli_tests::bench::Bench;

use super::assert_snapshot;

const FILE: &str = "mistakes.txt";
const LINES: &str = include_str!("mistakes.txt");

/// The prefix of every secret value in the list.
const CANARY: &str = "sk-canary-";

#[test]
fn every_mistake_has_its_answer() {
    let commands: Vec<&str> = LINES
        .lines()
        .filter(|line| line.starts_with("$ "))
        .collect();
    assert!(commands.len() > 200);
    let share = commands.len().div_ceil(4);
    let answers: Vec<String> = thread::scope(|scope| {
        let shares: Vec<_> = commands
            .chunks(share)
            .map(|commands| {
                scope.spawn(|| commands.iter().map(|line| answer(line)).collect::<String>())
            })
            .collect();
        shares
            .into_iter()
            .map(|share| share.join().unwrap())
            .collect()
    });
    assert_snapshot(FILE, &answers.concat());
}

#[test]
fn no_answer_repeats_a_value() {
    let answers = LINES.lines().filter(|line| !line.starts_with("$ "));
    assert_eq!(answers.filter(|line| line.contains(CANARY)).count(), 0);
}

/// Runs a command in a new home directory. Returns the command, its output and its exit status.
fn answer(line: &str) -> String {
    let script = format!("{{ {}; }} 2>&1", line.trim_start_matches("$ "));
    let ran = Bench::whole().unwrap().shell(&script).unwrap();
    format!("{line}\n{}= {}\n\n", ran.stdout, ran.status.unwrap())
}

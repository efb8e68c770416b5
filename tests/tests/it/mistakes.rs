//! Mistakes, each with the whole answer: `mistakes.txt` is there to be read. A line is added as `$ COMMAND`; with `UPDATE=1` the
//! answers are written anew.

use std::thread;

use bot_cli_tests::bench::Bench;

use super::assert_snapshot;

const FILE: &str = "mistakes.txt";
const LINES: &str = include_str!("mistakes.txt");

/// What is typed in the list as a secret value begins so.
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

/// The command in a fresh home, and below it what it prints and its status.
fn answer(line: &str) -> String {
    let script = format!("{{ {}; }} 2>&1", line.trim_start_matches("$ "));
    let ran = Bench::whole().unwrap().shell(&script).unwrap();
    format!("{line}\n{}= {}\n\n", ran.stdout, ran.status.unwrap())
}

//! Done, not done and unknown are three things, whatever the network does: hundreds of drawn operations, and no untrue word.
//! `tests/e2e/draws.rs` draws thousands.

use std::io::Write as _;

use bot_cli_tests::outcomes::{Executable, InProcess, run};
use bot_cli_tests::tally::Tally;

/// Both families of paths have a share of the work.
fn assert_true(tallies: [Tally; 2], operations: usize, endings: &[&str]) {
    for tally in tallies {
        // Figures of a test that passes are shown with `--nocapture`.
        let _ = writeln!(std::io::stderr(), "{tally}");
        assert_eq!(tally.total(), operations / 2);
        assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n\n"));
        for ending in endings {
            assert!(
                tally.counts.contains_key(*ending),
                "never {ending}: {tally}"
            );
        }
    }
}

#[test]
fn six_hundred_operations_say_nothing_untrue() {
    let operations = 600;
    let families = [true, false];
    let tallies =
        families.map(|with_key| run(1, operations / 2, 16, || InProcess { with_key }).unwrap());
    assert_true(tallies, operations, &["done", "not done", "unknown"]);
}

#[test]
fn a_hundred_runs_of_the_executable_say_nothing_untrue() {
    let operations = 100;
    let tallies = [true, false].map(|with_key| {
        run(7, operations / 2, 8, || Executable {
            path: env!("CARGO_BIN_EXE_it-bot-cli-cloud").into(),
            with_key,
        })
        .unwrap()
    });
    assert_true(tallies, operations, &["done", "not done"]);
}

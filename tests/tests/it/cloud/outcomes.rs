//! Tests that done, not done and unknown are distinct outcomes, whatever the network does. Hundreds of random operations must produce no
//! false claim. The executable `outcomes` runs any number.

use std::io::Write as _;
use std::path::PathBuf;

use bot_cli_tests::outcomes::{Runner, run};
use bot_cli_tests::tally::Tally;

/// Asserts that no claim was false, that every ending occurred, and that each family of paths ran half of the operations.
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

fn drawn(seed: u64, operations: usize, hands: usize, executable: Option<&str>) -> [Tally; 2] {
    [true, false].map(|with_key| {
        let executable = executable.map(PathBuf::from);
        let runner = Runner {
            with_key,
            executable,
        };
        run(seed, operations / 2, hands, &runner).unwrap()
    })
}

#[test]
fn six_hundred_operations_say_nothing_untrue() {
    let tallies = drawn(1, 600, 16, None);
    assert_true(tallies, 600, &["done", "not done", "unknown"]);
}

#[test]
fn a_hundred_runs_of_the_executable_say_nothing_untrue() {
    let executable = env!("CARGO_BIN_EXE_it-bot-cli-cloud");
    let tallies = drawn(7, 100, 8, Some(executable));
    assert_true(tallies, 100, &["done", "not done"]);
}

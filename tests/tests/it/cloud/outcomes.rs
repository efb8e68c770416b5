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

fn drawn(seed: u64, operations: usize, hands: usize, runner: &Runner) -> [Tally; 2] {
    [true, false].map(|with_key| {
        let runner = Runner {
            with_key,
            ..runner.clone()
        };
        run(seed, operations / 2, hands, &runner).unwrap()
    })
}

#[test]
fn six_hundred_operations_say_nothing_untrue() {
    let tallies = drawn(1, 600, 16, &Runner::default());
    assert_true(tallies, 600, &["done", "not done", "unknown"]);
}

#[test]
fn a_hundred_runs_of_the_executable_say_nothing_untrue() {
    let runner = Runner {
        executable: Some(PathBuf::from(env!("CARGO_BIN_EXE_it-bot-cli-cloud"))),
        ..Runner::default()
    };
    let tallies = drawn(7, 100, 8, &runner);
    assert_true(tallies, 100, &["done", "not done"]);
}

#[test]
fn two_thousand_changes_of_settings_say_what_the_agent_has() {
    let runner = Runner {
        only_settings: true,
        ..Runner::default()
    };
    let tallies = drawn(3, 2000, 16, &runner);
    assert_true(tallies, 2000, &["done", "not done", "unknown"]);
}

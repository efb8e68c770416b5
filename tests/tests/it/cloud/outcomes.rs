//! Tests that done, not done and unknown are distinct outcomes, whatever the network does. Hundreds of random operations must produce no
//! false claim. The executable `outcomes` runs any number.

use std::io::Write as _;

use bot_cli_tests::outcomes::{Runner, run};

/// Runs half of the operations in each family of paths. Asserts that no claim is false and that every ending occurs.
fn assert_true(seed: u64, operations: usize, only_settings: bool) {
    for with_key in [true, false] {
        let runner = Runner {
            with_key,
            only_settings,
        };
        let tally = run(seed, operations / 2, 16, &runner).unwrap();
        // Figures of a test that passes are shown with `--nocapture`.
        let _ = writeln!(std::io::stderr(), "{tally}");
        assert_eq!(tally.total(), operations / 2);
        assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n\n"));
        for ending in ["done", "not done", "unknown"] {
            assert!(tally.counts.contains_key(ending), "never {ending}: {tally}");
        }
    }
}

#[test]
fn six_hundred_operations_say_nothing_untrue() {
    assert_true(1, 600, false);
}

#[test]
fn two_thousand_changes_of_settings_say_what_the_agent_has() {
    assert_true(3, 2000, true);
}

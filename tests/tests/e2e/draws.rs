//! Larger runs of the random tests in `cargo test`.

use bot_cli_tests::outcomes::{Runner, run};
use bot_cli_tests::tally::Tally;

#[track_caller]
fn assert_true(tally: &Tally, endings: &[&str]) {
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n\n"));
    for ending in endings {
        let seen = tally.counts.contains_key(*ending);
        assert!(seen, "never {ending}: {tally}");
    }
}

#[test]
fn two_thousand_operations_say_nothing_untrue() {
    for with_key in [true, false] {
        let executable = None;
        let library = Runner {
            with_key,
            executable,
        };
        let tally = run(2, 1_000, 16, &library).unwrap();
        assert_true(&tally, &["done", "not done", "partly done", "unknown"]);
    }
}

#[test]
fn two_hundred_runs_of_the_executable_say_nothing_untrue() {
    for with_key in [true, false] {
        let executable = Some(env!("CARGO_BIN_EXE_it-bot-cli-cloud").into());
        let tally = run(
            8,
            100,
            8,
            &Runner {
                with_key,
                executable,
            },
        )
        .unwrap();
        assert_true(&tally, &["done", "not done", "unknown"]);
    }
}

//! Hostile provider packs, all of them: `cargo test` draws a few.

use bot_cli_tests::hostile;

#[test]
fn no_byte_of_a_hundred_thousand_drawn_packs_is_outside_its_grammar() {
    let hands = std::thread::available_parallelism().map_or(2, usize::from);
    let tally = hostile::run(1, 100_000, hands);
    eprintln!("{tally}");
    let first: Vec<&String> = tally.escapes.iter().take(10).collect();
    assert!(first.is_empty(), "{tally}: {first:#?}");
    assert_eq!(tally.of("packs"), 100_000);
    // What is refused whole never gets near code.
    assert!(tally.of("projects") > 50_000, "{tally}");
    assert!(tally.of("services left out") > 50_000, "{tally}");
}

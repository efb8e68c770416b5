//! Thousands of hostile provider packs. `cargo test` draws a few, and `hostile-packs` draws any number.

use bot_cli_tests::hostile;

const PACKS: usize = 6_000;

#[test]
fn no_byte_of_thousands_of_drawn_packs_is_outside_its_grammar() {
    let hands = std::thread::available_parallelism().map_or(2, usize::from);
    let tally = hostile::run(1, PACKS, hands);
    eprintln!("{tally}");
    let first: Vec<&String> = tally.wrong.iter().take(10).collect();
    assert!(first.is_empty(), "{tally}: {first:#?}");
    assert_eq!(tally.of("packs"), PACKS);
    // What is refused whole never gets near code.
    assert!(tally.of("projects") > PACKS / 3, "{tally}");
    assert!(tally.of("services left out") > PACKS / 3, "{tally}");
}

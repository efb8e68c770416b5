use bot_cli_tests::hostile;

#[test]
fn no_byte_of_a_drawn_pack_is_outside_its_grammar() {
    let tally = hostile::run(7, 200, 2);
    let first: Vec<&String> = tally.wrong.iter().take(5).collect();
    assert!(first.is_empty(), "{tally}: {first:#?}");
    assert!(tally.of("projects") > 50, "{tally}");
    assert!(tally.of("services left out") > 80, "{tally}");
}

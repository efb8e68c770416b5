//! Tests for the published dotenv dialect, which `tests/e2e/dotenv.rs` compares with python-dotenv.

use std::collections::BTreeMap;

use bot_cli_cloud::parse_dotenv;

/// Inputs that dotenv parsers interpret differently, each with the expected values, or null if our parser rejects the input.
const VECTORS: &str = include_str!("dotenv/vectors.json");

#[test]
fn vectors_give_what_is_published() {
    type Values = BTreeMap<String, Option<String>>;
    let vectors: Vec<(String, Option<Values>)> = serde_json::from_str(VECTORS).unwrap();
    assert!(vectors.len() > 40);
    for (text, expected) in vectors {
        let read = parse_dotenv(&text);
        let pairs = read.bindings.into_iter();
        let values: Values = pairs
            .map(|binding| (binding.key, Some(binding.value.expose().to_owned())))
            .collect();
        let ours = read.problems.is_empty().then_some(values);
        assert_eq!(ours, expected, "{text:?}");
    }
}

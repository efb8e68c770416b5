//! Tests that the code blocks in `README.md` compile, and that the plugin shown there is one of the examples.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Blocks;

#[cfg(test)]
#[test]
fn the_plugin_that_it_shows_is_the_example() {
    let shown = include_str!("../README.md")
        .split_once("```rs\n//! `bot-cli hello`")
        .and_then(|(_, rest)| rest.split_once("```\n"))
        .map(|(shown, _)| format!("//! `bot-cli hello`{shown}"));
    let example = include_str!("../examples/hello/src/main.rs");
    assert_eq!(shown.as_deref(), Some(example));
}

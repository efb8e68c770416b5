//! The completion script for fish, in a fish that somebody types into.

use super::typing::{ROUNDS, Shell};

#[test]
fn what_is_completed_in_fish_is_what_the_plugin_gets() {
    let shell = Shell {
        command: &["fish", "--no-config", "-i"],
        setup: "bot-cli completions fish | source",
    };
    shell.assert_completes(ROUNDS.iter());
}

//! The completion script for zsh, in a zsh that somebody types into.

use super::typing::{ROUNDS, Shell};

#[test]
fn what_is_completed_in_zsh_is_what_the_plugin_gets() {
    let shell = Shell {
        command: &["zsh", "-f", "-i"],
        setup: "autoload -Uz compinit; compinit -u -D; source <(bot-cli completions zsh)",
    };
    shell.assert_completes(ROUNDS.iter());
}

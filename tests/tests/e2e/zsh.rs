//! The completion script for zsh, in a zsh that somebody types into.

use super::typing::{ROUNDS, Shell};

#[test]
fn what_is_completed_in_zsh_is_what_the_plugin_gets() {
    let sourced = "autoload -Uz compinit; compinit -u -D; source <(bot-cli completions zsh)";
    // As packages install it: read when it is needed first.
    let installed = "mkdir -p ~/.local/share/zsh/site-functions; bot-cli completions zsh >~/.local/share/zsh/site-functions/_bot-cli; fpath=(~/.local/share/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D";
    for (setup, rounds) in [(sourced, ROUNDS), (installed, &ROUNDS[..2])] {
        let shell = Shell {
            command: &["zsh", "-f", "-i"],
            setup,
        };
        shell.assert_completes(rounds.iter());
    }
}

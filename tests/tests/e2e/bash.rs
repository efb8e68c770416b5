//! The completion script for bash, in a bash that somebody types into.

use super::typing::{ROUNDS, Shell};

#[test]
fn what_is_completed_in_bash_is_what_the_plugin_gets() {
    let setup = "bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; source <(bot-cli completions bash)";
    let shell = Shell {
        command: &["bash", "--norc", "--noprofile", "-i"],
        setup,
    };
    let only_here = [("tree plant new\t", r#"["plant","new\nline"]"#)];
    shell.assert_completes(ROUNDS.iter().chain(&only_here));
}

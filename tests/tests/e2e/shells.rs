//! Completion scripts in interactive shells, with Tab pressed wherever something can be completed.

use bot_cli_tests::bench::Bench;
use bot_cli_tests::pty::{CTRL_U, ENTER, Terminal};
use pty_process::blocking::Command;

const TREE: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"tree","command":{"name":"tree","commands":[{"name":"plant","about":"Plant one","arguments":[{"name":"kind","kind":"positional","completion":"dynamic"},{"name":"file","long":"file","kind":"option","completion":"file"},{"name":"size","long":"size","kind":"option","values":[{"value":"small"},{"value":"very large"}]},{"name":"program","kind":"positional","last":true,"repeatable":true,"completion":"command"}]},{"name":"show"}]}}
[ $# -gt 0 ] && exit
read -r request
case $request in
*'"method":"complete"'*) cat <<'END'
{"jsonrpc":"2.0","id":1,"result":{"candidates":[{"value":"oak"},{"value":"two words"},{"value":"z$(touch made)"},{"value":"it's"},{"value":"new\nline"},{"value":"a:b c"}]}}
END
;;
*) printf '%s' "$request" >request; printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"text":"ran\n"}}' ;;
esac
"#;

/// The keys to type, and the arguments that the plugin must then receive.
const ROUNDS: &[(&str, &str)] = &[
    ("tree pl\toa\t", r#"["plant","oak"]"#),
    ("tree plant \"oa\t", r#"["plant","oak"]"#),
    ("tree plant --size=s\t", r#"["plant","--size=small"]"#),
    ("tree plant --file a\t", r#"["plant","--file","a file"]"#),
    ("tree plant --file=a\t", r#"["plant","--file=a file"]"#),
    ("--quiet tree sh\t", r#"["show"]"#),
    ("tree plant -- base64\t", r#"["plant","--","base64"]"#),
    (
        "tree plant -- base64 a\t",
        r#"["plant","--","base64","a file"]"#,
    ),
];

/// Rounds with candidates that need quotes.
const QUOTED: &[(&str, &str)] = &[
    ("tree plant tw\t", r#"["plant","two words"]"#),
    ("tree plant two\\ w\t", r#"["plant","two words"]"#),
    ("tree plant \"tw\t", r#"["plant","two words"]"#),
    ("tree plant 'tw\t", r#"["plant","two words"]"#),
    ("tree plant z\t", r#"["plant","z$(touch made)"]"#),
    ("tree plant \"z\t", r#"["plant","z$(touch made)"]"#),
    ("tree plant 'z\t", r#"["plant","z$(touch made)"]"#),
    ("tree plant it\t", r#"["plant","it's"]"#),
    ("tree plant 'it\t", r#"["plant","it's"]"#),
    ("tree plant a:\t", r#"["plant","a:b c"]"#),
    (
        "tree plant --size very\t",
        r#"["plant","--size","very large"]"#,
    ),
    (
        "tree plant --size=very\t",
        r#"["plant","--size=very large"]"#,
    ),
];

#[test]
fn what_is_completed_in_bash_is_what_the_plugin_gets() {
    let setup = "bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; source <(bot-cli completions bash)";
    let not_offered = ("tree plant z\t", r#"["plant","z"]"#);
    let rounds = [ROUNDS, &[not_offered]].concat();
    assert_completes("bash --norc --noprofile -i", setup, &rounds);
}

#[test]
fn what_is_completed_in_fish_is_what_the_plugin_gets() {
    let setup = "bot-cli completions fish | source";
    assert_completes("fish --no-config -i", setup, &[ROUNDS, QUOTED].concat());
}

#[test]
fn what_is_completed_in_zsh_is_what_the_plugin_gets() {
    let sourced = "autoload -Uz compinit; compinit -u -D; source <(bot-cli completions zsh)";
    assert_completes("zsh -f -i", sourced, &[ROUNDS, QUOTED].concat());
    // Without the shell's own set-up of completions, the script does it.
    let alone = "source <(bot-cli completions zsh)";
    assert_completes("zsh -f -i", alone, &ROUNDS[..2]);
    // As packages install it: read when it is needed first.
    let installed = "mkdir -p ~/.local/share/zsh/site-functions; bot-cli completions zsh >~/.local/share/zsh/site-functions/_bot-cli; fpath=(~/.local/share/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D";
    assert_completes("zsh -f -i", installed, &ROUNDS[..2]);
}

/// Starts a shell, sets it up, types each round, and checks the arguments that the plugin received.
fn assert_completes(shell: &str, setup: &str, rounds: &[(&str, &str)]) {
    let bench = Bench::new(&[("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli"))]).unwrap();
    bench.put("plugins/bot-cli-tree", TREE);
    std::fs::write(bench.path("work/a file"), "").unwrap();
    let mut words = shell.split(' ');
    let command = Command::new(words.next().unwrap())
        .args(words)
        .env_clear()
        .envs(bench.environment())
        .env("PS1", "ready> ")
        .env("LC_ALL", "C.UTF-8")
        .current_dir(bench.path("work"));
    let mut terminal = Terminal::start(command, 60, 120).unwrap();
    let mut type_in = |line: &str, said: &str| {
        terminal.press(line).unwrap();
        terminal.press(&format!("; echo {said}{ENTER}")).unwrap();
        terminal.wait_for(&format!("\n{said}")).unwrap();
    };
    type_in(setup, "set up");
    let request = bench.path("work/request");
    for (round, (keys, argv)) in rounds.iter().enumerate() {
        let _ = std::fs::remove_file(&request);
        let line = format!("{CTRL_U}clear; bot-cli {keys}");
        type_in(&line, &format!("round {round} is over"));
        let request = std::fs::read_to_string(&request).unwrap();
        let expected = format!(r#""argv":{argv},"#);
        assert!(request.contains(&expected), "{keys:?}: {request}");
    }
    assert!(!bench.path("work/made").exists());
}

//! Tests with plugins that are suspended, by using the terminal without permission or by Ctrl-Z.

use bot_cli_tests::bench::Bench;
use bot_cli_tests::pty::{CTRL_C, CTRL_Z, Terminal};
use pty_process::blocking::Command;

use super::bench_with_rogue;

fn at_a_terminal(bench: &Bench, program: &std::path::Path, arguments: &[&str]) -> Terminal {
    let command = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(bench.environment())
        .env("PS1", "% ")
        .current_dir(bench.path("work"));
    Terminal::start(command, 24, 100).unwrap()
}

#[test]
fn a_plugin_that_wants_the_terminal_is_named_with_the_mend() {
    let bench = bench_with_rogue();
    for mode in ["terminal", "terminal-child"] {
        let terminal = at_a_terminal(&bench, &bench.path("bin/bot-cli"), &["rogue", mode]);
        let ended = terminal.end().unwrap();
        assert_eq!(
            (
                ended.status.code(),
                ended.screen.trim_end().replace('\n', " ").as_str()
            ),
            (
                Some(125),
                "error: plugin `rogue` wants the terminal, which belongs to the host while the plugin works \
                 hint: the plugin's manifest has to declare a command that needs the terminal `direct`"
            ),
            "{mode}"
        );
    }
}

#[test]
fn ctrl_z_does_nothing_where_nobody_could_go_on() {
    let bench = bench_with_rogue();
    let mut terminal = at_a_terminal(&bench, &bench.path("bin/bot-cli"), &["rogue", "silent"]);
    terminal
        .wait_for_line(|line| line.parse::<u32>().is_ok())
        .unwrap();
    terminal.press(CTRL_Z).unwrap();
    terminal.wait_for("^Z").unwrap();
    terminal.press(CTRL_C).unwrap();
    assert_eq!(terminal.end().unwrap().status.code(), Some(130));
}

//! Tests with plugins that are suspended, by using the terminal without permission or by Ctrl-Z.

use bot_cli_tests::pty::{CTRL_C, CTRL_Z, Terminal};

use super::bench_with_rogue;

#[test]
fn a_plugin_that_wants_the_terminal_is_named_with_the_mend() {
    let bench = bench_with_rogue();
    for mode in ["terminal", "terminal-child"] {
        let words = ["bot-cli", "rogue", mode];
        let terminal = Terminal::in_bench(&bench, &words, 24, 100).unwrap();
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
    let words = ["bot-cli", "rogue", "silent"];
    let mut terminal = Terminal::in_bench(&bench, &words, 24, 100).unwrap();
    let is_process = |said: &str| said.trim().parse::<u32>().is_ok();
    terminal.wait_for_answer("its process", is_process).unwrap();
    terminal.press(CTRL_Z).unwrap();
    terminal.wait_for("^Z").unwrap();
    terminal.press(CTRL_C).unwrap();
    assert_eq!(terminal.end().unwrap().status.code(), Some(130));
}

//! Tests for leaving before all questions are answered. No files may remain afterwards.

use bot_cli_tests::pty::{CTRL_C, Terminal};

use super::{DOORS, WALK, Workspace, answer};

#[test]
fn ctrl_c_at_any_question_leaves_nothing() {
    for door in DOORS {
        for at in 0..WALK.len() {
            let workspace = Workspace::new();
            let mut terminal = workspace.start(door);
            answer(&mut terminal, &WALK[..at]);
            terminal.wait_for_question(WALK[at].0).unwrap();
            terminal.press(CTRL_C).unwrap();
            let ended = terminal.end().unwrap();
            assert_eq!(
                ended.status.code(),
                Some(130),
                "{door:?} {at}\n{}",
                ended.screen
            );
            assert!(workspace.is_untouched(), "{door:?} {at}");
        }
    }
}

#[test]
fn ctrl_c_in_a_list_as_high_as_the_terminal_leaves_no_scraps() {
    for door in DOORS {
        let workspace = Workspace::new();
        let mut terminal = Terminal::start(workspace.init(door), 15, 50).unwrap();
        answer(&mut terminal, &WALK[..3]);
        answer(
            &mut terminal,
            &[("Where do people talk to the bot?", "\u{1b}[B\r")],
        );
        terminal
            .wait_for_question("How do people connect to the bot?")
            .unwrap();
        terminal.wait_for("Space to mark").unwrap();
        terminal.press(CTRL_C).unwrap();
        let screen = terminal.end().unwrap().screen;
        assert_eq!(
            screen.lines().last(),
            Some("cancelled"),
            "{door:?}\n{screen}"
        );
    }
}

#[test]
fn closing_the_terminal_leaves_nothing() {
    for door in DOORS {
        for at in [0, 6, 14] {
            let workspace = Workspace::new();
            let mut terminal = workspace.start(door);
            answer(&mut terminal, &WALK[..at]);
            terminal.wait_for_question(WALK[at].0).unwrap();
            assert!(!terminal.hang_up().unwrap().success(), "{door:?} {at}");
            assert!(workspace.is_untouched(), "{door:?} {at}");
        }
    }
}

#[test]
fn a_terminal_that_is_gone_without_a_signal_leaves_nothing() {
    for words in [&["bot-cli", "init"][..], &["bot-cli-init"]] {
        for at in [0, 6, 13, 16] {
            let workspace = Workspace::new();
            let command = pty_process::blocking::Command::new("/bin/sh")
                .args(["-c", "trap '' HUP; exec \"$0\" \"$@\""])
                .args(words)
                .env_clear()
                .envs(workspace.environment())
                .current_dir(workspace.work());
            let mut terminal = Terminal::start(command, 40, 100).unwrap();
            answer(&mut terminal, &WALK[..at]);
            terminal.wait_for_question(WALK[at].0).unwrap();
            let status = terminal.hang_up().unwrap();
            assert_eq!(status.code(), Some(130), "{words:?} {at}");
            assert!(workspace.is_untouched(), "{words:?} {at}");
        }
    }
}

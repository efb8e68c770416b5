//! Tests for leaving before all questions are answered. No files may remain afterwards.

use bot_cli_tests::pty::{CTRL_C, Terminal};

use super::{DOORS, WALK, answer, bench, is_untouched};

#[test]
fn ctrl_c_in_a_list_as_high_as_the_terminal_leaves_no_scraps() {
    for door in DOORS {
        let bench = bench();
        let mut terminal = Terminal::in_bench(&bench, door.words(), 15, 50).unwrap();
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
fn ctrl_c_or_closing_the_terminal_leaves_nothing_with_a_signal_and_without() {
    let ignoring = ["/bin/sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""];
    for (before, closes) in [(&[][..], false), (&[], true), (&ignoring, true)] {
        for door in DOORS {
            for at in [0, 6, 14, 16] {
                let bench = bench();
                let words = [before, door.words()].concat();
                let mut terminal = Terminal::in_bench(&bench, &words, 40, 100).unwrap();
                answer(&mut terminal, &WALK[..at]);
                terminal.wait_for_question(WALK[at].0).unwrap();
                let status = if closes {
                    terminal.hang_up().unwrap()
                } else {
                    terminal.press(CTRL_C).unwrap();
                    terminal.end().unwrap().status
                };
                assert!(!status.success(), "{door:?} {at}");
                let by_signal = closes && before.is_empty();
                assert!(by_signal || status.code() == Some(130), "{door:?} {at}");
                assert!(is_untouched(&bench), "{door:?} {at}");
            }
        }
    }
}

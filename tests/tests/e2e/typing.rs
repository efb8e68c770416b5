//! A shell that somebody types into, with Tab for what is to be completed.

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

/// Keys, and the words that the plugin has to get then.
pub type Round = (&'static str, &'static str);

/// The checks of every shell.
pub const ROUNDS: &[Round] = &[
    ("tree pl\toa\t", r#"["plant","oak"]"#),
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
    ("tree plant --size=s\t", r#"["plant","--size=small"]"#),
    (
        "tree plant --size very\t",
        r#"["plant","--size","very large"]"#,
    ),
    (
        "tree plant --size=very\t",
        r#"["plant","--size=very large"]"#,
    ),
    ("tree plant --file a\t", r#"["plant","--file","a file"]"#),
    ("tree plant --file=a\t", r#"["plant","--file=a file"]"#),
    ("--quiet tree sh\t", r#"["show"]"#),
    ("tree plant -- base64\t", r#"["plant","--","base64"]"#),
    (
        "tree plant -- base64 a\t",
        r#"["plant","--","base64","a file"]"#,
    ),
];

/// A shell, and what it has to be told first.
pub struct Shell {
    pub command: &'static [&'static str],
    pub setup: &'static str,
}

impl Shell {
    /// Types each of the rounds, and looks at what the plugin got.
    pub fn assert_completes<'a>(&self, rounds: impl Iterator<Item = &'a Round>) {
        let bench = Bench::new(&[("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli"))]).unwrap();
        bench.script("plugins/bot-cli-tree", TREE).unwrap();
        std::fs::write(bench.path("work/a file"), "").unwrap();
        let path = format!(
            "{}:{}",
            bench.path("bin").display(),
            bench.environment()[0].1
        );
        let command = Command::new(self.command[0])
            .args(&self.command[1..])
            .env_clear()
            .envs(bench.environment())
            .env("PATH", path)
            .env("PS1", "ready> ")
            .env("LC_ALL", "C.UTF-8")
            .current_dir(bench.path("work"));
        let mut terminal = Terminal::start(command, 60, 120).unwrap();
        terminal
            .press(&format!("{}; echo set up{ENTER}", self.setup))
            .unwrap();
        terminal.wait_for("\nset up").unwrap();
        let request = bench.path("work/request");
        for (round, (keys, argv)) in rounds.enumerate() {
            let _ = std::fs::remove_file(&request);
            terminal
                .press(&format!("{CTRL_U}clear; bot-cli {keys}"))
                .unwrap();
            terminal
                .press(&format!("; echo round {round} is over{ENTER}"))
                .unwrap();
            terminal
                .wait_for(&format!("\nround {round} is over"))
                .unwrap();
            let request = std::fs::read_to_string(&request).unwrap();
            let expected = format!(r#""argv":{argv},"#);
            assert!(request.contains(&expected), "{keys:?}: {request}");
        }
        assert!(!bench.path("work/made").exists());
    }
}

//! Tests for the plugin run as an ordinary command.

use std::process::Command;

use bot_cli_tests::bench::Bench;
use serde_json::{Value, json};

use super::{GREET, feed, text};

#[test]
fn as_a_command_it_prints_and_exits() {
    for (arguments, status, stdout, stderr) in [
        (&["world", "--language", "en"][..], 0, "Hello, world.\n", ""),
        (
            &["world", "--language", "fr"],
            2,
            "",
            "error: `fr` is not a value for `--language`\n",
        ),
        (
            &["world"],
            2,
            "",
            "error: `--language` is missing, and there is no terminal to ask on\n",
        ),
    ] {
        let output = feed(arguments, "");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        assert_eq!(text(&output.stdout), stdout, "{arguments:?}");
        let shown = text(&output.stderr);
        assert_eq!(
            shown.is_empty(),
            stderr.is_empty(),
            "{arguments:?}: {shown}"
        );
        if stderr.starts_with("error") {
            assert!(shown.starts_with(stderr), "{arguments:?}: {shown}");
        }
    }
}

#[test]
fn the_next_command_is_shown_where_it_can_be_typed() {
    let bench = Bench::new(&[("bot-cli", GREET)]).unwrap();
    let bin = bench.path("bin");
    for (options, path, expected) in [
        (&[][..], &*bin, "next: bot-cli greet world --loud\n"),
        (&["-q"], &bin, ""),
        (&[], &bench.path("work"), ""),
    ] {
        let output = Command::new(GREET)
            .args(options)
            .args(["world", "--language", "en"])
            .env("PATH", path)
            .output()
            .unwrap();
        assert_eq!(text(&output.stderr), expected, "{options:?} {path:?}");
    }
}

#[test]
fn json_anywhere_is_one_document() {
    for (arguments, status, expected) in [
        (
            &["--json", "a", "--language", "en"][..],
            0,
            json!({ "name": "a", "language": "en", "times": 1 }),
        ),
        (
            &["a", "--language", "en", "--json"],
            0,
            json!({ "name": "a", "language": "en", "times": 1 }),
        ),
        (
            &["--version", "--json"],
            0,
            json!({ "name": "greet", "version": "0.1.0" }),
        ),
        (
            &["a", "--langage", "en", "--json"],
            2,
            json!({ "error": { "code": "usage", "message": "unexpected argument `--langage`", "fields": [],
                "hints": ["did you mean `--language`?", "bot-cli-greet --help"] } }),
        ),
    ] {
        let output = feed(arguments, "");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document, expected, "{arguments:?}");
        if status != 0 {
            assert_eq!(text(&output.stderr), "", "{arguments:?}");
        }
    }
}

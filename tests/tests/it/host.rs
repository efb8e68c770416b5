//! Tests for the host with valid and invalid plugins of every kind.

mod added;
mod asking;
mod cancelled;
pub mod check;
mod completion;
mod finding;
mod help;
mod json;
mod limits;
mod manager;
mod nested;
mod new;
mod progress;
mod prompts;
pub mod roles;
mod routing;
mod signals;
mod stopped;
mod terminal;
mod violations;

use bot_cli_tests::bench::{Bench, Ran};

/// A plugin in a few lines of shell.
const HELLO: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"hello","version":"1.2","about":"Say hello"}
read -r request
printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"text":"hello\n","data":{"said":"hello"},"next":["bot-cli hello again"]}}'
"#;

/// Creates a bench with just the host.
pub fn bench() -> Bench {
    Bench::new(&[("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli"))]).unwrap()
}

/// Creates a bench with the plugin that breaks the protocol.
fn bench_with_rogue() -> Bench {
    let bench = bench();
    let rogue = std::path::Path::new(env!("CARGO_BIN_EXE_it-bot-cli-rogue"));
    bench.install(rogue, "bin/bot-cli-rogue").unwrap();
    bench
}

/// Checks the transcripts, which show the results of plugins of every kind, end to end.
#[test]
fn each_line_shows_what_the_transcripts_say() {
    for name in ["routing", "rogue", "completion"] {
        let file = format!("host/transcripts/{name}.txt");
        let path = format!("{}/tests/it/{file}", env!("CARGO_MANIFEST_DIR"));
        let lines = std::fs::read_to_string(path).unwrap();
        let shown = bench_with_rogue().answered(&lines);
        crate::assert_snapshot(&file, &shown);
    }
}

/// Runs the host and asserts its exit status, standard output and standard error.
#[track_caller]
fn expect(bench: &Bench, arguments: &[&str], status: i32, stdout: &str, stderr: &str) {
    let expected = Ran {
        status: Some(status),
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
    };
    assert_eq!(bench.run(arguments).unwrap(), expected, "{arguments:?}");
}

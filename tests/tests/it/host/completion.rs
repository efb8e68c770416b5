//! Tests for completion that waits for a plugin. `transcripts/completion.txt` covers the completions themselves.

use bot_cli_tests::bench::is_alive;

use super::{bench, expect};

const TREE: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"tree","command":{"arguments":[{"name":"soil","long":"soil","kind":"option","completion":"dynamic"}]}}
read -r request
trap '' TERM; echo $$ >process; read -r cancel; echo "$cancel" >cancel; exec sleep 1000
"#;

#[test]
fn a_plugin_that_does_not_complete_is_told_to_stop_and_ended() {
    let bench = bench();
    bench.script("plugins/bot-cli-tree", TREE).unwrap();
    let words = ["__complete", "zsh", "--", "tree", "--soil", ""];
    expect(&bench, &words, 0, "nothing\n", "");
    let read = |file| std::fs::read_to_string(bench.path(file)).unwrap();
    assert_eq!(
        read("work/cancel"),
        "{\"jsonrpc\":\"2.0\",\"method\":\"cancel\",\"params\":{\"id\":1,\"reason\":\"timeout\"}}\n"
    );
    assert!(!is_alive(read("work/process").trim().parse().unwrap()));
}

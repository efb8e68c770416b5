//! What a word may become.

use bot_cli_tests::bench::is_alive;

use super::{HELLO, bench, expect};

const TREE: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"tree","command":{"commands":[{"name":"plant","about":"Plant one","arguments":[{"name":"kind","kind":"positional","values":[{"value":"oak"},{"value":"elm"}]},{"name":"file","long":"file","kind":"option","completion":"file"},{"name":"size","long":"size","kind":"option","values":[{"value":"small"}]},{"name":"soil","long":"soil","kind":"option","completion":"dynamic"}]}]}}
read -r request
printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"candidates":[{"value":"sand","about":"Dry"}]}}'
"#;

#[test]
fn words_become_what_the_manifests_say() {
    let bench = bench();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    bench.script("plugins/bot-cli-tree", TREE).unwrap();
    for (words, expected) in [
        (
            &["he"][..],
            "hello\tSay hello\nhelp\tShow what a command does and takes\n",
        ),
        (&["--j"], "--json\tPrint the result as one JSON document\n"),
        (
            &["plugin", ""],
            "list\tList every plugin, where it is, and whether it is used\n",
        ),
        (&["completions", ""], "bash\t\nzsh\t\nfish\t\n"),
        (&["help", "t"], "tree\t\n"),
        (&["hello", ""], ""),
        (&["weather", ""], ""),
        (&["tree", ""], "plant\tPlant one\n"),
        (&["tree", "plant", ""], "oak\t\nelm\t\n"),
        (&["tree", "plant", "--f"], "--file\t\n"),
        (&["tree", "plant", "--file", ""], ":files\n"),
        (&["tree", "plant", "--soil", ""], "sand\tDry\n"),
        (&["tree", "plant", "--soil", "sa"], "sand\tDry\n"),
        (&["tree", "plant", "--soil", "l"], ""),
    ] {
        let arguments = [&["__complete", "--"], words].concat();
        expect(&bench, &arguments, 0, expected, "");
    }
}

#[test]
fn a_plugin_that_does_not_complete_is_told_to_stop_and_ended() {
    let bench = bench();
    let script = TREE.lines().take(3).collect::<Vec<_>>().join("\n")
        + "\ntrap '' TERM\necho $$ >process\nread -r cancel\necho \"$cancel\" >cancel\nexec sleep 1000\n";
    bench.script("plugins/bot-cli-tree", &script).unwrap();
    let words = ["__complete", "--", "tree", "plant", "--soil", ""];
    expect(&bench, &words, 0, "", "");
    let read = |file| std::fs::read_to_string(bench.path(file)).unwrap();
    assert_eq!(
        read("work/cancel"),
        "{\"jsonrpc\":\"2.0\",\"method\":\"cancel\",\"params\":{\"id\":1,\"reason\":\"timeout\"}}\n"
    );
    assert!(!is_alive(read("work/process").trim().parse().unwrap()));
}

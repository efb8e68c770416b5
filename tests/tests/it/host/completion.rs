//! What a word may become.

use bot_cli_tests::bench::is_alive;

use super::{HELLO, bench, expect};

const TREE: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"tree","command":{"commands":[{"name":"plant","about":"Plant one","arguments":[{"name":"kind","kind":"positional","values":[{"value":"oak"},{"value":"elm"}]},{"name":"file","long":"file","kind":"option","completion":"file"},{"name":"size","long":"size","kind":"option","values":[{"value":"small"}]},{"name":"soil","long":"soil","kind":"option","completion":"dynamic"},{"name":"folder","long":"folder","kind":"option","completion":"folder"},{"name":"odd","long":"odd","kind":"option","values":[{"value":"files"},{"value":":files"}]},{"name":"program","kind":"positional","last":true,"repeatable":true,"completion":"command"}]}]}}
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
            "hello\tSay hello\nhelp\tPrint help for a command\n",
        ),
        (&["--j"], "--json\tPrint the result as one JSON document\n"),
        (
            &["--json", "-v", "hel"],
            "hello\tSay hello\nhelp\tPrint help for a command\n",
        ),
        (
            &["plugin", "l"],
            "list\tList every plugin, where it is, and whether it is used\n",
        ),
        (
            &["completions", ""],
            "bash\t\nzsh\t\nfish\t\npowershell\t\n",
        ),
        (&["help", "t"], "tree\t\n"),
        (&["help", "tree", ""], "plant\tPlant one\n"),
        (&["help", "env"], "environment\tThe environment variables\n"),
        (&["hello", ""], ""),
        (&["weather", ""], ""),
        (&["tree", ""], "plant\tPlant one\n"),
        (&["-q", "tree", "pl"], "plant\tPlant one\n"),
        (&["tree", "plant", ""], "oak\t\nelm\t\n"),
        (&["tree", "plant", "--fi"], "--file\t\n"),
        (
            &["tree", "plant", "--q"],
            "--quiet\tShow only the outcome, warnings and errors\n",
        ),
        (&["tree", "plant", "--size=s"], "--size=small\t\n"),
        (&["tree", "plant", "--soil", ""], "sand\tDry\n"),
        (&["tree", "plant", "--soil", "sa"], "sand\tDry\n"),
        (&["tree", "plant", "--soil=s"], "--soil=sand\tDry\n"),
        (&["tree", "plant", "--soil", "l"], ""),
    ] {
        let arguments = [&["__complete", "zsh", "--"], words].concat();
        expect(&bench, &arguments, 0, &format!("nothing\n{expected}"), "");
    }
    for (words, expected) in [
        (&["tree", "plant", "--file", ""][..], "files\n"),
        (&["tree", "plant", "--folder", ""], "folders\n"),
        (&["tree", "plant", "oak", "--", "m"], "program\n"),
        // What a plugin offers is never taken for the shell's own part.
        (
            &["tree", "plant", "--odd", ""],
            "nothing\nfiles\t\n:files\t\n",
        ),
    ] {
        let arguments = [&["__complete", "fish", "--"], words].concat();
        expect(&bench, &arguments, 0, expected, "");
    }
}

#[test]
fn plugins_that_are_there_are_completed() {
    let bench = bench();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    for (words, expected) in [
        (&["plugin", "info", "he"][..], "nothing\nhello\tSay hello\n"),
        (&["plugin", "remove", "he"], "nothing\n"),
        (&["plugin", "check", "he"], "files\n"),
        (&["plugin", "new", "--sdk", ""], "folders\n"),
    ] {
        let arguments = [&["__complete", "zsh", "--"], words].concat();
        expect(&bench, &arguments, 0, expected, "");
    }
}

#[test]
fn each_shell_gets_candidates_as_it_inserts_them() {
    let bench = bench();
    bench.script("plugins/bot-cli-tree", TREE).unwrap();
    let offered = r#"{"jsonrpc":"2.0","id":1,"result":{"candidates":[{"value":"two words","about":"a\tb"},{"value":"$(touch x)"},{"value":"it's"},{"value":"a\nb"}]}}"#;
    let script = TREE.lines().take(3).collect::<Vec<_>>().join("\n")
        + &format!("\ncat <<'END'\n{offered}\nEND\n");
    bench.script("plugins/bot-cli-tree", &script).unwrap();
    for (words, expected) in [
        (
            &["zsh", "--", "tree", "plant", "--soil", ""][..],
            "nothing\ntwo words\ta b\n$(touch x)\t\nit's\t\n",
        ),
        (
            &["powershell", "--", "=tree", "=plant", "=--soil", "="],
            "nothing\n'two words'\ttwo words\ta b\n'$(touch x)'\t$(touch x)\t\n'it''s'\tit's\t\n",
        ),
        (
            &["bash", "--", "bot-cli tree plant --soil ", " =:"],
            "nothing\n\n\ntwo\\ words\n\\$\\(touch\\ x\\)\nit\\'s\n$'a\\nb'\n",
        ),
        (
            &["bash", "--", "bot-cli tree plant --soil=\"tw", " =:"],
            "nothing\ntw\n\ntwo words\n",
        ),
        (
            &["bash", "--", "bot-cli tree plant --file=a\\ ", ""],
            "files\na \n--file=\n",
        ),
    ] {
        let arguments = [&["__complete"], words].concat();
        expect(&bench, &arguments, 0, expected, "");
    }
}

#[test]
fn a_plugin_is_asked_for_a_value_in_one_form() {
    let bench = bench();
    let script = TREE.lines().take(2).collect::<Vec<_>>().join("\n")
        + "\nread -r request\necho \"$request\" >request\n";
    bench.script("plugins/bot-cli-tree", &script).unwrap();
    for words in [
        &["tree", "-v", "plant", "--soil", "sa"][..],
        &["tree", "plant", "--json", "--soil=sa"],
    ] {
        let arguments = [&["__complete", "zsh", "--"], words].concat();
        bench.run(&arguments).unwrap();
        let request = std::fs::read_to_string(bench.path("work/request")).unwrap();
        assert!(
            request.contains(r#""argv":["plant","--soil","sa"]"#),
            "{request}"
        );
    }
}

#[test]
fn every_script_says_where_to_keep_it() {
    let bench = bench();
    for (shell, place) in [
        ("bash", "~/.bashrc"),
        ("zsh", "$fpath"),
        ("fish", "~/.config/fish/completions/bot-cli.fish"),
        ("powershell", "$PROFILE"),
    ] {
        let script = bench.run(&["completions", shell]).unwrap().stdout;
        let head: Vec<&str> = script.lines().take(10).collect();
        assert!(head.join("\n").contains(place), "{script}");
        assert!(script.contains(&format!("__complete {shell} ")), "{script}");
    }
}

#[test]
fn a_plugin_that_does_not_complete_is_told_to_stop_and_ended() {
    let bench = bench();
    let script = TREE.lines().take(3).collect::<Vec<_>>().join("\n")
        + "\ntrap '' TERM\necho $$ >process\nread -r cancel\necho \"$cancel\" >cancel\nexec sleep 1000\n";
    bench.script("plugins/bot-cli-tree", &script).unwrap();
    let words = ["__complete", "zsh", "--", "tree", "plant", "--soil", ""];
    expect(&bench, &words, 0, "nothing\n", "");
    let read = |file| std::fs::read_to_string(bench.path(file)).unwrap();
    assert_eq!(
        read("work/cancel"),
        "{\"jsonrpc\":\"2.0\",\"method\":\"cancel\",\"params\":{\"id\":1,\"reason\":\"timeout\"}}\n"
    );
    assert!(!is_alive(read("work/process").trim().parse().unwrap()));
}

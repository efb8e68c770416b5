//! The plugin that manages the others: it is taken only from beside the host, and its absence hides nothing.

use std::fs;
use std::process::Command;

use bot_cli_tests::bench::Bench;

use super::{HELLO, bench, expect};

/// A script that would be the plugin, in this version.
fn claimant(version: &str) -> String {
    format!(
        "#!/bin/sh\n# bot-cli-plugin: {{\"protocol\":\"1.0\",\"name\":\"plugin\",\"version\":\"{version}\"}}\ntouch \"$HOME/started\"\n"
    )
}

fn listed(bench: &Bench) -> String {
    let ran = bench.run(&["--version", "-v"]).unwrap();
    assert_eq!((ran.status, &*ran.stderr), (Some(0), ""));
    ran.stdout
}

#[test]
fn another_file_of_its_name_is_never_started() {
    let bench = bench();
    let own = env!("CARGO_PKG_VERSION");
    for place in [
        "plugins/bot-cli-plugin",
        "home/.local/share/bot-cli/plugins/bot-cli-plugin",
    ] {
        bench.script(place, &claimant(own)).unwrap();
    }
    let list = bench.run(&["plugin", "list"]).unwrap().stdout;
    for line in [
        "plugin  0.1.0    command  used      [BENCH]/bin/bot-cli-plugin\n",
        "[BENCH]/plugins/bot-cli-plugin: `[BENCH]/bin/bot-cli-plugin` comes first\n",
    ] {
        assert!(list.contains(line), "{list}");
    }
    let ran = bench
        .run(&["plugin", "add", "../plugins/bot-cli-plugin"])
        .unwrap();
    assert!(
        ran.stderr.contains("/bin/bot-cli-plugin` comes first"),
        "{ran:?}"
    );
    let ran = bench
        .run(&["plugin", "new", "plugin", "--lang", "sh"])
        .unwrap();
    assert!(ran.stderr.contains("comes with bot-cli"), "{ran:?}");
    // Nor where there is no other.
    fs::remove_file(bench.path("bin/bot-cli-plugin")).unwrap();
    let stderr = "error: `bot-cli` has no command `plugin`\n\
         hint: there is no file `bot-cli-plugin` in `[BENCH]/bin`\n\
         hint: it is released together with bot-cli: put it into `[BENCH]/bin`\n\
         hint: bot-cli --help\n";
    expect(&bench, &["plugin", "list"], 127, "", stderr);
    let line = "[BENCH]/plugins/bot-cli-plugin: `plugin` is taken only from the folder of bot-cli itself\n";
    assert!(listed(&bench).contains(line), "{}", listed(&bench));
    assert!(!bench.path("home/started").exists());
}

#[test]
fn every_file_is_named_without_it() {
    let bench = bench();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    bench.script("plugins/bot-cli-other", HELLO).unwrap();
    fs::remove_file(bench.path("bin/bot-cli-plugin")).unwrap();
    bench
        .script("bin/bot-cli-plugin", &claimant("9.9.9"))
        .unwrap();
    let refusal = "it has version 9.9.9, and bot-cli 0.1.0";
    let stderr = format!(
        "error: `[BENCH]/bin/bot-cli-plugin` is not run: {refusal}\nhint: install both from one release\n"
    );
    expect(&bench, &["plugin", "list"], 126, "", &stderr);
    assert_eq!(
        listed(&bench),
        format!(
            "bot-cli 0.1.0\n  file      [BENCH]/bin/bot-cli\n  protocol  1.0\n\n\
             NAME    VERSION  STATUS   FILE\n\
             hello   1.2      used     [BENCH]/plugins/bot-cli-hello\n\
             other   -        refused  [BENCH]/plugins/bot-cli-other\n\
             plugin  -        refused  [BENCH]/bin/bot-cli-plugin\n\n\
             [BENCH]/plugins/bot-cli-other: its manifest is that of a plugin `hello`\n\
             \x20 hint: name the file `bot-cli-hello`, or change its manifest\n\
             [BENCH]/bin/bot-cli-plugin: {refusal}\n\
             \x20 hint: install both from one release\n"
        )
    );
}

#[test]
fn it_says_the_same_by_hand() {
    let bench = bench();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    for words in [&["list"][..], &["list", "--json"], &["info", "hello"]] {
        let mut command = Command::new(bench.path("bin/bot-cli-plugin"));
        command
            .args(words)
            .env_clear()
            .envs(bench.environment())
            .current_dir(bench.path("work"));
        let by_hand = bench.ran(&command.output().unwrap()).unwrap();
        let under_host = bench.run(&[&["plugin"], words].concat()).unwrap();
        assert_eq!(by_hand, under_host);
        assert_eq!(by_hand.status, Some(0));
    }
}

//! Tests for the plugin that manages the others. Only the executable next to the host is used. If it is missing, problems with other
//! plugins are still reported.

use std::fs;

use bot_cli_tests::bench::Bench;

use super::{HELLO, bench};

/// Writes a script whose manifest has the name of the managing plugin and this version.
fn claim(bench: &Bench, place: &str, version: &str) {
    let script = format!(
        "#!/bin/sh\n# bot-cli-plugin: {{\"protocol\":\"1.0\",\"name\":\"plugin\",\"version\":\"{version}\"}}\ntouch \"$HOME/started\"\n"
    );
    bench.put(place, &script);
}

#[test]
fn another_file_of_its_name_is_never_started() {
    let bench = bench();
    let own = env!("CARGO_PKG_VERSION");
    claim(&bench, "plugins/bot-cli-plugin", own);
    let data = "home/.local/share/bot-cli/plugins/bot-cli-plugin";
    claim(&bench, data, own);
    bench.shows(
        "
        $ bot-cli plugin list | grep -E '(used|plugins/bot-cli-plugin:)'
        plugin  0.1.0    command  used      [BENCH]/bin/bot-cli-plugin
        [BENCH]/home/.local/share/bot-cli/plugins/bot-cli-plugin: `[BENCH]/bin/bot-cli-plugin` comes first
        [BENCH]/plugins/bot-cli-plugin: `[BENCH]/bin/bot-cli-plugin` comes first
        $ bot-cli plugin add ../plugins/bot-cli-plugin --force plugin
        ! error: `[BENCH]/work/../plugins/bot-cli-plugin` was not installed: `plugin` is taken only from the folder of bot-cli itself
        = 1
        ",
    );
    // Nor where there is no other.
    fs::remove_file(bench.path("bin/bot-cli-plugin")).unwrap();
    bench.shows(
        "
        $ bot-cli plugin list
        ! error: `bot-cli` has no command `plugin`
        ! hint: there is no file `bot-cli-plugin` in `[BENCH]/bin`
        ! hint: it is released together with bot-cli: put it into `[BENCH]/bin`
        ! hint: bot-cli --help
        = 127
        $ bot-cli --version -v | grep taken
        [..]`plugin` is taken only from the folder of bot-cli itself
        [BENCH]/plugins/bot-cli-plugin: `plugin` is taken only from the folder of bot-cli itself
        $ test -e ~/started
        = 1
        ",
    );
}

#[test]
fn every_file_is_named_without_it() {
    let bench = bench();
    bench.put("plugins/bot-cli-hello", HELLO);
    bench.put("plugins/bot-cli-other", HELLO);
    fs::remove_file(bench.path("bin/bot-cli-plugin")).unwrap();
    claim(&bench, "bin/bot-cli-plugin", "9.9.9");
    bench.shows(
        "
        $ bot-cli plugin list
        ! error: `[BENCH]/bin/bot-cli-plugin` is not run: it has version 9.9.9, and bot-cli 0.1.0
        ! hint: install both from one release
        = 126
        $ bot-cli --version -v
        bot-cli 0.1.0
          file      [BENCH]/bin/bot-cli
          protocol  1.0

        NAME    VERSION  STATUS   FILE
        hello   1.2      used     [BENCH]/plugins/bot-cli-hello
        other   -        refused  [BENCH]/plugins/bot-cli-other
        plugin  -        refused  [BENCH]/bin/bot-cli-plugin

        [BENCH]/plugins/bot-cli-other: its manifest is that of a plugin `hello`
          hint: name the file `bot-cli-hello`, or change its manifest
        [BENCH]/bin/bot-cli-plugin: it has version 9.9.9, and bot-cli 0.1.0
          hint: install both from one release
        ",
    );
}

#[test]
fn it_says_the_same_by_hand() {
    let bench = bench();
    bench.put("plugins/bot-cli-hello", HELLO);
    for words in ["list", "list --json", "info hello"] {
        bench.shows(&format!(
            "
            $ bot-cli-plugin {words} >by-hand && bot-cli plugin {words} >under-host; diff by-hand under-host
            "
        ));
    }
}

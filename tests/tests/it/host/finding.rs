//! Tests for plugin discovery, and for plugins that are not run.

use std::fs;
use std::os::unix::fs::symlink;

use super::{HELLO, bench, bench_with_rogue};

const OTHER: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"hello","about":"Say something else"}
read -r request
printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"text":"other\n"}}'
"#;

#[test]
fn the_first_folder_wins_and_the_others_are_shown() {
    let bench = bench();
    bench.put("home/.local/share/bot-cli/plugins/bot-cli-hello", OTHER);
    bench.put("plugins/bot-cli-hello", HELLO);
    let help = HELLO.replace("\"hello\"", "\"help\"");
    bench.put("plugins/bot-cli-help", &help);
    bench.shows(
        "
        $ bot-cli hello
        other
        $ bot-cli plugin list
        NAME    VERSION  ROLE     STATUS    FILE
        hello   -        command  used      [BENCH]/home/.local/share/bot-cli/plugins/bot-cli-hello
        hello   -        -        shadowed  [BENCH]/plugins/bot-cli-hello
        help    -        -        shadowed  [BENCH]/plugins/bot-cli-help
        plugin  0.1.0    command  used      [BENCH]/bin/bot-cli-plugin

        [BENCH]/plugins/bot-cli-hello: `[BENCH]/home/.local/share/bot-cli/plugins/bot-cli-hello` comes first
        [BENCH]/plugins/bot-cli-help: a built-in command of bot-cli comes first
        ",
    );
}

#[test]
fn relative_and_empty_folders_are_not_searched() {
    let bench = bench();
    bench.put("work/bot-cli-hello", HELLO);
    for path in [".", "", ":", "::", "../work"] {
        let mut host = bench.host(&["hello"]);
        let host = host.env("PATH", path).env("BOT_CLI_PLUGIN_PATH", path);
        assert_eq!(host.output().unwrap().status.code(), Some(127), "{path:?}");
    }
}

#[test]
fn what_others_can_change_is_not_run() {
    let bench = bench();
    bench.put("plugins/bot-cli-hello", HELLO);
    bench.put("open/hello", HELLO);
    bench.shows(
        "
        $ chmod 757 [BENCH]/plugins/bot-cli-hello; bot-cli hello
        ! error: `[BENCH]/plugins/bot-cli-hello` is not run: `[BENCH]/plugins/bot-cli-hello` is writable by every user
        ! hint: chmod o-w [BENCH]/plugins/bot-cli-hello
        = 126
        $ chmod 755 [BENCH]/plugins/bot-cli-hello; chmod 777 [BENCH]/plugins; bot-cli hello
        ! error: `[BENCH]/plugins/bot-cli-hello` is not run: `[BENCH]/plugins` is writable by every user
        ! hint: chmod o-w [BENCH]/plugins
        = 126
        $ chmod 1777 [BENCH]/plugins; bot-cli -q hello
        hello
        $ chmod 777 [BENCH]; bot-cli hello
        ! error: `[BENCH]/plugins/bot-cli-hello` is not run: `[BENCH]` is writable by every user
        ! hint: chmod o-w [BENCH]
        = 126
        $ chmod 1777 [BENCH]; bot-cli -q hello
        hello
        $ ln -sf [BENCH]/open/hello [BENCH]/plugins/bot-cli-hello; bot-cli -q hello
        hello
        $ chmod 777 [BENCH]/open; bot-cli hello
        ! ...
        = 126
        ",
    );
}

#[test]
fn a_refused_plugin_does_not_hide_a_good_one_of_its_name() {
    let bench = bench();
    let first = "home/.local/share/bot-cli/plugins/bot-cli-hello";
    bench.put(first, OTHER);
    bench.mode(first, 0o777).unwrap();
    bench.put("plugins/bot-cli-hello", HELLO);
    // Help needs more of the manifest, and says it once all the same.
    bench.shows(
        "
        $ bot-cli hello
        hello
        ! next: bot-cli hello again
        $ bot-cli -v hello --help >help
        ! `[BENCH]/home/.local/share/bot-cli/plugins/bot-cli-hello` is not run: `[..]` is writable by every user
        $ rm ~/.local/share/bot-cli/plugins/bot-cli-hello; ln -s [BENCH]/plugins/bot-cli-hello ~/.local/share/bot-cli/plugins
        $ bot-cli plugin list
        NAME    VERSION  ROLE     STATUS  FILE
        hello   1.2      command  used    [BENCH]/home/.local/share/bot-cli/plugins/bot-cli-hello
        plugin  0.1.0    command  used    [BENCH]/bin/bot-cli-plugin
        ",
    );
}

#[test]
fn a_manifest_has_room_in_scripts_and_executables() {
    let bench = bench();
    let about = "a".repeat(100_000);
    let line = |name: &str| {
        format!(
            r#"bot-cli-plugin: {{"protocol":"1.0","name":"{name}","version":"7","role":"{about}"}}"#
        )
    };
    let script = format!("#!/bin/sh\n# {}\n", line("script"));
    bench.put("plugins/bot-cli-script", &script);
    // Across the end of what is read at a time, behind markers that are none.
    let filler = "bot-cli-plugin: {x".repeat(3) + &"x".repeat(1024 * 1024 + 8192 - 3 * 18 - 8);
    let native = format!("{filler}{}\n", line("native"));
    bench.put("plugins/bot-cli-native", &native);
    let list = bench.run(&["--json", "plugin", "list"]).unwrap().stdout;
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    let plugins = list["plugins"].as_array().unwrap();
    let large = plugins.iter().filter(|plugin| plugin["version"] == "7");
    assert_eq!(large.count(), 2, "{plugins:.200?}");
    // A long text of a plugin does not push the rest off the screen.
    let shown = bench.run(&["plugin", "list"]).unwrap().stdout;
    let row = shown.lines().find(|line| line.contains("native")).unwrap();
    assert!(row.chars().count() < 200, "{row:.300}");
}

#[test]
fn bad_plugins_are_shown_with_their_reason_and_hide_no_other() {
    let bench = bench();
    for (name, manifest) in [
        ("earlier", r#"{"protocol":"0.9","name":"earlier"}"#),
        ("banana", r#"{"protocol":"1","name":"banana"}"#),
        ("later", r#"{"protocol":"2.0","name":"later"}"#),
        ("broken", r#"{"protocol":"1.0","#),
    ] {
        let script = format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\n");
        bench.put(&format!("plugins/bot-cli-{name}"), &script);
    }
    let good = HELLO.replace("\"hello\"", "\"good\"");
    bench.put("plugins/bot-cli-good", &good);
    for name in ["other", "Upper", "plain"] {
        bench.put(&format!("plugins/bot-cli-{name}"), HELLO);
    }
    bench.mode("plugins/bot-cli-plain", 0o644).unwrap();
    fs::create_dir(bench.path("plugins/bot-cli-folder")).unwrap();
    fs::write(bench.path("plugins/bot-cli-good.d"), "by-product").unwrap();
    symlink("nowhere", bench.path("plugins/bot-cli-gone")).unwrap();
    let list = bench.run(&["plugin", "list"]).unwrap();
    assert_eq!((list.status, &*list.stderr), (Some(0), ""));
    crate::assert_snapshot("host/finding.txt", &list.stdout);
    assert_eq!(bench.run(&["good"]).unwrap().stdout, "hello\n");
}

#[test]
fn a_corrupt_cache_is_rebuilt() {
    let bench = bench_with_rogue();
    let list = bench.run(&["--help"]).unwrap();
    let folder = bench.path("home/.cache/bot-cli/manifests");
    let entries: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(entries.len(), 2, "one entry for a native executable");
    let entry = &entries[0];
    let good = fs::read(entry).unwrap();
    for bad in [&b""[..], b"{", b"\xff", b"[]", &good[..good.len() / 2]] {
        fs::write(entry, bad).unwrap();
        assert_eq!(bench.run(&["--help"]).unwrap(), list);
        assert_eq!(fs::read(entry).unwrap(), good);
    }
    // More than there is memory for, and a pipe.
    for bad in ["truncate -s 4T", "rm $entry; mkfifo"] {
        bench.shows(&format!("$ entry={}; {bad} $entry", entry.display()));
        assert_eq!(bench.run(&["--help"]).unwrap(), list);
        assert_eq!(fs::read(entry).unwrap(), good);
    }
}

#[test]
fn a_cache_entry_of_another_version_of_the_file_is_not_used() {
    let bench = bench_with_rogue();
    let list = bench.run(&["plugin", "list"]).unwrap();
    let folder = bench.path("home/.cache/bot-cli/manifests");
    let entry = fs::read_dir(&folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let good = fs::read_to_string(&entry).unwrap();
    let (file, kept) = good.split_once(r#","kept":"#).unwrap();
    let kept = kept.replace(r#""version":""#, r#""version":"9."#);
    fs::write(&entry, format!(r#"{file},"kept":{kept}"#)).unwrap();
    assert_ne!(
        bench.run(&["plugin", "list"]).unwrap(),
        list,
        "the entry is used"
    );
    let file = file.replace(r#""size":"#, r#""size":1"#);
    fs::write(&entry, format!(r#"{file},"kept":{kept}"#)).unwrap();
    assert_eq!(bench.run(&["plugin", "list"]).unwrap(), list);
}

#[test]
fn without_a_home_there_is_no_cache_and_no_failure() {
    let bench = bench_with_rogue();
    let output = bench
        .host(&["rogue", "banner"])
        .env_remove("HOME")
        .output()
        .unwrap();
    assert_eq!(bench.ran(&output).unwrap().stdout, "done\n");
}

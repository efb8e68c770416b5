//! Which plugins there are, and which are not run.

use std::fs;
use std::os::unix::fs::symlink;

use super::{HELLO, bench, bench_with_rogue, expect};

const OTHER: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"hello","about":"Say something else"}
read -r request
printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"text":"other\n"}}'
"#;

#[test]
fn the_first_folder_wins_and_the_others_are_shown() {
    let bench = bench();
    bench
        .script("home/.local/share/bot-cli/plugins/bot-cli-hello", OTHER)
        .unwrap();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    bench
        .script(
            "plugins/bot-cli-help",
            &HELLO.replace("\"hello\"", "\"help\""),
        )
        .unwrap();
    expect(&bench, &["hello"], 0, "other\n", "");
    expect(
        &bench,
        &["plugin", "list"],
        0,
        "NAME    VERSION  ROLE     STATUS    FILE\n\
         hello   -        command  used      [BENCH]/home/.local/share/bot-cli/plugins/bot-cli-hello\n\
         hello   -        -        shadowed  [BENCH]/plugins/bot-cli-hello\n\
         help    -        -        shadowed  [BENCH]/plugins/bot-cli-help\n\
         plugin  0.1.0    command  used      [BENCH]/bin/bot-cli-plugin\n\
         \n\
         [BENCH]/plugins/bot-cli-hello: `[BENCH]/home/.local/share/bot-cli/plugins/bot-cli-hello` comes first\n\
         [BENCH]/plugins/bot-cli-help: a built-in command of bot-cli comes first\n",
        "",
    );
}

#[test]
fn folders_are_searched_in_their_order() {
    let bench = bench();
    let own = "bin/bot-cli-hello";
    let extra = "extra/bot-cli-hello";
    let data = "data/bot-cli/plugins/bot-cli-hello";
    let path = "plugins/bot-cli-hello";
    let places = [extra, data, own, path];
    for place in places {
        let script = format!("#!/bin/sh\necho {place}\n");
        bench.script(place, &script).unwrap();
    }
    for place in places {
        let output = bench
            .host(&["hello"])
            .env("BOT_CLI_PLUGIN_PATH", bench.path("extra"))
            .env("XDG_DATA_HOME", bench.path("data"))
            .output()
            .unwrap();
        assert_eq!(bench.ran(&output).unwrap().stdout, format!("{place}\n"));
        fs::remove_file(bench.path(place)).unwrap();
    }
}

#[test]
fn relative_and_empty_folders_are_not_searched() {
    let bench = bench();
    bench.script("work/bot-cli-hello", HELLO).unwrap();
    for path in [".", "", ":", "::", "../work"] {
        let output = bench
            .host(&["hello"])
            .env("PATH", path)
            .env("BOT_CLI_PLUGIN_PATH", path)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(127), "{path:?}");
    }
}

#[test]
fn what_others_can_change_is_not_run() {
    let bench = bench();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    let refused = |path: &str| {
        format!(
            "error: `[BENCH]/plugins/bot-cli-hello` is not run: `[BENCH]/{path}` is writable by every user\n\
             hint: chmod o-w [BENCH]/{path}\n"
        )
    };
    bench.mode("plugins/bot-cli-hello", 0o757).unwrap();
    expect(
        &bench,
        &["hello"],
        126,
        "",
        &refused("plugins/bot-cli-hello"),
    );
    bench.mode("plugins/bot-cli-hello", 0o755).unwrap();
    bench.mode("plugins", 0o777).unwrap();
    expect(&bench, &["hello"], 126, "", &refused("plugins"));
    bench.mode("plugins", 0o1777).unwrap();
    assert_eq!(bench.run(&["hello"]).unwrap().status, Some(0));
}

#[test]
fn a_link_is_trusted_as_far_as_its_target() {
    let bench = bench();
    bench.script("open/hello", HELLO).unwrap();
    symlink(
        bench.path("open/hello"),
        bench.path("plugins/bot-cli-hello"),
    )
    .unwrap();
    assert_eq!(bench.run(&["hello"]).unwrap().status, Some(0));
    bench.mode("open", 0o777).unwrap();
    assert_eq!(bench.run(&["hello"]).unwrap().status, Some(126));
}

#[test]
fn a_refused_plugin_does_not_hide_a_good_one_of_its_name() {
    let bench = bench();
    bench
        .script("home/.local/share/bot-cli/plugins/bot-cli-hello", OTHER)
        .unwrap();
    bench
        .mode("home/.local/share/bot-cli/plugins/bot-cli-hello", 0o777)
        .unwrap();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    let next = "next: bot-cli hello again\n";
    expect(&bench, &["hello"], 0, "hello\n", next);
    let first = "[BENCH]/home/.local/share/bot-cli/plugins/bot-cli-hello";
    expect(
        &bench,
        &["-v", "hello"],
        0,
        "hello\n",
        &format!("`{first}` is not run: `{first}` is writable by every user\n{next}"),
    );
    // Help needs more of the manifest, and says it once all the same.
    let help = bench.run(&["-v", "hello", "--help"]).unwrap();
    assert_eq!(
        help.stderr,
        format!("`{first}` is not run: `{first}` is writable by every user\n")
    );
}

#[test]
fn links_to_one_file_are_one_plugin() {
    let bench = bench();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    let data = bench.path("home/.local/share/bot-cli/plugins");
    fs::create_dir_all(&data).unwrap();
    symlink(
        bench.path("plugins/bot-cli-hello"),
        data.join("bot-cli-hello"),
    )
    .unwrap();
    expect(
        &bench,
        &["plugin", "list"],
        0,
        "NAME    VERSION  ROLE     STATUS  FILE\n\
         hello   1.2      command  used    [BENCH]/home/.local/share/bot-cli/plugins/bot-cli-hello\n\
         plugin  0.1.0    command  used    [BENCH]/bin/bot-cli-plugin\n",
        "",
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
    bench.script("plugins/bot-cli-script", &script).unwrap();
    // Across the end of what is read at a time, behind markers that are none.
    let filler = "bot-cli-plugin: {x".repeat(3) + &"x".repeat(1024 * 1024 + 8192 - 3 * 18 - 8);
    let native = format!("{filler}{}\n", line("native"));
    bench.script("plugins/bot-cli-native", &native).unwrap();
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
    let declares = |manifest: &str| format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\n");
    let named = |name: &str| HELLO.replace("\"hello\"", &format!("\"{name}\""));
    bench
        .script("plugins/bot-cli-good", &named("good"))
        .unwrap();
    bench.script("plugins/bot-cli-other", HELLO).unwrap();
    bench
        .script(
            "plugins/bot-cli-earlier",
            &declares(r#"{"protocol":"0.9","name":"earlier"}"#),
        )
        .unwrap();
    bench
        .script(
            "plugins/bot-cli-banana",
            &declares(r#"{"protocol":"1","name":"banana"}"#),
        )
        .unwrap();
    bench
        .script(
            "plugins/bot-cli-later",
            &declares(r#"{"protocol":"2.0","name":"later"}"#),
        )
        .unwrap();
    bench
        .script("plugins/bot-cli-broken", &declares(r#"{"protocol":"1.0","#))
        .unwrap();
    bench.script("plugins/bot-cli-Upper", HELLO).unwrap();
    bench.script("plugins/bot-cli-plain", HELLO).unwrap();
    bench.mode("plugins/bot-cli-plain", 0o644).unwrap();
    fs::create_dir(bench.path("plugins/bot-cli-folder")).unwrap();
    fs::write(bench.path("plugins/bot-cli-good.d"), "by-product").unwrap();
    symlink("nowhere", bench.path("plugins/bot-cli-gone")).unwrap();
    let vault =
        r#"{"protocol":"1.0","name":"secrets-x","version":"3.0.0","role":"secrets-backend"}"#;
    bench
        .script("plugins/bot-cli-secrets-x", &declares(vault))
        .unwrap();
    expect(
        &bench,
        &["plugin", "list"],
        0,
        "NAME       VERSION  ROLE             STATUS   FILE\n\
         Upper      -        -                refused  [BENCH]/plugins/bot-cli-Upper\n\
         banana     -        -                refused  [BENCH]/plugins/bot-cli-banana\n\
         broken     -        -                refused  [BENCH]/plugins/bot-cli-broken\n\
         earlier    -        -                refused  [BENCH]/plugins/bot-cli-earlier\n\
         folder     -        -                refused  [BENCH]/plugins/bot-cli-folder\n\
         gone       -        -                refused  [BENCH]/plugins/bot-cli-gone\n\
         good       1.2      command          used     [BENCH]/plugins/bot-cli-good\n\
         later      -        -                refused  [BENCH]/plugins/bot-cli-later\n\
         other      -        -                refused  [BENCH]/plugins/bot-cli-other\n\
         plain      -        -                refused  [BENCH]/plugins/bot-cli-plain\n\
         plugin     0.1.0    command          used     [BENCH]/bin/bot-cli-plugin\n\
         secrets-x  3.0.0    secrets-backend  unused   [BENCH]/plugins/bot-cli-secrets-x\n\
         \n\
         [BENCH]/plugins/bot-cli-Upper: its name is not made of lower-case letters, digits and hyphens, 32 at most\n\
         [BENCH]/plugins/bot-cli-banana: it speaks protocol 1, this host 1.0\n\
         \x20 hint: install versions of bot-cli and the plugin that fit each other\n\
         [BENCH]/plugins/bot-cli-broken: its manifest is malformed: EOF while parsing a value at line 1 column 18\n\
         \x20 hint: section `The manifest` of the protocol says what it holds\n\
         [BENCH]/plugins/bot-cli-earlier: it speaks protocol 0.9, this host 1.0\n\
         \x20 hint: install versions of bot-cli and the plugin that fit each other\n\
         [BENCH]/plugins/bot-cli-folder: not a file\n\
         [BENCH]/plugins/bot-cli-gone: no such file or directory\n\
         [BENCH]/plugins/bot-cli-later: it speaks protocol 2.0, this host 1.0\n\
         \x20 hint: install versions of bot-cli and the plugin that fit each other\n\
         [BENCH]/plugins/bot-cli-other: its manifest is that of a plugin `hello`\n\
         \x20 hint: name the file `bot-cli-hello`, or change its manifest\n\
         [BENCH]/plugins/bot-cli-plain: not executable\n\
         \x20 hint: chmod +x [BENCH]/plugins/bot-cli-plain\n\
         [BENCH]/plugins/bot-cli-secrets-x: no plugin here uses a secrets backend\n",
        "",
    );
    expect(
        &bench,
        &["secrets-x"],
        2,
        "",
        "error: `secrets-x` is a secrets backend, not a command\nhint: bot-cli plugin info secrets-x\n",
    );
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
    // More than there is memory for.
    fs::File::options()
        .write(true)
        .open(entry)
        .unwrap()
        .set_len(1 << 42)
        .unwrap();
    assert_eq!(bench.run(&["--help"]).unwrap(), list);
    assert_eq!(fs::read(entry).unwrap(), good);
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

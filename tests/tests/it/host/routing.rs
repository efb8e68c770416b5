//! Tests for the routing of arguments to plugins.

use std::fs;
use std::os::unix::ffi::OsStringExt;

use serde_json::{Value, json};

use super::{HELLO, bench, bench_with_rogue, expect};

#[test]
fn a_host_that_uvx_runs_once_names_no_command_of_its_own() {
    let bench = bench();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    for file in ["pyvenv.cfg", "uv-receipt.toml"] {
        fs::write(bench.path(file), "").unwrap();
    }
    expect(&bench, &["hello"], 0, "hello\n", "");
    let steps = "next: ./bot-cli-demo/test.sh\n";
    let made = bench
        .run(&["plugin", "new", "demo", "--lang", "sh"])
        .unwrap();
    assert_eq!(made.stderr, steps);
}

#[test]
fn what_declares_nothing_is_not_started_for_listing_or_help() {
    let bench = bench();
    let marker = bench.path("work/started");
    let script = format!("#!/bin/sh\ntouch {}\n", marker.display());
    bench.script("plugins/bot-cli-old", &script).unwrap();
    for arguments in [
        &["--help"][..],
        &[],
        &["plugin", "list"],
        &["help", "old"],
        &["help", "old", "part"],
        &["__complete", "zsh", "--", "old", ""],
    ] {
        assert_eq!(bench.run(arguments).unwrap().status, Some(0));
        assert!(!marker.exists(), "{arguments:?}");
    }
    bench.run(&["old"]).unwrap();
    assert!(marker.exists());
}

#[test]
fn a_plugin_learns_where_and_for_whom_it_works() {
    let bench = bench_with_rogue();
    let ran = bench
        .run(&["-v", "--json", "rogue", "echo", "-v", "--", "--json"])
        .unwrap();
    let params: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        params,
        json!({
            "protocol": "1.0",
            "argv": ["echo", "--", "--json"],
            "capabilities": { "stdin": {} },
            "context": {
                "cwd": "[BENCH]/work",
                "interactive": false,
                "color": "never",
                "width": 80,
                "format": "json",
                "verbosity": 2,
                "host": { "name": "bot-cli", "version": env!("CARGO_PKG_VERSION") },
            },
        })
    );
}

#[test]
fn words_that_are_not_text_are_refused_for_the_protocol() {
    let bench = bench_with_rogue();
    let word = std::ffi::OsString::from_vec(vec![0xff]);
    let ran = bench.run(&["rogue".into(), word]).unwrap();
    assert_eq!(
        (ran.status, ran.stderr.as_str()),
        (Some(2), "error: an argument is not UTF-8\n")
    );
    // A direct command gets them as they are.
    let script = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"hold","command":{"name":"hold","direct":true}}
printf %s "$1"
"#;
    bench.script("plugins/bot-cli-hold", script).unwrap();
    let word = std::ffi::OsString::from_vec(vec![b'r', 0xff]);
    let output = bench.host(&["hold"]).arg(word).output().unwrap();
    assert_eq!(output.stdout, b"r\xff");
}

#[test]
fn a_folder_that_is_gone_is_named_by_the_host_and_by_a_plugin_alone() {
    let bench = bench();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    let greet = env!("CARGO_BIN_EXE_it-greet");
    bench
        .install(std::path::Path::new(greet), "bin/bot-cli-greet")
        .unwrap();
    for (command, message) in [
        ("bot-cli hello", "the current folder no longer exists"),
        (
            "bot-cli-greet you --language=en",
            "could not find the current folder: no such file or directory",
        ),
    ] {
        let script = format!("mkdir gone; cd gone; rmdir ../gone; \"$0\"/{command}");
        let output = std::process::Command::new("/bin/sh")
            .args(["-c", &script])
            .arg(bench.path("bin"))
            .env_clear()
            .envs(bench.environment())
            .current_dir(bench.path("work"))
            .output()
            .unwrap();
        let ran = bench.ran(&output).unwrap();
        assert_eq!(
            (ran.status, ran.stderr),
            (
                Some(2),
                format!("error: {message}\nhint: cd to a folder that exists\n")
            )
        );
    }
}

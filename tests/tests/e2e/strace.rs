//! Traces the system calls in a change or a listing, and makes them fail one by one.

mod updates;

use std::fs;
use std::process::Command;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::user::User;
use serde_json::{Value, json};

#[test]
fn a_listing_makes_no_system_call_that_writes_or_syncs() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    let plain = user.command(&["secrets", "list"]);
    let calls = "trace=fsync,fdatasync,sync,syncfs,sync_file_range,msync,flock,openat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,ftruncate,pwrite64,link,linkat,fallocate";
    let mut watched = Command::new("strace");
    watched
        .args(["-f", "-o", "trace", "-e", calls])
        .arg(plain.get_program())
        .args(plain.get_args())
        .current_dir(user.work())
        .env_clear()
        .envs(user.variables());
    let output = watched.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let trace = fs::read_to_string(user.work().join("trace")).unwrap();
    assert!(trace.contains("vault.age"), "{trace}");
    let writes = trace.lines().filter(|line| {
        let is_open = line.contains(" openat(");
        let is_read =
            line.contains("O_RDONLY") || line.contains("/dev/") || line.contains("ENOENT");
        let is_end = line.contains("+++") || line.contains("---") || line.contains("resumed>");
        !(is_end || is_open && is_read)
    });
    assert_eq!(writes.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn a_listing_of_many_plugins_in_many_folders_makes_few_system_calls() {
    const FOLDERS: usize = 200;
    const PLUGINS: usize = 500;
    let bench = Bench::new(&[("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli"))]).unwrap();
    let folders: Vec<_> = (1..=FOLDERS).map(|at| format!("work/f{at}")).collect();
    for folder in &folders {
        fs::create_dir(bench.path(folder)).unwrap();
    }
    for at in 1..=PLUGINS {
        let manifest = format!(r#"{{"protocol":"1.0","name":"p{at}"}}"#);
        let script = format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\n");
        bench.put(&format!("work/f{FOLDERS}/bot-cli-p{at}"), &script);
    }
    let paths: Vec<_> = folders.iter().map(|it| bench.path(it)).collect();
    let paths = std::env::join_paths(paths).unwrap();
    let paths = paths.to_str().unwrap();
    for line in [
        "bot-cli __complete fish -- ''",
        "bot-cli __complete fish -- p250 ''",
        "bot-cli --help",
        "bot-cli --version -v",
        "bot-cli plugin list",
    ] {
        let traced = format!("BOT_CLI_PLUGIN_PATH={paths} strace -f -o trace ../bin/{line}");
        let ran = bench.shell(&traced).unwrap();
        assert_eq!(ran.status, Some(0), "{line}: {ran:?}");
        let is_of_all = !line.contains("p250");
        assert_eq!(ran.stdout.contains("p499"), is_of_all, "{line}: {ran:?}");
        let trace = fs::read_to_string(bench.path("work/trace")).unwrap();
        let calls = trace.lines().count();
        assert!(calls < 10 * (FOLDERS + PLUGINS), "{line}: {calls}");
    }
}

#[test]
fn a_system_call_of_a_change_of_the_vault_may_fail_or_be_the_last() {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/e2e/strace/vault_faults.py"
    );
    let output = Command::new("python3")
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_it-bot-cli-cloud"))
        // One fault of so many: all of them take a quarter of an hour.
        .arg("19")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{problem}");
}

/// The system calls that change something or may follow a change.
const CHANGING: [&str; 9] = [
    "write",
    "openat",
    "fsync",
    "rename,renameat,renameat2",
    "mkdir,mkdirat",
    "unlink,unlinkat,rmdir",
    "flock",
    "chmod,fchmod,fchmodat",
    "close",
];

#[test]
fn an_upgrade_that_is_killed_anywhere_leaves_the_old_or_the_new_plugin() {
    let bench = Bench::new(&[("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli"))]).unwrap();
    let done = |script: &str| {
        let ran = bench.shell(script).unwrap();
        assert_eq!(ran.status, Some(0), "{script}: {ran:?}");
        ran.stdout
    };
    let plugin = |version: &str| {
        let manifest = format!(r#"{{"protocol":"1.0","name":"hello","version":"{version}"}}"#);
        bench.put(
            "work/bot-cli-hello",
            &format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\n"),
        );
    };
    plugin("0.1.0");
    done("bot-cli plugin new acme --role provider-pack");
    done("bot-cli plugin add ./bot-cli-hello && bot-cli plugin add ./acme");
    plugin("2.0.0");
    done("sed -i s/0.1.0/2.0.0/ acme/pack.toml && cp -a ../home ../base");
    let mut versions = Vec::new();
    for (name, calls) in ["hello", "pack-acme"]
        .into_iter()
        .flat_map(|name| CHANGING.map(|calls| (name, calls)))
    {
        // One in three: all of them take minutes.
        for when in (1..).step_by(3) {
            let inject = format!("inject={calls}:signal=KILL:when={when}");
            let killed =
                format!("strace -f -o trace -e {inject} ../bin/bot-cli-plugin upgrade {name}");
            bench
                .shell(&format!("rm -rf ../home; cp -a ../base ../home; {killed}"))
                .unwrap();
            let trace = fs::read_to_string(bench.path("work/trace")).unwrap();
            if !trace.contains("+++ killed by SIGKILL +++") {
                break;
            }
            let info = || {
                let ran = bench.run(&["plugin", "info", name, "--json"]).unwrap();
                let info: Value = serde_json::from_str(&ran.stdout).unwrap();
                info["plugins"][0].clone()
            };
            // Between two renames there is no pack, which is said; else one of the two is whole.
            let now = info();
            let is_gone = now.is_null() && name == "pack-acme";
            let is_known = now["version"] == "0.1.0" || now["version"] == "2.0.0";
            assert!(is_gone || is_known, "{inject}: {now}");
            versions.push(now["version"].clone());
            // The next command goes on from there, and clears what was left lying.
            done(&format!("bot-cli plugin upgrade {name}"));
            let after = info();
            assert_eq!(
                (&after["version"], &after["added"]["changed"]),
                (&json!("2.0.0"), &json!(false)),
                "{inject}"
            );
            let left = fs::read_dir(bench.path("home/.local/share/bot-cli")).unwrap();
            assert_eq!(left.count(), 4, "{inject}");
        }
    }
    assert!(versions.contains(&json!("0.1.0")) && versions.contains(&json!("2.0.0")));
}

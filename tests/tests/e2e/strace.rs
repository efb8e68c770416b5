//! What a change or a listing asks of the system, watched and made to fail call by call.

mod updates;

use std::fs;
use std::process::Command;

use bot_cli_tests::bench::{Bench, Ran};
use bot_cli_tests::user::User;
use serde_json::Value;

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

/// The system calls that change something, or after which something has changed.
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
    let plugin = |version: &str| {
        format!(
            "#!/bin/sh\n# bot-cli-plugin: {{\"protocol\":\"1.0\",\"name\":\"hello\",\"version\":\"{version}\"}}\n"
        )
    };
    let pack = |version: &str| {
        let folder = bench.path("work/acme");
        let text = fs::read_to_string(folder.join("pack.toml")).unwrap();
        fs::write(folder.join("pack.toml"), text.replace("0.1.0", version)).unwrap();
    };
    let done = |words: &[&str]| {
        let ran = bench.run(words).unwrap();
        assert_eq!(ran.status, Some(0), "{ran:?}");
        ran.stdout
    };
    bench
        .script("work/bot-cli-hello", &plugin("0.1.0"))
        .unwrap();
    done(&["plugin", "new", "acme", "--role", "provider-pack"]);
    done(&["plugin", "add", "./bot-cli-hello"]);
    done(&["plugin", "add", "./acme"]);
    bench
        .script("work/bot-cli-hello", &plugin("2.0.0"))
        .unwrap();
    pack("2.0.0");
    let copy = |from: &str, to: &str| {
        let _ = fs::remove_dir_all(bench.path(to));
        let mut cp = Command::new("cp");
        let status = cp
            .arg("-a")
            .args([bench.path(from), bench.path(to)])
            .status();
        assert!(status.unwrap().success());
    };
    copy("home", "base");
    let under = |arguments: &[&str], name: &str| {
        let host = bench.host(&["upgrade", name]);
        let mut strace = Command::new("strace");
        strace
            .args(["-f", "-o", "trace"])
            .args(arguments)
            .arg(bench.path("bin/bot-cli-plugin"))
            .args(host.get_args())
            .current_dir(bench.path("work"))
            .env_clear()
            .envs(bench.environment());
        let _ = strace.output().unwrap();
    };
    let mut versions = Vec::new();
    for name in ["hello", "pack-acme"] {
        for calls in CHANGING {
            let mut when = 1;
            loop {
                copy("base", "home");
                let inject = format!("inject={calls}:signal=KILL:when={when}");
                under(&["-e", &inject], name);
                let trace = fs::read_to_string(bench.path("work/trace")).unwrap();
                if !trace.contains("+++ killed by SIGKILL +++") {
                    break;
                }
                // Between two renames there is no pack, which is said; else one of the two is whole.
                let info = || bench.run(&["plugin", "info", name, "--json"]).unwrap();
                let version = |ran: &Ran| {
                    let info: Value = serde_json::from_str(&ran.stdout).unwrap();
                    info["plugins"][0]["version"].as_str().map(str::to_owned)
                };
                let now = version(&info());
                let is_gone = now.is_none() && name == "pack-acme";
                let known = [Some("0.1.0"), Some("2.0.0")];
                assert!(is_gone || known.contains(&now.as_deref()), "{inject}");
                versions.push(now);
                // The next command goes on from there, and clears what was left lying.
                done(&["plugin", "upgrade", name]);
                let after = info();
                assert!(
                    after.stdout.contains("\"changed\": false"),
                    "{inject}: {after:?}"
                );
                assert_eq!(version(&after).as_deref(), Some("2.0.0"), "{inject}");
                let left = fs::read_dir(bench.path("home/.local/share/bot-cli")).unwrap();
                assert_eq!(left.count(), 4, "{inject}");
                // One in three: all of them take minutes.
                when += 3;
            }
        }
    }
    for version in ["0.1.0", "2.0.0"] {
        assert!(
            versions.iter().any(|it| it.as_deref() == Some(version)),
            "{version}"
        );
    }
}

//! Hosts and plugins of either age.

use bot_cli_tests::init::tree;
use serde_json::Value;

use super::sides::{Age, BOTH, Sides};

const BOT: [&str; 10] = bot_cli_tests::init::WEB;

#[test]
fn every_host_makes_the_same_project_with_the_same_init() {
    let sides = Sides::new();
    for init in BOTH {
        let [older, newer] = BOTH.map(|host| {
            let options = sides.done(host, init, &["init", "--list-options", "--json"]);
            let options: Value = serde_json::from_str(&options).unwrap();
            let name = format!("{init:?}-{host:?}").to_lowercase();
            let arguments: Vec<&str> = ["init", "--name", "bot", &name]
                .into_iter()
                .chain(BOT)
                .collect();
            let said = sides.done(host, init, &arguments).replace(&name, "NAME");
            (
                options,
                said,
                tree(&sides.bench.path(&format!("work/{name}"))),
            )
        });
        assert!(
            older.2.contains_key("server/bot.py"),
            "{:?}",
            older.2.keys()
        );
        assert!(older == newer, "{init:?}: {older:?}\n{newer:?}");
    }
}

#[test]
fn every_host_shows_the_help_of_every_plugin() {
    let sides = Sides::new();
    // Twice: from the second time on, each may use what the other has kept in the cache.
    for _ in 0..2 {
        for (host, plugins) in pairs() {
            let help = sides.done(host, plugins, &["help", "init"]);
            assert!(
                help.contains("--stt <SERVICE>"),
                "{host:?} {plugins:?}: {help}"
            );
            let help = sides.done(host, plugins, &["help", "cloud", "secrets", "set"]);
            assert!(
                help.contains("--from-template"),
                "{host:?} {plugins:?}: {help}"
            );
            let list = sides.done(host, plugins, &["plugin", "list"]);
            for name in ["cloud", "init"] {
                let row = list
                    .lines()
                    .find(|line| line.starts_with(name))
                    .unwrap_or_default();
                assert!(row.contains(" used "), "{host:?} {plugins:?}: {list}");
            }
        }
    }
}

#[test]
fn every_host_keeps_and_gives_secrets_with_every_cloud() {
    let sides = Sides::new();
    for (host, plugins) in pairs() {
        let set = format!("{host:?}-{plugins:?}");
        let told = sides.done(
            host,
            plugins,
            &["cloud", "secrets", "set", &set, "A=one", "--skip"],
        );
        assert!(!told.contains("one"), "{told}");
        for (host, plugins) in pairs() {
            let listed = sides.done(host, plugins, &["cloud", "secrets", "list", &set]);
            assert!(
                listed.lines().any(|line| line.starts_with("A ")),
                "{host:?} {plugins:?}: {listed}"
            );
            let given = sides.done(
                host,
                plugins,
                &["cloud", "secrets", "run", &set, "--", "sh", "-c", "echo $A"],
            );
            assert_eq!(given, "one\n", "{host:?} {plugins:?}");
        }
    }
}

/// Every pairing of a host with plugins.
fn pairs() -> impl Iterator<Item = (Age, Age)> {
    BOTH.into_iter()
        .flat_map(|host| BOTH.map(|plugins| (host, plugins)))
}

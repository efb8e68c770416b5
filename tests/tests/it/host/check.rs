//! `plugin check`: a fault fails the checks that are made for it, and no others.

mod broken;
mod packs;

use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use bot_cli_plugin::conformance::{Kit, Report};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_tests::bench::Bench;
use serde_json::Value;

use super::{bench, expect};

/// Returns what the checks of `plugin` say as a document, with the exit status.
pub fn report(bench: &Bench, plugin: &str, options: &[&str]) -> (Option<i32>, Value) {
    let arguments = [&["plugin", "check", plugin, "--json", "-q"], options].concat();
    let ran = bench.run(&arguments).unwrap();
    let document = serde_json::from_str(&ran.stdout);
    (ran.status, document.unwrap_or_else(|_| panic!("{ran:?}")))
}

/// The names of the checks that came out as `verdict`.
pub fn checks<'a>(report: &'a Value, verdict: &str) -> Vec<&'a str> {
    let checks = report["checks"].as_array().unwrap().iter();
    checks
        .filter(|check| check["verdict"] == verdict)
        .map(|check| check["id"].as_str().unwrap())
        .collect()
}

/// The checks that fail for the plugin in `file`, with a run of `argv` unless that is empty. They are as many and as strict as in
/// the command, but for what `kit` says.
fn failed(kit: Kit, argv: &str) -> Vec<String> {
    let kit = match argv {
        "" => kit,
        words => kit.argv(words.split(' ')),
    };
    let report: Report = kit.check(&Cancel::new()).unwrap();
    report.failed().map(|finding| finding.id.clone()).collect()
}

/// Looks at all cases, several at a time since most of the time is waiting, each with the patience for a reply. A case that comes out
/// wrong is looked at again, alone and with forty times the patience, at most twice: on a busy machine a late reply looks like silence.
pub fn all_at_once<Case: Sync>(
    patience: Duration,
    cases: &[Case],
    look: impl Fn(&Case, Duration) -> Option<String> + Sync,
) {
    let left = Mutex::new(cases.iter());
    let doubtful = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some(case) = { left.lock().unwrap().next() } {
                    if look(case, patience).is_some() {
                        doubtful.lock().unwrap().push(case);
                    }
                }
            });
        }
    });
    let doubtful = doubtful.into_inner().unwrap().into_iter();
    let wrong: Vec<String> = doubtful
        .filter_map(|case| {
            let once = look(case, 40 * patience)?;
            let twice = look(case, 40 * patience)?;
            Some(format!("{once}; then {twice}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn names_the_plugin_that_is_not_there() {
    let bench = sample(MUTE);
    for (name, hint) in [("sampel", "hint: did you mean `sample`?\n"), ("other", "")] {
        for command in ["check", "info"] {
            expect(
                &bench,
                &["plugin", command, name],
                1,
                "",
                &format!("error: there is no plugin `{name}`\n{hint}hint: bot-cli plugin list\n"),
            );
        }
    }
}

#[test]
fn a_check_that_is_not_made_has_not_passed() {
    let bench = sample(MUTE);
    let (status, report) = report(&bench, "sample", &[]);
    assert_eq!(status, Some(1));
    assert_eq!(
        checks(&report, "passed"),
        [
            "file_executable",
            "manifest_in_file",
            "manifest_protocol",
            "manifest_name",
            "command_tree"
        ]
    );
    assert_eq!(checks(&report, "failed"), ["request_replied"]);
    let not_run = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["verdict"] == "not_run");
    for check in not_run {
        assert_eq!(
            check["reason"], "the plugin does not reply to a request",
            "{check}"
        );
    }
}

#[test]
fn only_what_must_hold_decides_the_status() {
    let help = r#"{"method":"run","params":{"argv":["--help"],"protocol":"1.0"}}"#;
    let later = r#"{"params":{"later":true}}"#;
    let refused = r#"{"jsonrpc":"2.0","id":$id,"error":{"code":2,"message":"no"}}"#;
    for (pattern, status) in [(help, Some(0)), (later, Some(1))] {
        let rules = format!("-> {pattern}\n<- {refused}\n");
        let (actual, report) = report(&sample(&rules), "sample", &[]);
        assert_eq!(actual, status, "{report}");
    }
}

#[test]
fn messages_are_shown_without_passwords_and_shortened() {
    let bench = sample(
        "-> {\"id\":\"token\"}\n!! got $line\n-- pass\n~> \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\n-- exit 1",
    );
    let ran = bench
        .run(&["plugin", "check", "sample", "--argv", "ask", "--show"])
        .unwrap();
    for part in [
        "-> {\"jsonrpc\":\"2.0\",\"id\":\"token\",\"result\":{\"action\":\"accept\",\"value\":\"[hidden]\"}}",
        "!! got {\"jsonrpc\":\"2.0\",\"id\":\"token\",\"result\":{\"action\":\"accept\",\"value\":\"[hidden]\"}}",
        "xxx… (8388609 bytes)",
        "-- end of input",
    ] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("canary"), "{}", ran.stdout);
    assert_eq!(
        ran.stderr,
        "note: running `[BENCH]/bin/bot-cli-sample` with the words of `--argv`, among others\n"
    );
}

#[test]
fn a_run_that_takes_long_needs_a_longer_time_limit() {
    let bench =
        sample("-> {\"method\":\"run\",\"params\":{\"argv\":[\"go\"]}}\n-- sleep 3\n-- pass");
    let (_, report) = report(&bench, "sample", &["--argv", "go", "--timeout", "2"]);
    let mut run = report["checks"].as_array().unwrap().iter();
    let run = run.find(|check| check["id"] == "run_replied");
    assert_eq!(
        run.unwrap()["reason"],
        "no reply within 2 s: if the run takes longer, `--timeout` waits longer"
    );
}

#[test]
fn a_crash_is_told_once_with_its_last_words() {
    let bench = sample("-> {\"method\":\"run\"}\n!! no module named `numpy`\n-- exit 1");
    let ran = bench
        .run(&["plugin", "check", "sample", "--argv", "go"])
        .unwrap();
    let reason = "it ended (exit status: 1) instead of replying: `no module named `numpy``\n";
    assert_eq!(ran.stdout.matches(reason).count(), 1, "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("\n  the same: missing_protocol_served, "),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.ends_with(
        "\n  hint: `--show` prints the messages, and what the plugin wrote to standard error\n"
    ));
}

#[test]
fn a_flag_of_a_subcommand_is_looked_for_there() {
    let text =
        include_str!("../../../../plugins/plugin/src/new/sh/plugin.sh").replace("@NAME@", "a");
    let (_, rest) = text.split_once("@MANIFEST@").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    let manifest = r#"{"protocol":"1.0","name":"a","version":"0.1.0","command":{"name":"a","commands":[{"name":"list","arguments":[{"name":"json","kind":"flag","long":"json"}]}]}}"#;
    let bench = bench();
    let text = format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\n{rest}");
    bench.script("plugins/bot-cli-a", &text).unwrap();
    let (_, of_list) = report(&bench, "a", &["--argv", "list"]);
    assert!(
        checks(&of_list, "passed").contains(&"json_option_accepted"),
        "{of_list}"
    );
    let (_, of_root) = report(&bench, "a", &["--argv", "world"]);
    assert!(
        checks(&of_root, "not_run").contains(&"json_option_accepted"),
        "{of_root}"
    );
}

#[test]
fn a_file_that_is_not_there_is_a_finding() {
    let (status, report) = report(&bench(), "./nowhere", &[]);
    assert_eq!(
        (status, checks(&report, "failed")),
        (Some(1), vec!["file_executable"])
    );
}

#[test]
fn our_own_plugins_and_the_samples_in_sh_and_rust_break_no_rule() {
    let hello =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk/protocol/tests/examples/bot-cli-hello");
    let init = Path::new(env!("CARGO_BIN_EXE_it-bot-cli-init"));
    let cloud = Path::new(env!("CARGO_BIN_EXE_it-bot-cli-cloud"));
    let plugin = Path::new(env!("CARGO_BIN_EXE_it-bot-cli-plugin"));
    let greet = Path::new(env!("CARGO_BIN_EXE_it-greet"));
    for (name, file, argv, advice) in [
        // It knows no options, and parses no JSON.
        (
            "hello",
            hello.as_path(),
            "",
            &["any_json_read", "help_replied", "version_replied"][..],
        ),
        ("init", init, "--list-options", &[]),
        ("init", init, "", &[]),
        ("cloud", cloud, "secrets list", &[]),
        ("plugin", plugin, "list", &[]),
        ("greet", greet, "world --language en", &[]),
        ("greet", greet, "", &[]),
    ] {
        let bench = bench();
        let place = format!("plugins/bot-cli-{name}");
        bench.install(file, &place).unwrap();
        let path = format!("../{place}");
        let (status, report) = report(&bench, &path, &["--argv", argv]);
        assert_eq!(
            checks(&report, "failed"),
            advice,
            "{name} {argv:?}: {report:#}"
        );
        assert_eq!(status, Some(0));
    }
}

/// A bench with the sample, which does what these rules say.
fn sample(rules: &str) -> Bench {
    let bench = bench();
    let sample = Path::new(env!("CARGO_BIN_EXE_it-sample"));
    bench.install(sample, "bin/bot-cli-sample").unwrap();
    std::fs::write(bench.path("bin/bot-cli-sample.fault"), rules).unwrap();
    bench
}

/// The rules of a sample that never replies.
const MUTE: &str = "-> {\"id\":\"$any\"}";

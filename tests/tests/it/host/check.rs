//! Tests for `plugin check`. Each fault must fail the checks that cover it, and no others.

mod broken;
mod packs;

use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use bot_cli_plugin::conformance::Kit;
use bot_cli_terminal::cancel::Cancel;
use bot_cli_tests::bench::Bench;
use bot_cli_tests::document::block;
use serde_json::Value;

use super::bench;

/// Runs the checks on `plugin`. Returns the exit status and the report.
pub fn report(bench: &Bench, plugin: &str, options: &[&str]) -> (Option<i32>, Value) {
    let arguments = [&["plugin", "check", plugin, "--json", "-q"], options].concat();
    let ran = bench.run(&arguments).unwrap();
    let document = serde_json::from_str(&ran.stdout);
    (ran.status, document.unwrap_or_else(|_| panic!("{ran:?}")))
}

/// Returns the names of the checks with this verdict.
pub fn checks<'a>(report: &'a Value, verdict: &str) -> Vec<&'a str> {
    let checks = report["checks"].as_array().unwrap().iter();
    checks
        .filter(|check| check["verdict"] == verdict)
        .map(|check| check["id"].as_str().unwrap())
        .collect()
}

/// Returns the checks for the plugin in `file`, as the command runs them, but with a different time limit and with lines that a shell can
/// read in time.
fn kit(file: &Path, patience: Duration) -> Kit {
    Kit {
        patience,
        longest_line: 64 * 1024,
        ..Kit::new(file)
    }
}

/// Returns the checks that fail, including those of a run with `argv` unless it is empty.
fn failed(mut kit: Kit, argv: &str) -> Vec<String> {
    if !argv.is_empty() {
        kit.argv = Some(argv.split(' ').map(str::to_owned).collect());
    }
    let report = kit.check(&Cancel::new(), |_, _, _| {}).unwrap();
    report.failed().map(|finding| finding.id.clone()).collect()
}

/// Tests the cases concurrently with `patience` as the time limit for a reply, because most of the time is spent waiting. A failed case is
/// retried alone, up to four times, with forty times the limit. On a busy machine, a late reply looks like silence.
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
            let looks: Option<Vec<String>> = (0..4).map(|_| look(case, 40 * patience)).collect();
            Some(looks?.join("; then "))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_check_that_is_not_made_has_not_passed() {
    // It never replies.
    let bench = sample("-> {\"id\":\"$any\"}");
    let (status, report) = report(&bench, SAMPLE, &[]);
    assert_eq!(status, Some(1));
    let passed = [
        "file_executable",
        "manifest_in_file",
        "manifest_protocol",
        "manifest_name",
        "command_tree",
    ];
    assert_eq!(checks(&report, "passed"), passed);
    assert_eq!(checks(&report, "failed"), ["request_replied"]);
    let all = report["checks"].as_array().unwrap();
    for check in all.iter().filter(|check| check["verdict"] == "not_run") {
        let reason = "the plugin does not reply to a request";
        assert_eq!(check["reason"], reason, "{check}");
    }
}

#[test]
fn only_what_must_hold_decides_the_status() {
    let help = r#"{"method":"run","params":{"argv":["--help"],"protocol":"1.0"}}"#;
    let later = r#"{"params":{"later":true}}"#;
    let refused = r#"{"jsonrpc":"2.0","id":$id,"error":{"code":2,"message":"no"}}"#;
    for (pattern, status) in [(help, Some(0)), (later, Some(1))] {
        let rules = format!("-> {pattern}\n<- {refused}\n");
        let (actual, report) = report(&sample(&rules), SAMPLE, &[]);
        assert_eq!(actual, status, "{report}");
    }
}

#[test]
fn messages_are_shown_without_passwords_and_shortened() {
    let bench = sample(
        "-> {\"id\":\"token\"}\n!! got $line\n-- pass\n~> \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\n-- exit 1",
    );
    let words = ["plugin", "check", SAMPLE, "--argv", "ask", "--show"];
    let ran = bench.run(&words).unwrap();
    for part in [
        "-> {\"jsonrpc\":\"2.0\",\"id\":\"token\",\"result\":{\"action\":\"accept\",\"value\":\"[hidden]\"}}",
        "!! got {\"jsonrpc\":\"2.0\",\"id\":\"token\",\"result\":{\"action\":\"accept\",\"value\":\"[hidden]\"}}",
        "xxx… (8388609 bytes)",
        "-- end of input",
    ] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("canary"), "{}", ran.stdout);
}

#[test]
fn a_run_that_takes_long_needs_a_longer_time_limit() {
    let go = "-> {\"method\":\"run\",\"params\":{\"argv\":[\"go\"]}}\n-- sleep 3\n-- pass";
    let (_, report) = report(&sample(go), SAMPLE, &["--argv", "go", "--timeout", "2"]);
    let mut run = report["checks"].as_array().unwrap().iter();
    let run = run.find(|check| check["id"] == "run_replied");
    let reason = "no reply within 2 s (`--timeout` waits longer)";
    assert_eq!(run.unwrap()["reason"], reason);
}

#[test]
fn a_crash_is_told_once_with_its_last_words() {
    let bench = sample("-> {\"method\":\"run\"}\n!! no module named `numpy`\n-- exit 1");
    let words = ["plugin", "check", SAMPLE, "--argv", "go"];
    let text = bench.run(&words).unwrap().stdout;
    let reason = "it ended (exit status: 1) instead of replying: `no module named `numpy``\n";
    assert_eq!(text.matches(reason).count(), 1, "{text}");
    let same = "\n  the same: missing_protocol_served, ";
    assert!(text.contains(same), "{text}");
    let hint =
        "\n  hint: `--show` prints the messages, and what the plugin wrote to standard error\n";
    assert!(text.ends_with(hint), "{text}");
}

#[test]
fn our_own_plugins_and_the_samples_in_sh_and_rust_break_no_rule() {
    let protocol = include_str!("../../../../sdk/protocol/PROTOCOL.md");
    let hello = block(protocol, "example: bot-cli-hello").unwrap();
    let written = bench();
    let hello = written.script("hello", &hello).unwrap();
    let init = Path::new(env!("CARGO_BIN_EXE_it-bot-cli-init"));
    let cloud = Path::new(env!("CARGO_BIN_EXE_it-bot-cli-cloud"));
    let plugin = Path::new(env!("CARGO_BIN_EXE_it-bot-cli-plugin"));
    let greet = Path::new(env!("CARGO_BIN_EXE_it-greet"));
    // It knows no options.
    let simple = &["help_replied", "version_replied"][..];
    for (name, file, argv, advice) in [
        ("hello", hello.as_path(), "", simple),
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
        let failed = checks(&report, "failed");
        assert_eq!(failed, advice, "{name} {argv:?}: {report:#}");
        assert_eq!(status, Some(0));
    }
}

/// Creates a bench with the sample plugin and these rules.
fn sample(rules: &str) -> Bench {
    let bench = bench();
    let sample = Path::new(env!("CARGO_BIN_EXE_it-sample"));
    bench.install(sample, "bin/bot-cli-sample").unwrap();
    std::fs::write(bench.path("bin/bot-cli-sample.fault"), rules).unwrap();
    bench
}

const SAMPLE: &str = "../bin/bot-cli-sample";

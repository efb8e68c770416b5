//! `plugin check`: a fault fails the checks that are made for it, and no others.

use std::path::Path;
use std::sync::Mutex;
use std::thread;

use bot_cli_tests::bench::Bench;
use serde_json::Value;

use super::bench;

/// What the checks of `plugin` say as a document, with the exit status.
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

/// The faults of the sample, a run that shows them, and the checks that fail.
const FAULTS: [(&str, &str, &[&str]); 50] = [
    ("", "go", &[]),
    ("", "ask", &[]),
    ("mute", "go", &["request_replied"]),
    ("serves-everything", "go", &["unknown_method_refused"]),
    ("answers-notes", "go", &["unknown_notification_ignored"]),
    ("counts", "go", &["id_returned", "one_reply_each"]),
    (
        "matches-text",
        "go",
        &["any_json_read", "non_message_answered"],
    ),
    ("no-carriage-return", "go", &["carriage_return_accepted"]),
    ("answers-blank", "go", &["blank_line_skipped"]),
    ("skips-junk", "go", &["junk_line_answered"]),
    ("dies-of-bytes", "go", &["invalid_utf8_answered"]),
    ("skips-others", "go", &["non_message_answered"]),
    ("short-lines", "go", &["long_line_accepted"]),
    (
        "last-first",
        "go",
        &["requests_served_in_order", "runs_not_interleaved"],
    ),
    (
        "dies-of-cancel",
        "go",
        &["unknown_cancel_ignored", "cancel_replied"],
    ),
    (
        "answers-cancel",
        "go",
        &["cancel_replied", "one_reply_each"],
    ),
    ("describes-another", "go", &["describe_matches_file"]),
    (
        "fails-at-end",
        "go",
        &[
            "input_end_ends",
            "input_end_replies",
            "run_finished_at_input_end",
        ],
    ),
    (
        "abandons",
        "go",
        &[
            "input_end_replies",
            "run_finished_at_input_end",
            "cancel_replied",
        ],
    ),
    ("abandons-runs", "go", &["run_finished_at_input_end"]),
    ("deaf-to-signals", "go", &["signal_ends"]),
    (
        "deaf-to-signals",
        "ask",
        &["signal_ends", "signal_at_question"],
    ),
    ("logs-at-completion", "go", &["completion_silent"]),
    ("completes-everything", "go", &["completion_fits"]),
    ("completes-no-equals", "go", &["completion_of_option_value"]),
    ("strict", "go", &["unknown_members_ignored"]),
    ("needs-protocol", "go", &["missing_protocol_served"]),
    ("knows-one-minor", "go", &["later_minor_served"]),
    ("serves-every-major", "go", &["later_major_refused"]),
    ("no-help", "go", &["help_replied"]),
    ("no-version-data", "go", &["version_replied"]),
    ("never-a-command", "go", &["ordinary_command"]),
    ("wrong-result", "go", &["run_replied"]),
    ("no-data", "go", &["data_given"]),
    ("no-json", "go", &["json_option_accepted"]),
    ("interleaves", "ask", &["runs_not_interleaved"]),
    ("works-on", "go", &["lost_output_ends"]),
    ("no-inputs", "ask", &["open_inputs_listed"]),
    (
        "ignores-cancelled-question",
        "ask",
        &["cancelled_question_ends_run"],
    ),
    ("accepts-unknown-action", "ask", &["unknown_action_cancels"]),
    ("silent-at-end", "ask", &["input_end_at_question"]),
    ("silent-at-signal", "ask", &["signal_at_question"]),
    ("no-choices", "ask", &["questions_answerable"]),
    ("tells-password", "ask", &["password_kept"]),
    ("prints", "go", &["only_messages_printed"]),
    ("replies-twice", "go", &["cancel_replied", "one_reply_each"]),
    ("output-unoffered", "go", &["nothing_unoffered_sent"]),
    ("log-without-id", "go", &["messages_well_formed"]),
    ("leaves-child", "go", &["no_process_left"]),
    // What is not a fault of the file is not looked at without a run.
    ("wrong-result", "", &[]),
];

#[test]
fn each_fault_fails_its_own_checks() {
    let faults = Mutex::new(FAULTS.iter());
    let wrong = Mutex::new(Vec::new());
    let work = || {
        while let Some((fault, argv, expected)) = { faults.lock().unwrap().next() } {
            let bench = sample(fault);
            let options: &[&str] = if argv.is_empty() {
                &[]
            } else {
                &["--argv", argv]
            };
            let (_, report) = report(&bench, "sample", options);
            let failed = checks(&report, "failed");
            if failed != *expected {
                wrong
                    .lock()
                    .unwrap()
                    .push(format!("{fault} {argv}: {failed:?}, not {expected:?}"));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(work);
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_check_has_a_fault_that_it_finds() {
    let (_, report) = report(&sample(""), "sample", &[]);
    let by_sample = FAULTS.iter().flat_map(|(.., checks)| *checks);
    let by_file = FILES.iter().flat_map(|(.., checks)| *checks);
    let found: Vec<&str> = by_sample.chain(by_file).copied().collect();
    for check in report["checks"].as_array().unwrap() {
        let id = check["id"].as_str().unwrap();
        assert!(found.contains(&id), "{id}");
    }
}

/// Files with a fault, their modes, and the checks that fail.
const FILES: [(&str, u32, &str, &[&str]); 6] = [
    (
        "bot-cli-a",
        0o644,
        "{\"protocol\":\"1.0\",\"name\":\"a\"}",
        &["file_executable"],
    ),
    ("bot-cli-a", 0o755, "", &["manifest_in_file"]),
    (
        "bot-cli-a",
        0o755,
        "{\"protocol\":\"1.0\"}",
        &["manifest_in_file"],
    ),
    (
        "bot-cli-a",
        0o755,
        "{\"protocol\":\"2.0\",\"name\":\"a\"}",
        &["manifest_protocol"],
    ),
    (
        "bot-cli-a",
        0o755,
        "{\"protocol\":\"1.0\",\"name\":\"b\"}",
        &["manifest_name", "version_replied"],
    ),
    (
        "bot-cli-a",
        0o755,
        "{\"protocol\":\"1.0\",\"name\":\"a\",\"version\":\"0.1.0\",\"command\":{\"name\":\"a\",\"arguments\":[{\"name\":\"who\"}]}}",
        &["command_tree"],
    ),
];

#[test]
fn what_is_wrong_with_a_file_is_found_without_a_message() {
    let good = include_str!("../../../../host/src/new/sh/plugin.sh").replace("@NAME@", "a");
    let (_, rest) = good.split_once("bot-cli-plugin: ").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    for (name, mode, manifest, expected) in FILES {
        let bench = bench();
        let file = format!("work/{name}");
        bench
            .script(
                &file,
                &format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\n{rest}"),
            )
            .unwrap();
        bench.mode(&file, mode).unwrap();
        let (status, report) = report(&bench, &format!("./{name}"), &[]);
        assert_eq!(checks(&report, "failed"), expected, "{manifest}");
        assert_eq!(status, Some(1), "{manifest}");
    }
}

#[test]
fn a_check_that_is_not_made_has_not_passed() {
    let bench = sample("mute");
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
    for (fault, status) in [("no-help", Some(0)), ("strict", Some(1))] {
        let (actual, report) = report(&sample(fault), "sample", &[]);
        assert_eq!(actual, status, "{report}");
    }
}

#[test]
fn messages_are_shown_without_passwords_and_shortened() {
    let bench = sample("tells-password");
    let ran = bench
        .run(&["plugin", "check", "sample", "--argv", "ask", "--show=all"])
        .unwrap();
    let answered = "-> {\"jsonrpc\":\"2.0\",\"id\":\"token\",\"result\":{\"action\":\"accept\",\"value\":\"[hidden]\"}}";
    let told = "!! got \"[hidden]\"";
    let shortened = "xxx… (8388609 bytes)";
    for part in [
        answered,
        told,
        shortened,
        "-- end of input",
        "-- signal TERM",
    ] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("canary"), "{}", ran.stdout);
    let ran = bench
        .run(&["plugin", "check", "sample", "--argv", "ask", "--show"])
        .unwrap();
    assert!(
        ran.stdout.contains(told) && !ran.stdout.contains("-- signal TERM"),
        "{}",
        ran.stdout
    );
    assert_eq!(
        ran.stderr,
        "note: running `[BENCH]/bin/bot-cli-sample` with the words of `--argv`, among others\n"
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
    let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk");
    let hello = sdk.join("tests/examples/bot-cli-hello");
    let init = Path::new(env!("CARGO_BIN_EXE_it-bot-cli-init"));
    let cloud = Path::new(env!("CARGO_BIN_EXE_it-bot-cli-cloud"));
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
        ("greet", greet, "world --language en", &[]),
        ("greet", greet, "", &[]),
    ] {
        let bench = bench();
        let place = format!("plugins/bot-cli-{name}");
        std::fs::copy(file, bench.path(&place)).unwrap();
        bench.mode(&place, 0o755).unwrap();
        let (status, report) = report(&bench, name, &["--argv", argv]);
        assert_eq!(
            checks(&report, "failed"),
            advice,
            "{name} {argv:?}: {report:#}"
        );
        assert_eq!(status, Some(0));
    }
}

#[test]
fn every_rogue_is_found_out() {
    let bench = bench();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk/tests/plugins");
    let mut rogues = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let text = std::fs::read_to_string(&file).unwrap();
        let (first, rest) = text.split_once('\n').unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        let manifest = format!("# bot-cli-plugin: {{\"protocol\":\"1.0\",\"name\":\"{name}\"}}");
        // Those that never reply would only show how long a check waits.
        if [
            "deaf",
            "polite",
            "slow",
            "closed-output",
            "clinging",
            "verbose",
            "insatiable",
        ]
        .contains(&name)
        {
            continue;
        }
        bench
            .script(
                &format!("plugins/bot-cli-{name}"),
                &format!("{first}\n{manifest}\n{rest}"),
            )
            .unwrap();
        let (status, report) = report(&bench, name, &[]);
        assert_eq!(status, Some(1), "{name}: {report}");
        rogues += 1;
    }
    assert!(rogues >= 10, "{rogues}");
}

/// A bench with the sample, which has this fault.
fn sample(fault: &str) -> Bench {
    let bench = bench();
    let sample = Path::new(env!("CARGO_BIN_EXE_it-sample"));
    bench.install(sample, "bin/bot-cli-sample").unwrap();
    std::fs::write(bench.path("bin/bot-cli-sample.fault"), fault).unwrap();
    bench
}

//! What is wrong with the sample, fault by fault: all checks are made, and those that belong to the fault fail.

use std::time::Duration;

use bot_cli_sdk::conformance::Kit;

use super::{FILES, all_at_once, failed, report, sample};

/// The time that a reply may take. A fault that shows as silence takes this long, several times.
const PATIENCE: Duration = Duration::from_secs(5);

/// The faults of the sample, a run that shows them, and the checks that fail.
const FAULTS: [(&str, &str, &[&str]); 51] = [
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
    ("prints-bytes", "go", &["only_messages_printed"]),
    ("replies-twice", "go", &["cancel_replied", "one_reply_each"]),
    ("output-unoffered", "go", &["nothing_unoffered_sent"]),
    ("log-without-id", "go", &["messages_well_formed"]),
    ("leaves-child", "go", &["no_process_left"]),
    // What is not a fault of the file is not looked at without a run.
    ("wrong-result", "", &[]),
];

#[test]
fn each_fault_fails_its_own_checks() {
    all_at_once(PATIENCE, &FAULTS, |(fault, argv, expected), patience| {
        let bench = sample(fault);
        let failed = failed(
            Kit::new(&bench.path("bin/bot-cli-sample")).patience(patience),
            argv,
        );
        (failed != *expected).then(|| format!("{fault} {argv}: {failed:?}, not {expected:?}"))
    });
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

//! The plugins that break the protocol, checked.

use std::fs;
use std::path::Path;
use std::time::Duration;

use bot_cli_sdk::conformance::Kit;
use bot_cli_tests::bench::Bench;

use super::{all_at_once, bench, failed};

/// How long a reply may take. Most of them never reply to most requests.
const PATIENCE: Duration = Duration::from_secs(2);

/// What fails for each plugin in `sdk/tests/plugins`, whose manifest the test adds. Where nothing but `request_replied` fails, no other
/// check of the messages is made.
const ROGUES: [(&str, &[&str]); 21] = [
    // The reply waits for the answer to a question that was not offered.
    ("blabbing", &["request_replied"]),
    (
        "chatty",
        &[
            "unknown_method_refused",
            "id_returned",
            "junk_line_answered",
            "invalid_utf8_answered",
            "non_message_answered",
            "requests_served_in_order",
            "unknown_cancel_ignored",
            "describe_matches_file",
            "input_end_replies",
            "signal_ends",
            "later_major_refused",
            "help_replied",
            "version_replied",
            "ordinary_command",
            "runs_not_interleaved",
            "cancel_replied",
            "only_messages_printed",
            "one_reply_each",
            "nothing_unoffered_sent",
        ],
    ),
    (
        "clinging",
        &[
            "unknown_method_refused",
            "id_returned",
            "junk_line_answered",
            "invalid_utf8_answered",
            "non_message_answered",
            "requests_served_in_order",
            "unknown_cancel_ignored",
            "describe_matches_file",
            "input_end_ends",
            "input_end_replies",
            "later_major_refused",
            "help_replied",
            "version_replied",
            "ordinary_command",
            "runs_not_interleaved",
            "run_finished_at_input_end",
            "cancel_replied",
            "one_reply_each",
        ],
    ),
    ("closed-output", &["request_replied"]),
    (
        "curious",
        &[
            "unknown_method_refused",
            "id_returned",
            "blank_line_skipped",
            "junk_line_answered",
            "invalid_utf8_answered",
            "non_message_answered",
            "requests_served_in_order",
            "unknown_cancel_ignored",
            "describe_matches_file",
            "input_end_replies",
            "signal_ends",
            "later_major_refused",
            "help_replied",
            "version_replied",
            "runs_not_interleaved",
            "run_finished_at_input_end",
            "cancel_replied",
            "cancelled_question_ends_run",
            "unknown_action_cancels",
            "input_end_at_question",
            "signal_at_question",
            "password_kept",
            "only_messages_printed",
            "nothing_unoffered_sent",
        ],
    ),
    ("deaf", &["request_replied"]),
    (
        "double-reply",
        &[
            "unknown_method_refused",
            "id_returned",
            "junk_line_answered",
            "invalid_utf8_answered",
            "non_message_answered",
            "requests_served_in_order",
            "unknown_cancel_ignored",
            "describe_matches_file",
            "input_end_replies",
            "signal_ends",
            "later_major_refused",
            "help_replied",
            "version_replied",
            "ordinary_command",
            "data_given",
            "runs_not_interleaved",
            "cancel_replied",
            "one_reply_each",
        ],
    ),
    ("endless-line", &["request_replied"]),
    ("fickle", &["request_replied"]),
    // What it writes to standard error breaks no rule; that it replies to one request does.
    (
        "flood",
        &[
            "unknown_method_refused",
            "id_returned",
            "junk_line_answered",
            "invalid_utf8_answered",
            "non_message_answered",
            "requests_served_in_order",
            "unknown_cancel_ignored",
            "describe_matches_file",
            "input_end_replies",
            "signal_ends",
            "later_major_refused",
            "help_replied",
            "version_replied",
            "ordinary_command",
            "data_given",
            "runs_not_interleaved",
            "cancel_replied",
            "one_reply_each",
        ],
    ),
    (
        "heir",
        &[
            "unknown_method_refused",
            "id_returned",
            "junk_line_answered",
            "invalid_utf8_answered",
            "non_message_answered",
            "requests_served_in_order",
            "unknown_cancel_ignored",
            "describe_matches_file",
            "input_end_replies",
            "signal_ends",
            "later_major_refused",
            "help_replied",
            "version_replied",
            "ordinary_command",
            "runs_not_interleaved",
            "cancel_replied",
            "one_reply_each",
            "no_process_left",
        ],
    ),
    ("insatiable", &["request_replied"]),
    ("no-reply", &["request_replied"]),
    ("not-utf8", &["request_replied"]),
    ("orphan", &["request_replied"]),
    // It and the next one reply to a request only when that is cancelled.
    ("polite", &["request_replied"]),
    ("slow", &["request_replied"]),
    (
        "telling",
        &[
            "unknown_method_refused",
            "id_returned",
            "any_json_read",
            "junk_line_answered",
            "invalid_utf8_answered",
            "non_message_answered",
            "describe_matches_file",
            "later_major_refused",
            "help_replied",
            "version_replied",
            "ordinary_command",
            "data_given",
            "cancel_replied",
            "only_messages_printed",
            "one_reply_each",
            "nothing_unoffered_sent",
        ],
    ),
    (
        "verbose",
        &[
            "unknown_method_refused",
            "id_returned",
            "junk_line_answered",
            "invalid_utf8_answered",
            "non_message_answered",
            "requests_served_in_order",
            "unknown_cancel_ignored",
            "describe_matches_file",
            "input_end_ends",
            "input_end_replies",
            "later_major_refused",
            "help_replied",
            "version_replied",
            "ordinary_command",
            "data_given",
            "runs_not_interleaved",
            "run_finished_at_input_end",
            "cancel_replied",
            "only_messages_printed",
            "one_reply_each",
        ],
    ),
    ("wrong-id", &["request_replied"]),
    (
        "wrong-result",
        &[
            "unknown_method_refused",
            "id_returned",
            "junk_line_answered",
            "invalid_utf8_answered",
            "non_message_answered",
            "requests_served_in_order",
            "unknown_cancel_ignored",
            "describe_matches_file",
            "input_end_replies",
            "signal_ends",
            "later_major_refused",
            "help_replied",
            "version_replied",
            "ordinary_command",
            "run_replied",
            "data_given",
            "runs_not_interleaved",
            "cancel_replied",
            "one_reply_each",
        ],
    ),
];

#[test]
fn every_rogue_is_found_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk/tests/plugins");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    all_at_once(&names, |name| {
        let bench = bench();
        let file = rogue(&bench, &folder.join(name));
        let failed = failed(kit(&file), "go");
        let known = ROGUES.iter().find(|(known, _)| known == name);
        (known.map(|(_, expected)| *expected) != Some(&failed[..]))
            .then(|| format!("{name}: {failed:?}"))
    });
}

/// Its modes are modes of a `run`, and it ends without a reply to any other request: none of them is reached.
#[test]
fn a_plugin_that_only_runs_is_found_out_in_every_mode() {
    let bench = bench();
    let file = bench.path("plugins/bot-cli-rogue");
    let rogue = Path::new(env!("CARGO_BIN_EXE_it-bot-cli-rogue"));
    bench.install(rogue, "plugins/bot-cli-rogue").unwrap();
    for mode in ["echo", "crash", "stubborn", "grandchild"] {
        assert_eq!(failed(kit(&file), mode), ["request_replied"], "{mode}");
    }
}

/// Lines of 64 KiB will do: what a shell does with longer ones is for the samples to show.
fn kit(file: &Path) -> Kit {
    Kit::new(file).patience(PATIENCE).longest_line(64 * 1024)
}

/// The rogue in `file` with a manifest, as an installed plugin.
fn rogue(bench: &Bench, file: &Path) -> std::path::PathBuf {
    let text = fs::read_to_string(file).unwrap();
    let name = file.file_name().unwrap().to_str().unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let manifest = format!("# bot-cli-plugin: {{\"protocol\":\"1.0\",\"name\":\"{name}\"}}");
    let script = format!("{first}\n{manifest}\n{rest}");
    bench
        .script(&format!("plugins/bot-cli-{name}"), &script)
        .unwrap()
}

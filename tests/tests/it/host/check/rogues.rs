//! The plugins that break the protocol, checked.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use bot_cli_sdk::conformance::Kit;
use bot_cli_tests::bench::Bench;

use super::{all_at_once, bench, failed};

/// The time that a reply may take. Most of them never reply to most requests.
const PATIENCE: Duration = Duration::from_millis(1500);

/// A plugin in `sdk/tests/plugins`, and the checks that fail: those in the first list, without the second, and with the third.
type Rogue = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

/// What fails for a plugin that replies to one request, whatever it is, as to request 1.
const ONE_REPLY: &[&str] = &[
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
];

/// What fails for a plugin without a reply: no other check of the messages is made.
const NO_REPLY: &[&str] = &["request_replied"];

/// Those that take longest come first.
const ROGUES: [Rogue; 22] = [
    (
        "verbose",
        ONE_REPLY,
        &["signal_ends"],
        &[
            "input_end_ends",
            "run_finished_at_input_end",
            "data_given",
            "only_messages_printed",
        ],
    ),
    (
        "clinging",
        ONE_REPLY,
        &["signal_ends"],
        &["input_end_ends", "run_finished_at_input_end"],
    ),
    ("heir", ONE_REPLY, &[], &["no_process_left"]),
    (
        "chatty",
        ONE_REPLY,
        &[],
        &["only_messages_printed", "nothing_unoffered_sent"],
    ),
    // It takes three lines for one request and two answers, and replies with what they are.
    (
        "curious",
        ONE_REPLY,
        &["ordinary_command", "one_reply_each"],
        &[
            "blank_line_skipped",
            "run_finished_at_input_end",
            "cancelled_question_ends_run",
            "unknown_action_cancels",
            "input_end_at_question",
            "signal_at_question",
            "password_kept",
            "only_messages_printed",
            "nothing_unoffered_sent",
        ],
    ),
    ("double-reply", ONE_REPLY, &[], &["data_given"]),
    // What it writes to standard error breaks no rule.
    ("flood", ONE_REPLY, &[], &["data_given"]),
    // It serves every request, with a result.
    (
        "telling",
        ONE_REPLY,
        &[
            "requests_served_in_order",
            "unknown_cancel_ignored",
            "input_end_replies",
            "signal_ends",
            "runs_not_interleaved",
        ],
        &[
            "any_json_read",
            "data_given",
            "only_messages_printed",
            "nothing_unoffered_sent",
        ],
    ),
    (
        "wrong-result",
        ONE_REPLY,
        &[],
        &["run_replied", "data_given"],
    ),
    // It replies after the answer to a question, which nobody offered to ask.
    ("blabbing", NO_REPLY, &[], &[]),
    ("closed-output", NO_REPLY, &[], &[]),
    ("deaf", NO_REPLY, &[], &[]),
    ("endless-line", NO_REPLY, &[], &[]),
    ("fickle", NO_REPLY, &[], &[]),
    ("insatiable", NO_REPLY, &[], &[]),
    ("no-reply", NO_REPLY, &[], &[]),
    ("not-utf8", NO_REPLY, &[], &[]),
    ("orphan", NO_REPLY, &[], &[]),
    // It and the next one reply when the request is cancelled, and not before.
    ("polite", NO_REPLY, &[], &[]),
    ("slow", NO_REPLY, &[], &[]),
    // It replies as soon as somebody has seen its question, which nobody offered to ask.
    ("wavering", NO_REPLY, &[], &[]),
    ("wrong-id", NO_REPLY, &[], &[]),
];

#[test]
fn every_rogue_fails_its_own_checks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk/tests/plugins");
    let entries = fs::read_dir(&folder).unwrap();
    let there: BTreeSet<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let known = ROGUES.map(|(name, ..)| name.to_owned());
    assert_eq!(there, BTreeSet::from(known));
    all_at_once(
        PATIENCE,
        &ROGUES,
        |(name, base, without, with), patience| {
            let bench = bench();
            let file = rogue(&bench, &folder.join(name));
            let failed = BTreeSet::from_iter(failed(kit(&file).patience(patience), "go"));
            let base = base.iter().filter(|id| !without.contains(id));
            let expected: BTreeSet<&str> = base.chain(*with).copied().collect();
            let wrong: Vec<_> = failed.symmetric_difference(&expected).collect();
            (!wrong.is_empty()).then(|| format!("{name}: not as expected: {wrong:?}"))
        },
    );
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

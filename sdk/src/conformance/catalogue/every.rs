//! The checks for plugins of more than one role.

use super::{Check, Gate, check, gate};
use crate::conformance::checks::{completing, ending, file, lines, versions, whole};
use crate::conformance::report::Level::{Must, Should};

/// For every executable: nothing is sent.
pub static FILE: [Check; 5] = [
    gate(
        check(
            "file_executable",
            Must,
            "How a plugin is run",
            file::executable,
            "run `chmod +x` on the file, and check the first line of a script",
        ),
        super::NO_PLUGIN,
    ),
    gate(
        check(
            "manifest_in_file",
            Must,
            "The manifest",
            file::manifest,
            "put `bot-cli-plugin: {…}` into the file, in a script on one line within the first 8 KiB",
        ),
        super::NO_PLUGIN,
    ),
    gate(
        check(
            "manifest_protocol",
            Must,
            "The manifest",
            file::protocol,
            "declare the `protocol` that the plugin speaks as MAJOR.MINOR: `\"1.0\"`",
        ),
        Gate::Shuts("the plugin speaks another protocol"),
    ),
    check(
        "manifest_name",
        Must,
        "The manifest",
        file::name,
        "name the file `bot-cli-NAME`, with the `name` of its manifest",
    ),
    check(
        "command_tree",
        Must,
        "The manifest",
        file::command_tree,
        "correct `command` in the manifest",
    ),
];

/// For every executable that is spoken with.
pub static TALK: [Check; 19] = [
    gate(
        check(
            "request_replied",
            Must,
            "Messages",
            lines::replied,
            "read requests line by line, reply to each with its `id`, and flush after each line",
        ),
        Gate::Shuts("the plugin does not reply to a request"),
    ),
    check(
        "unknown_method_refused",
        Must,
        "Versions",
        lines::unknown_method,
        "reply to a method that the plugin does not know with the error -32601",
    ),
    check(
        "unknown_notification_ignored",
        Must,
        "Versions",
        lines::unknown_notification,
        "ignore a message without an `id` whose `method` the plugin does not know",
    ),
    check(
        "id_returned",
        Must,
        "Messages",
        lines::ids,
        "reply with the `id` of the request as it came: any whole number or any text",
    ),
    check(
        "any_json_read",
        Should,
        "A plugin in a few lines of shell",
        lines::any_json,
        "parse JSON instead of matching text: members may come in any order, with white space between them",
    ),
    check(
        "carriage_return_accepted",
        Must,
        "Messages",
        lines::carriage_return,
        "accept CR in front of the LF that ends a line",
    ),
    check(
        "blank_line_skipped",
        Must,
        "Messages",
        lines::blank_line,
        "skip lines that are empty or have only white space",
    ),
    check(
        "junk_line_answered",
        Must,
        "What breaks the protocol",
        lines::junk,
        "reply to a line that is not JSON with the error -32700 and the id `null`, and go on",
    ),
    check(
        "invalid_utf8_answered",
        Must,
        "What breaks the protocol",
        lines::invalid_utf8,
        "read bytes, and reply to a line that is not UTF-8 with the error -32700 and the id `null`",
    ),
    check(
        "non_message_answered",
        Must,
        "What breaks the protocol",
        lines::non_message,
        "reply to JSON that is no message with the error -32600 and the id `null`",
    ),
    check(
        "long_line_accepted",
        Must,
        "Messages",
        lines::long_line,
        "read lines of up to 8 MiB",
    ),
    check(
        "requests_served_in_order",
        Must,
        "Messages",
        lines::in_order,
        "serve requests that arrive together one after the other, in their order",
    ),
    check(
        "unknown_cancel_ignored",
        Must,
        "`cancel`",
        lines::unknown_cancel,
        "ignore a `cancel` for an id that no open request has",
    ),
    check(
        "describe_matches_file",
        Must,
        "The manifest",
        versions::describe,
        "answer `describe` with what stands in the file",
    ),
    check(
        "input_end_ends",
        Must,
        "How a plugin is run",
        ending::input_end,
        "exit with status 0 at the end of standard input",
    ),
    check(
        "input_end_replies",
        Must,
        "How a plugin is run",
        ending::replies_at_input_end,
        "reply to every request that was read before exiting at the end of standard input",
    ),
    check(
        "signal_ends",
        Should,
        "How a plugin is run",
        ending::signal,
        "exit at INT, TERM and HUP with 128 and the number of the signal, at once where no request is open",
    ),
    check(
        "completion_silent",
        Must,
        "`complete`",
        completing::silent,
        "answer `complete` with candidates only: no question, no output, no file",
    ),
    check(
        "completion_fits",
        Should,
        "`complete`",
        completing::fits,
        "offer whole words that begin with the last word of `argv`",
    ),
];

/// The checks of everything that was seen on the way.
pub static WHOLE: [Check; 5] = [
    check(
        "only_messages_printed",
        Must,
        "How a plugin is run",
        whole::only_messages,
        "keep the real standard output for messages, and point file descriptor 1 to standard error",
    ),
    check(
        "one_reply_each",
        Must,
        "What breaks the protocol",
        whole::one_reply,
        "reply to each request once, with its own id, and to nothing else",
    ),
    check(
        "nothing_unoffered_sent",
        Must,
        "`run`",
        whole::nothing_unoffered,
        "send `ask`, `stdin` and `output` only if `capabilities` has them",
    ),
    check(
        "messages_well_formed",
        Must,
        "`progress`, `log`, `output`",
        whole::well_formed,
        "send the documented members, in `progress`, `log` and `output` also the `id` of the request",
    ),
    check(
        "no_process_left",
        Must,
        "`cancel`",
        whole::nothing_left,
        "end every process that the plugin has started before it exits",
    ),
];

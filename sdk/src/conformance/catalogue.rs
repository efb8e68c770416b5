//! The checks, in their order. A role has those for every plugin and its own.

use super::bench::{Bench, Stop};
use super::checks::{asking, command, completing, ending, file, lines, running, versions, whole};
use super::report::Level::{self, Must, Should};
use crate::protocol::Role;

/// A rule of the protocol, and how a plugin is held against it.
#[derive(Clone, Copy)]
pub struct Check {
    /// Its stable name.
    pub id: &'static str,
    /// Whether the protocol demands it.
    pub level: Level,
    /// The section of the protocol that the rule stands in.
    pub section: &'static str,
    /// Whether it depends on others, or others on it.
    pub gate: Gate,
    /// What to change in a plugin that fails.
    pub mend: &'static str,
    /// Makes the check.
    pub hold: fn(&Bench) -> Result<(), Stop>,
}

/// How checks depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// It is made in any case.
    None,
    /// If it fails, all that follow are not made, except those without a gate; the reason.
    Shuts(&'static str),
    /// It is made while no gate is shut.
    Open,
}

/// The checks for a plugin of `role`.
pub fn all(role: &Role) -> impl Iterator<Item = &'static Check> {
    let own: &[Check] = match role {
        Role::Command => &COMMAND,
        // Their methods are not part of the protocol yet.
        Role::SecretsBackend | Role::ProviderPack | Role::Other(_) => &[],
    };
    EVERY.iter().chain(own).chain(&WHOLE)
}

const NO_PLUGIN: Gate = Gate::Shuts("the file is not a plugin that can be run");

const fn check(
    id: &'static str,
    level: Level,
    section: &'static str,
    hold: fn(&Bench) -> Result<(), Stop>,
    mend: &'static str,
) -> Check {
    let gate = Gate::Open;
    Check {
        id,
        level,
        section,
        gate,
        mend,
        hold,
    }
}

const fn gate(check: Check, gate: Gate) -> Check {
    Check { gate, ..check }
}

/// For plugins of every role.
static EVERY: [Check; 24] = [
    gate(
        check(
            "file_executable",
            Must,
            "How a plugin is run",
            file::executable,
            "run `chmod +x` on the file, and check the first line of a script",
        ),
        NO_PLUGIN,
    ),
    gate(
        check(
            "manifest_in_file",
            Must,
            "The manifest",
            file::manifest,
            "put `bot-cli-plugin: {…}` into the file, in a script on one line within the first 8 KiB",
        ),
        NO_PLUGIN,
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

/// For commands of the user.
static COMMAND: [Check; 22] = [
    check(
        "completion_of_option_value",
        Should,
        "`complete`",
        completing::option_value,
        "complete `--option=VALUE`, too: the candidates begin with `--option=`",
    ),
    check(
        "unknown_members_ignored",
        Must,
        "Versions",
        versions::unknown_members,
        "ignore members, capabilities and values that the plugin does not know",
    ),
    check(
        "missing_protocol_served",
        Must,
        "`run`",
        versions::missing,
        "take a `run` without `protocol` for version 1.0",
    ),
    check(
        "later_minor_served",
        Must,
        "Versions",
        versions::later_minor,
        "compare only the part of `protocol` in front of the dot",
    ),
    check(
        "later_major_refused",
        Must,
        "Versions",
        versions::later_major,
        "reply to a `run` with another major version with -32022, and list the `supported` versions",
    ),
    check(
        "help_replied",
        Should,
        "`run`",
        command::help,
        "reply to `--help` with a `text`, and with `{\"help\": …}` as `data`",
    ),
    check(
        "version_replied",
        Should,
        "`run`",
        command::version,
        "reply to `--version` with a `text`, and with `{\"name\", \"version\"}` as `data`",
    ),
    check(
        "ordinary_command",
        Should,
        "How a plugin is run",
        command::ordinary,
        "be an ordinary command when started with arguments: print for people, and exit",
    ),
    check(
        "run_replied",
        Must,
        "`run`",
        running::replied,
        "reply to `run` with a result of the documented shape, or with a failure whose code is positive",
    ),
    check(
        "data_given",
        Should,
        "`run`",
        running::data,
        "give the result as `data`, too: it is the document of `--json`",
    ),
    check(
        "json_option_accepted",
        Must,
        "`run`",
        running::json_option,
        "accept the flag `--json` in front of the other words and behind them, as the manifest declares it",
    ),
    check(
        "runs_not_interleaved",
        Must,
        "Messages",
        running::not_interleaved,
        "finish one `run` before the next one begins; an asynchronous plugin needs a queue",
    ),
    check(
        "run_finished_at_input_end",
        Must,
        "How a plugin is run",
        running::finished_at_input_end,
        "finish the work and reply when standard input ends meanwhile",
    ),
    check(
        "lost_output_ends",
        Must,
        "How a plugin is run",
        running::lost_output,
        "stop when standard output can't be written to any more",
    ),
    check(
        "cancel_replied",
        Must,
        "`cancel`",
        running::cancelled,
        "reply to a cancelled request once: with code 130, or with its result",
    ),
    check(
        "open_inputs_listed",
        Must,
        "`ask`",
        asking::inputs,
        "without `ask`, use the default, or fail with code 2, `input_required` and all open questions as `inputs`",
    ),
    check(
        "cancelled_question_ends_run",
        Must,
        "`ask`",
        asking::cancelled,
        "fail with code 130 when a question is answered with `cancel`",
    ),
    check(
        "unknown_action_cancels",
        Must,
        "`ask`",
        asking::unknown_action,
        "treat an `action` that the plugin does not know as `cancel`",
    ),
    check(
        "input_end_at_question",
        Must,
        "How a plugin is run",
        asking::input_end,
        "treat the end of standard input at a question as `cancel`: reply, then exit",
    ),
    check(
        "signal_at_question",
        Should,
        "How a plugin is run",
        asking::signal,
        "at TERM, stop the run, reply to it, and exit with 143 within 5 seconds",
    ),
    check(
        "questions_answerable",
        Must,
        "`ask`",
        asking::answerable,
        "give a `select` its `choices`, and only a `default` that is a possible answer",
    ),
    check(
        "password_kept",
        Must,
        "`ask`",
        asking::password,
        "never repeat the answer to a `password`, neither to the host nor on standard error",
    ),
];

/// What was seen on the way.
static WHOLE: [Check; 5] = [
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{COMMAND, EVERY, WHOLE};

    #[test]
    fn every_check_has_its_own_name_and_a_section_of_the_document() {
        let document = include_str!("../../PROTOCOL.md");
        let mut names = HashSet::new();
        for check in EVERY.iter().chain(&COMMAND).chain(&WHOLE) {
            assert!(names.insert(check.id), "{}", check.id);
            let heading = format!("\n## {}\n", check.section);
            assert!(
                document.contains(&heading),
                "{}: {}",
                check.id,
                check.section
            );
        }
    }
}

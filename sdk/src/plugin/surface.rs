//! The author's command tree with the options that every plugin has.

use clap::{Arg, ArgAction, ArgMatches, Command};

const JSON: &str = "json";
const VERBOSE: &str = "verbose";
const QUIET: &str = "quiet";

/// The command tree as `name` shows it in usage lines. Options that the author has taken are left alone.
pub fn of(command: Command, name: &str) -> Command {
    let mut command = command
        .no_binary_name(true)
        .bin_name(name)
        .display_name(name)
        .color(clap::ColorChoice::Auto);
    for (id, short, about, action) in [
        (JSON, None, "Print one JSON document", ArgAction::SetTrue),
        (
            VERBOSE,
            Some('v'),
            "Say more; twice says most",
            ArgAction::Count,
        ),
        (
            QUIET,
            Some('q'),
            "Say only what matters",
            ArgAction::SetTrue,
        ),
    ] {
        if takes(&command, &|argument| {
            argument.get_id() == id || argument.get_long() == Some(id)
        }) {
            continue;
        }
        let mut option = Arg::new(id)
            .long(id)
            .action(action)
            .global(true)
            .help(about)
            .help_heading("Output");
        if let Some(short) = short
            && !takes(&command, &|argument| argument.get_short() == Some(short))
        {
            option = option.short(short);
        }
        command = command.arg(option);
    }
    command
}

fn takes(command: &Command, is_it: &dyn Fn(&Arg) -> bool) -> bool {
    command.get_arguments().any(is_it)
        || command
            .get_subcommands()
            .any(|subcommand| takes(subcommand, is_it))
}

/// The number of `-v`.
pub fn verbosity_of(matches: &ArgMatches) -> u8 {
    matches
        .try_get_one::<u8>(VERBOSE)
        .ok()
        .flatten()
        .copied()
        .unwrap_or(0)
}

/// Whether `-q` was given.
pub fn quiet(matches: &ArgMatches) -> bool {
    matches
        .try_get_one::<bool>(QUIET)
        .ok()
        .flatten()
        .copied()
        .unwrap_or(false)
}

/// Whether `id` is one of the options that every plugin has.
pub fn is_common(id: &str) -> bool {
    [JSON, VERBOSE, QUIET].contains(&id)
}

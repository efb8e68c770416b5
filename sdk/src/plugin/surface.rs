//! The author's command tree with the options that every plugin has.

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::outcome::Format;
use crate::words::HostOption;

/// The options that every plugin has, and the host takes, too.
const COMMON: [HostOption; 3] = [HostOption::Json, HostOption::Verbose, HostOption::Quiet];

/// The command tree as `name` shows it in usage lines. Options that the author has taken are left alone.
pub fn of(command: Command, name: &str) -> Command {
    let mut command = command
        .no_binary_name(true)
        .bin_name(name)
        .display_name(name)
        .color(clap::ColorChoice::Auto);
    for common in COMMON {
        let id = common.long();
        if takes(&command, &|argument| {
            argument.get_id() == id || argument.get_long() == Some(id)
        }) {
            continue;
        }
        let mut option = Arg::new(id)
            .long(id)
            .action(match common {
                HostOption::Verbose => ArgAction::Count,
                HostOption::Json | HostOption::Quiet | HostOption::Help | HostOption::Version => {
                    ArgAction::SetTrue
                }
            })
            .global(true)
            .help(common.about())
            .help_heading("Output");
        if let Some(short) = common.short()
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
        .try_get_one::<u8>(HostOption::Verbose.long())
        .ok()
        .flatten()
        .copied()
        .unwrap_or(0)
}

/// Whether `-q` was given.
pub fn quiet(matches: &ArgMatches) -> bool {
    matches
        .try_get_one::<bool>(HostOption::Quiet.long())
        .ok()
        .flatten()
        .copied()
        .unwrap_or(false)
}

/// The form of the result that `--json` asks for.
pub fn format_of(matches: &ArgMatches) -> Format {
    let json = matches.try_get_one::<bool>(HostOption::Json.long());
    if json.ok().flatten().copied().unwrap_or(false) {
        Format::Json
    } else {
        Format::Text
    }
}

/// Whether `id` is one of the options that every plugin has.
pub fn is_common(id: &str) -> bool {
    COMMON.iter().any(|common| common.long() == id)
}

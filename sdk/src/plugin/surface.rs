//! Adds the common plugin options to the author's command tree.

use clap::{Arg, ArgAction, ArgMatches, Command};

use bot_cli_protocol::outcome::Format;
use bot_cli_protocol::words::HostOption;
use bot_cli_terminal::Verbosity;

/// The options that all plugins share. The host also handles these options.
const COMMON: [HostOption; 3] = [HostOption::Json, HostOption::Verbose, HostOption::Quiet];

/// Adds the common options, except those whose names the author already uses. `name` is the command's name in usage lines.
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

pub fn verbosity_of(matches: &ArgMatches) -> Verbosity {
    let quiet = given(matches, HostOption::Quiet);
    Verbosity::new(quiet, given(matches, HostOption::Verbose))
}

pub fn format_of(matches: &ArgMatches) -> Format {
    format(given(matches, HostOption::Json))
}

pub fn format(json: bool) -> Format {
    if json { Format::Json } else { Format::Text }
}

/// Returns the value of a common option, or the default value if the author uses the option's name for something else.
fn given<T: Copy + Default + Send + Sync + 'static>(matches: &ArgMatches, option: HostOption) -> T {
    let value = matches.try_get_one::<T>(option.long()).ok().flatten();
    value.copied().unwrap_or_default()
}

pub fn is_common(id: &str) -> bool {
    COMMON.iter().any(|common| common.long() == id)
}

//! Adds the common plugin options to the author's command tree.

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use bot_cli_protocol::outcome::{Format, Json};
use bot_cli_protocol::words::HostOption;
use bot_cli_terminal::Verbosity;
use bot_cli_terminal::ui::Context;

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
        let option = Arg::new(id).long(id);
        let mut option = match common {
            HostOption::Json => with_forms(option),
            HostOption::Verbose => option.action(ArgAction::Count),
            HostOption::Quiet | HostOption::Help | HostOption::Version => {
                option.action(ArgAction::SetTrue)
            }
        };
        option = option
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

/// Applies the common options among the plugin's arguments to `context`. A host that doesn't know the arguments leaves its own there.
pub fn heed(matches: &ArgMatches, context: &mut Context) {
    if json_of(matches).is_some() {
        context.format = Format::Json;
    }
    let verbosity = verbosity_of(matches);
    context.verbosity = context.verbosity.max(verbosity.count());
    context.quiet |= verbosity == Verbosity::Quiet;
}

/// Returns the form of JSON to print, if `--json` was given, as the common option or as a flag of the author's.
pub fn json_of(matches: &ArgMatches) -> Option<Json> {
    let id = HostOption::Json.long();
    match matches.try_get_many::<Json>(id) {
        Ok(forms) => Some(forms?.copied().max().unwrap_or(Json::Document)),
        Err(_) => given::<bool>(matches, HostOption::Json).then_some(Json::Document),
    }
}

/// The option `--json[=lines]`, for a command line that is not a plugin's.
#[derive(Debug, Clone, Copy, Default)]
pub struct JsonOption(pub Option<Json>);

impl Args for JsonOption {
    fn augment_args(command: Command) -> Command {
        let id = HostOption::Json.long();
        let json = Arg::new(id).long(id).global(true);
        command.arg(with_forms(json).help(HostOption::Json.about()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for JsonOption {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(json_of(matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Gives the argument `--json` its optional value, as in `--json=lines`.
pub fn with_forms(json: Arg) -> Arg {
    json.action(ArgAction::Append)
        .num_args(0..=1)
        .require_equals(true)
        .value_name(Json::LINES)
        .value_parser(PossibleValuesParser::new([Json::LINES]).map(|_| Json::Lines))
        .hide_possible_values(true)
}

/// Returns the value of a common option, or the default value if the author uses the option's name for something else.
fn given<T: Copy + Default + Send + Sync + 'static>(matches: &ArgMatches, option: HostOption) -> T {
    let value = matches.try_get_one::<T>(option.long()).ok().flatten();
    value.copied().unwrap_or_default()
}

/// Reports whether `argument` is the common `--json`, rather than one of the author's.
pub fn is_json(argument: &Arg) -> bool {
    argument.get_id() == HostOption::Json.long() && argument.is_require_equals_set()
}

pub fn is_common(id: &str) -> bool {
    COMMON.iter().any(|common| common.long() == id)
}

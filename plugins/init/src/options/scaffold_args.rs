//! The scaffold options as clap arguments, built from the option table.

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, ValueHint};

use super::offered::Offered;
use crate::draft::Draft;
use crate::option_table::{Feature, Form, Setting, Values};

impl Args for Draft {
    fn augment_args(command: Command) -> Command {
        let settings = Setting::ALL.into_iter().map(argument);
        command.args(settings.chain(Feature::ALL.into_iter().flat_map(switch)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Draft {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut draft = Self::default();
        draft.update_from_arg_matches(matches)?;
        Ok(draft)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for setting in Setting::ALL {
            if let Some(given) = matches.get_many::<String>(&id(setting)) {
                self.put(setting, given);
            }
        }
        for feature in Feature::ALL {
            let [on, off] = [named(feature.flag()), named(&feature.flag_off())];
            if matches.get_flag(&on) {
                *self.switches.slot(feature) = Some(true);
            } else if matches.get_flag(&off) {
                *self.switches.slot(feature) = Some(false);
            }
        }
        Ok(())
    }
}

fn argument(setting: Setting) -> Arg {
    let row = setting.row();
    let argument = Arg::new(id(setting))
        .long(long(row.flag))
        .short(row.short)
        .help(row.about)
        .help_heading(row.heading)
        .value_name(row.value_name)
        .hide_possible_values(row.values != Values::Any)
        .action(match row.form {
            Form::Text | Form::OptionalText => ArgAction::Set,
            Form::List => ArgAction::Append,
        });
    match row.values {
        Values::Any => argument.value_hint(ValueHint::Other),
        Values::Words(_) | Values::Transports | Values::Service(_) | Values::Direction(_) => {
            argument.value_parser(ValueParser::new(Offered(row.values)))
        }
    }
}

/// Returns the options that turn a feature on and off. If both are used, the last one takes effect.
fn switch(feature: Feature) -> [Arg; 2] {
    let row = feature.row();
    let (on, off) = (row.flag, feature.flag_off());
    let option = |flag: &str, other: &str, about| {
        Arg::new(named(flag))
            .long(long(flag).to_owned())
            .help(about)
            .help_heading(row.heading)
            .action(ArgAction::SetTrue)
            .overrides_with(named(other))
    };
    let [mut turns_on, mut turns_off] = [
        option(on, &off, row.about),
        option(&off, on, row.about).hide(true),
    ];
    if let Some(alias) = row.flag_alias {
        turns_on = turns_on.visible_alias(alias);
        turns_off = turns_off.visible_alias(format!("no-{alias}"));
    }
    [turns_on, turns_off]
}

/// Returns a setting's argument name in the manifest. List settings use their plural key.
fn id(setting: Setting) -> String {
    let row = setting.row();
    match row.form {
        Form::List => row.key.to_owned(),
        Form::Text | Form::OptionalText => named(row.flag),
    }
}

fn named(flag: &str) -> String {
    long(flag).replace('-', "_")
}

fn long(flag: &str) -> &str {
    flag.trim_start_matches("--")
}

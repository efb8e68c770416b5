//! Values that help and completion offer, without refusing others: all problems are reported together, later.

use std::ffi::OsStr;
use std::path::PathBuf;

use bot_cli_templates::Preset;
use bot_cli_templates::catalogue::{BotType, Catalogue};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::QUICKSTART;
use crate::option_table::{SettingRow, Values};

/// Accepts any text and knows the values of a setting.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offered(pub(super) Values);

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let catalogue = Catalogue::get();
        Some(match self.0 {
            Values::Any => return None,
            Values::Words(words) => Box::new(words.iter().map(PossibleValue::new)),
            Values::Transports => Box::new(
                both(|bot_type| catalogue.transports(bot_type))
                    .map(|transport| {
                        PossibleValue::new(&transport.id)
                            .help(&transport.label)
                            .aliases(&transport.alias)
                    })
                    .chain(families()),
            ),
            Values::Service(kind) => Box::new(catalogue.services(kind).map(|service| {
                PossibleValue::new(&service.id)
                    .help(&service.label)
                    .aliases(&service.alias)
            })),
        })
    }
}

/// Describes a setting. Transports are all named: by the identifier, and by the name that people know where the identifier hides it.
pub(super) fn help(row: &SettingRow) -> String {
    if row.values != Values::Transports {
        return row.about.to_owned();
    }
    let names: Vec<String> = both(|bot_type| Catalogue::get().transports(bot_type))
        .map(|transport| {
            let (id, label) = (&transport.id, &transport.label);
            let label = label
                .split_once(" (")
                .map_or(label.as_str(), |(name, _)| name);
            let first = label.split(' ').next().unwrap_or_default();
            if id.starts_with(&first.to_lowercase()) {
                id.clone()
            } else {
                format!("{id} ({label})")
            }
        })
        .collect();
    format!("{}: {}", row.about, names.join(", "))
}

/// Accepts the name of a preset.
pub(super) fn presets() -> PossibleValuesParser {
    let presets = Preset::all().iter();
    PossibleValuesParser::new(
        presets.map(|preset| PossibleValue::new(&preset.name).help(&preset.about)),
    )
}

/// Accepts any path and knows the word that is none.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfferedPath;

impl TypedValueParser for OfferedPath {
    type Value = PathBuf;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<PathBuf, clap::Error> {
        clap::builder::PathBufValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let quickstart = PossibleValue::new(QUICKSTART).help("A bot that runs right away");
        Some(Box::new(std::iter::once(quickstart)))
    }
}

/// The names that stand for a transport together with a direction: accepted, but the whole name is what is offered.
fn families() -> impl Iterator<Item = PossibleValue> {
    let mut names: Vec<&str> = Vec::new();
    for transport in both(|bot_type| Catalogue::get().transports(bot_type)) {
        for name in [&transport.family, &transport.family_alias] {
            names.extend(name.as_deref().filter(|name| !names.contains(name)));
        }
    }
    names
        .into_iter()
        .map(|name| PossibleValue::new(name).hide(true))
}

fn both<T>(of: impl Fn(BotType) -> T) -> impl Iterator<Item = T::Item>
where
    T: Iterator,
{
    [BotType::Web, BotType::Telephony].into_iter().flat_map(of)
}

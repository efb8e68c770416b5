//! Values that help and completion offer, without refusing others: all problems are reported together, later.

use std::ffi::OsStr;
use std::path::PathBuf;

use bot_cli_templates::catalogue::{BotType, Catalogue, Kind};
use clap::builder::{PossibleValue, TypedValueParser};

use crate::command::quickstart;

/// Accepts any text and knows what is sensible.
#[derive(Debug, Clone, Copy)]
pub(super) enum Offered {
    Words(&'static [&'static str]),
    Transports,
    Services(Kind),
}

impl Offered {
    pub(super) const fn words(words: &'static [&'static str]) -> Self {
        Self::Words(words)
    }

    pub(super) const fn transports() -> Self {
        Self::Transports
    }

    pub(super) const fn services(kind: Kind) -> Self {
        Self::Services(kind)
    }
}

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
        Some(match *self {
            Self::Words(words) => Box::new(words.iter().map(PossibleValue::new)),
            Self::Transports => Box::new(
                both(|bot_type| catalogue.transports(bot_type))
                    .map(|transport| {
                        PossibleValue::new(&transport.id)
                            .help(&transport.label)
                            .aliases(&transport.alias)
                    })
                    .chain(families()),
            ),
            Self::Services(kind) => Box::new(catalogue.services(kind).map(|service| {
                PossibleValue::new(&service.id)
                    .help(&service.label)
                    .aliases(&service.alias)
            })),
        })
    }
}

/// Describes `--transport`: every identifier, with the name that people know where the identifier hides it.
pub(super) fn transports_help() -> String {
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
    format!(
        "How audio reaches the bot; can be given several times: {}",
        names.join(", ")
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
        let quickstart = PossibleValue::new(quickstart::NAME).help("A bot that runs at once");
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

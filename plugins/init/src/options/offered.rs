//! Suggests values for help and completion. Other values are accepted here, and reported later together with all other problems.

use std::collections::BTreeSet;
use std::ffi::OsStr;

use bot_cli_templates::Preset;
use bot_cli_templates::catalogue::Catalogue;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::option_table::Values;

/// A parser that accepts any text and suggests the values of a setting.
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
        let offered = |id: &'static str, label: &'static str, alias: Option<&'static str>| {
            PossibleValue::new(id).help(label).aliases(alias)
        };
        Some(match self.0 {
            Values::Any => return None,
            Values::Words(_) | Values::Direction(_) => {
                Box::new(self.0.words().iter().map(PossibleValue::new))
            }
            Values::Transports => {
                let all = Catalogue::get()
                    .all_transports()
                    .iter()
                    .map(move |it| offered(&it.id, &it.label, it.alias.as_deref()));
                Box::new(all.chain(families()))
            }
            Values::Service(kind) => {
                let all = Catalogue::get().listed(kind).into_iter();
                Box::new(all.map(move |it| offered(it.id, it.label, it.alias)))
            }
        })
    }
}

pub(super) fn presets() -> PossibleValuesParser {
    let presets = Preset::all().iter();
    PossibleValuesParser::new(
        presets.map(|preset| PossibleValue::new(&preset.name).help(&preset.about)),
    )
}

/// Returns the transport family names, each of which identifies a transport in combination with a call direction. These names are accepted
/// but hidden, because the full transport names are suggested instead.
fn families() -> impl Iterator<Item = PossibleValue> {
    let names = Catalogue::get()
        .all_transports()
        .iter()
        .flat_map(|one| [&one.family, &one.family_alias]);
    let names: BTreeSet<&String> = names.flatten().collect();
    let hidden = |name| PossibleValue::new(name).hide(true);
    names.into_iter().map(hidden)
}

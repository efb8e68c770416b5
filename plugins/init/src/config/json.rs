//! Serializes a configuration as JSON that `--config` accepts.

use std::collections::BTreeMap;

use bot_cli_templates::catalogue::{BotType, Direction, Service};
use bot_cli_templates::languages::ENGLISH;
use serde_json::{Map, Value, json};

use super::{Config, Pipeline};
use crate::catalogue::Pack;
use crate::draft::{NONE, PACKS};
use crate::option_table::{Feature, Setting, Values};
use crate::pack_source::PackSource;

impl Config<'_> {
    /// Returns the configuration as a JSON object with all keys. Unused settings are `null`. `language` is present only if it isn't
    /// English, `environments` and `ci` only if there are any, `packs` only if a service comes from a provider pack.
    pub fn to_json(&self) -> Value {
        let mut config = Map::new();
        // Older versions can read a file without these.
        let is_said = |it: &Setting| {
            (*it != Setting::Language || self.language != ENGLISH)
                && (*it != Setting::Environments || !self.environments.is_empty())
                && (*it != Setting::Ci || self.ci != NONE)
        };
        for setting in Setting::ALL.into_iter().filter(is_said) {
            config.insert(setting.row().key.to_owned(), self.value(setting));
        }
        for feature in Feature::ALL {
            config.insert(feature.row().key.to_owned(), self.has(feature).into());
        }
        let packs = self.packs().map(|pack| (&pack.name, self.source(pack)));
        let packs: BTreeMap<_, _> = packs.collect();
        // Older versions can read a file without `packs`.
        if !packs.is_empty() {
            config.insert(PACKS.to_owned(), json!(packs));
        }
        Value::Object(config)
    }

    /// Returns the origin of a pack. If this machine has no download address for the pack, uses the recorded origin of the same version.
    fn source(&self, pack: &Pack) -> PackSource {
        let recorded = self.recorded_packs.get(&pack.name);
        let recorded = recorded.filter(|source| source.version == pack.source.version);
        let here = &pack.source;
        recorded
            .filter(|_| here.from.is_none())
            .unwrap_or(here)
            .clone()
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "rows tell the rest")]
    fn value(&self, setting: Setting) -> Value {
        match setting {
            Setting::ProjectName => json!(self.project_name),
            Setting::BotType => json!(match self.bot_type {
                BotType::Web => "web",
                BotType::Telephony => "telephony",
            }),
            Setting::Transports => self.transports.iter().map(|one| one.id.as_str()).collect(),
            Setting::Mode => json!(match self.pipeline {
                Pipeline::Cascade { .. } => "cascade",
                Pipeline::Realtime(_) => "realtime",
            }),
            Setting::Language => json!(self.language),
            Setting::Environments => {
                let environments = self.environments.iter();
                environments.map(ToString::to_string).collect()
            }
            Setting::ClientFramework => json!(self.client.framework()),
            Setting::ClientServer => json!(self.client.server()),
            Setting::Ci => json!(self.ci),
            other => match other.row().values {
                Values::Service(kind) => {
                    let of_kind = |service: &&Service| service.kind == kind;
                    json!(self.services().find(of_kind).map(|service| &service.id))
                }
                Values::Direction(family) => json!(self.direction(family).map(Direction::name)),
                Values::Any | Values::Words(_) | Values::Transports => Value::Null,
            },
        }
    }

    fn direction(&self, family: &str) -> Option<Direction> {
        let mut transports = self.transports.iter();
        transports
            .find(|transport| transport.family.as_deref() == Some(family))?
            .direction()
    }
}

//! A configuration as JSON: every key, in a form that `--config` accepts again.

use std::collections::BTreeMap;

use bot_cli_templates::catalogue::{BotType, Direction, Service};
use serde_json::{Map, Value, json};

use super::{Client, Config, DIRECTED, Pipeline};
use crate::draft::PACKS;
use crate::option_table::{Feature, Setting};

impl Config<'_> {
    /// Every key of a configuration file; `null` is what this bot has no use for. `packs` is there where services are of
    /// provider packs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut config = Map::new();
        for setting in Setting::ALL {
            config.insert(setting.row().key.to_owned(), self.value(setting));
        }
        for feature in Feature::ALL {
            config.insert(feature.row().key.to_owned(), self.has(feature).into());
        }
        let packs: BTreeMap<&str, &str> = self
            .packs()
            .map(|pack| (pack.name.as_str(), pack.version.as_str()))
            .collect();
        // Without packs the file is one that older versions read.
        if !packs.is_empty() {
            config.insert(PACKS.to_owned(), json!(packs));
        }
        Value::Object(config)
    }

    /// Returns the value of a setting; `null` is what this bot has no use for.
    pub(crate) fn value(&self, setting: Setting) -> Value {
        let id = |service: Option<&Service>| json!(service.map(|service| &service.id));
        let (mode, [stt, llm, tts, realtime]) = match self.pipeline {
            Pipeline::Cascade { stt, llm, tts } => {
                ("cascade", [Some(stt), Some(llm), Some(tts), None])
            }
            Pipeline::Realtime(service) => ("realtime", [None, None, None, Some(service)]),
        };
        let [pstn, sip] = DIRECTED.map(|(family, _)| family);
        match setting {
            Setting::ProjectName => json!(self.project_name),
            Setting::BotType => json!(match self.bot_type {
                BotType::Web => "web",
                BotType::Telephony => "telephony",
            }),
            Setting::Transports => self.transports.iter().map(|one| one.id.as_str()).collect(),
            Setting::Mode => json!(mode),
            Setting::SttService => id(stt),
            Setting::LlmService => id(llm),
            Setting::TtsService => id(tts),
            Setting::RealtimeService => id(realtime),
            Setting::VideoService => id(self.video),
            Setting::ClientFramework => json!(self.client.framework()),
            Setting::ClientServer => json!(self.client.server()),
            Setting::DailyPstnMode => json!(self.direction(pstn).map(Direction::name)),
            Setting::TwilioDailySipMode => json!(self.direction(sip).map(Direction::name)),
        }
    }

    fn direction(&self, family: &str) -> Option<Direction> {
        self.transports
            .iter()
            .filter(|transport| transport.family.as_deref() == Some(family))
            .find_map(|transport| transport.direction())
    }
}

impl Client {
    /// The value of `client_framework`.
    #[must_use]
    pub const fn framework(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ReactVite | Self::ReactNextjs => "react",
            Self::Vanilla => "vanilla",
        }
    }

    /// The value of `client_server`.
    #[must_use]
    pub const fn server(self) -> Option<&'static str> {
        match self {
            Self::None | Self::Vanilla => None,
            Self::ReactVite => Some("vite"),
            Self::ReactNextjs => Some("nextjs"),
        }
    }
}

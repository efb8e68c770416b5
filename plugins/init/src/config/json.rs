//! A configuration as JSON: every key, in a form that `--config` accepts again.

use std::collections::BTreeMap;

use bot_cli_templates::catalogue::{BotType, Direction};
use serde_json::{Value, json};

use super::{Client, Config, Pipeline};
use crate::draft::PACKS;
use crate::resolve::DIRECTED;

impl Config<'_> {
    /// Every key of a configuration file; `null` is what this bot has no use for. `packs` is there where services are of
    /// provider packs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let (mode, [stt, llm, tts, realtime]) = match &self.pipeline {
            Pipeline::Cascade { stt, llm, tts } => (
                "cascade",
                [Some(&stt.id), Some(&llm.id), Some(&tts.id), None],
            ),
            Pipeline::Realtime(service) => ("realtime", [None, None, None, Some(&service.id)]),
        };
        let [pstn, sip] = DIRECTED.map(|(family, _)| self.direction(family).map(Direction::name));
        let mut config = json!({
            "project_name": self.project_name,
            "bot_type": match self.bot_type { BotType::Web => "web", BotType::Telephony => "telephony" },
            "transports": self.transports.iter().map(|transport| &transport.id).collect::<Vec<_>>(),
            "mode": mode,
            "stt_service": stt,
            "llm_service": llm,
            "tts_service": tts,
            "realtime_service": realtime,
            "video_service": self.video.map(|service| &service.id),
            "client_framework": self.client.framework(),
            "client_server": self.client.server(),
            "daily_pstn_mode": pstn,
            "twilio_daily_sip_mode": sip,
            "recording": self.recording,
            "transcription": self.transcription,
            "video_input": self.video_input,
            "video_output": self.video_output,
            "deploy_to_cloud": self.deploy_to_cloud,
            "enable_noise_cancel": self.noise_cancel,
            "enable_observability": self.observability,
            "enable_eval": self.eval,
        });
        let packs: BTreeMap<&str, &str> = self
            .packs()
            .map(|pack| (pack.name.as_str(), pack.version.as_str()))
            .collect();
        // Without packs the file is one that older versions read.
        if !packs.is_empty() {
            config[PACKS] = json!(packs);
        }
        config
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

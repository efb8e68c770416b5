//! The user's choices so far, from options, file or answers. Nothing is checked yet.

use std::collections::BTreeMap;

use crate::catalogue::Catalogue;
use crate::option_table::{self, Feature, Form, Setting, Switches};

/// The scaffold options as given; `None` was not said. Identifiers are the user's own words (aliases included).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// `--name`, `project_name`.
    pub project_name: Option<String>,
    /// `--bot-type`, `bot_type`.
    pub bot_type: Option<String>,
    /// `--transport`, `transports`.
    pub transports: Option<Vec<String>>,
    /// `--mode`, `mode`.
    pub mode: Option<String>,
    /// `--stt`, `stt_service`.
    pub stt_service: Option<String>,
    /// `--llm`, `llm_service`.
    pub llm_service: Option<String>,
    /// `--tts`, `tts_service`.
    pub tts_service: Option<String>,
    /// `--realtime`, `realtime_service`.
    pub realtime_service: Option<String>,
    /// `--video`, `video_service`.
    pub video_service: Option<String>,
    /// `--client-framework`, `client_framework`.
    pub client_framework: Option<String>,
    /// `--client-server`, `client_server`.
    pub client_server: Option<String>,
    /// The directions of calls, by the number of their setting.
    pub directions: [Option<String>; Setting::ALL.len()],
    /// The features that were said to be on or off.
    pub switches: Switches,
    /// `packs`: the provider packs that the services came from when the file was made, and their versions. No option says it.
    pub packs: Option<BTreeMap<String, String>>,
}

/// The key of [`Draft::packs`] in a configuration file.
pub const PACKS: &str = "packs";

/// A key that the framework's own tool writes and does not read: `client_framework` decides.
pub const GENERATE_CLIENT: &str = "generate_client";

/// The key that `name` stands for, where it is another name of one.
pub fn key_of(name: &str) -> &str {
    option_table::aliases()
        .find(|(alias, _)| *alias == name)
        .map_or(name, |(_, key)| key)
}

/// Says that there is to be no video service, or no client.
pub const NONE: &str = "none";

/// The option that sets a key.
pub fn flag(key: &str) -> Option<&'static str> {
    option_table::fields()
        .find(|(name, _)| *name == key)
        .map(|(_, flag)| flag)
}

/// The place for the value of a key, by its type.
#[derive(Debug)]
pub enum Slot<'a> {
    /// Text that must be there.
    Text(&'a mut Option<String>),
    /// Text that may be said not to be there: `null`.
    OptionalText(&'a mut Option<String>),
    /// A list of texts.
    List(&'a mut Option<Vec<String>>),
    /// Yes or no.
    Switch(&'a mut Option<bool>),
    /// Versions by name.
    Versions(&'a mut Option<BTreeMap<String, String>>),
}

impl Draft {
    /// Returns the place of a key's value; `None`: there is no such key.
    pub fn slot(&mut self, key: &str) -> Option<Slot<'_>> {
        if key == PACKS {
            return Some(Slot::Versions(&mut self.packs));
        }
        let mut features = Feature::ALL.into_iter();
        if let Some(feature) = features.find(|feature| feature.row().key == key) {
            return Some(Slot::Switch(self.switches.slot(feature)));
        }
        let mut settings = Setting::ALL.into_iter();
        let setting = settings.find(|setting| setting.row().key == key)?;
        Some(self.setting(setting))
    }

    /// Tells whether a key has a value: one that is on, if it is on or off.
    pub fn says(&mut self, key: &str) -> bool {
        self.slot(key).is_some_and(|slot| match slot {
            Slot::Text(said) | Slot::OptionalText(said) => said.is_some(),
            Slot::List(said) => said.is_some(),
            Slot::Switch(said) => *said == Some(true),
            Slot::Versions(said) => said.is_some(),
        })
    }

    /// Takes back what was said of a key.
    pub fn forget(&mut self, key: &str) {
        match self.slot(key) {
            Some(Slot::Text(said) | Slot::OptionalText(said)) => *said = None,
            Some(Slot::List(said)) => *said = None,
            Some(Slot::Switch(said)) => *said = None,
            Some(Slot::Versions(said)) => *said = None,
            None => {}
        }
    }

    /// Returns the place of a setting's value.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "directions are rows of the table and nothing else"
    )]
    pub fn setting(&mut self, setting: Setting) -> Slot<'_> {
        let place = match setting {
            Setting::Transports => return Slot::List(&mut self.transports),
            Setting::ProjectName => &mut self.project_name,
            Setting::BotType => &mut self.bot_type,
            Setting::Mode => &mut self.mode,
            Setting::SttService => &mut self.stt_service,
            Setting::LlmService => &mut self.llm_service,
            Setting::TtsService => &mut self.tts_service,
            Setting::RealtimeService => &mut self.realtime_service,
            Setting::VideoService => &mut self.video_service,
            Setting::ClientFramework => &mut self.client_framework,
            Setting::ClientServer => &mut self.client_server,
            direction => &mut self.directions[direction as usize],
        };
        match setting.row().form {
            Form::Text => Slot::Text(place),
            Form::OptionalText | Form::List => Slot::OptionalText(place),
        }
    }

    /// Returns what was said of a setting.
    pub fn said(&self, setting: Setting) -> Option<Vec<String>> {
        match self.clone().setting(setting) {
            Slot::List(said) => said.take(),
            Slot::Text(said) | Slot::OptionalText(said) => Some(vec![said.take()?]),
            Slot::Switch(_) | Slot::Versions(_) => None,
        }
    }

    /// Returns what was said of a feature.
    pub const fn switch(&self, feature: Feature) -> Option<bool> {
        self.switches.get(feature)
    }

    /// Returns the video service that was named.
    pub fn video(&self) -> Option<&str> {
        let said = self.video_service.as_deref()?.trim();
        (!["", NONE].contains(&said)).then_some(said)
    }

    /// The services that were named, by identifier or alias, and the key of each.
    pub fn services(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("stt_service", self.stt_service.as_deref()),
            ("llm_service", self.llm_service.as_deref()),
            ("tts_service", self.tts_service.as_deref()),
            ("realtime_service", self.realtime_service.as_deref()),
            ("video_service", self.video()),
        ]
        .into_iter()
        .filter_map(|(key, said)| Some((key, said?.trim())))
        .filter(|(_, said)| !said.is_empty())
    }

    /// Puts these choices over those of `file`. A value of the file that no longer has a meaning after
    /// what was said here gives way: `--mode realtime` silences the file's cascade services.
    #[must_use]
    pub fn over(mut self, mut file: Self) -> Self {
        match self.mode.as_deref() {
            Some("realtime") => {
                file.stt_service = None;
                file.llm_service = None;
                file.tts_service = None;
            }
            Some("cascade") => file.realtime_service = None,
            _ => {}
        }
        let framework = self.client_framework.as_deref();
        if framework.is_some_and(|framework| framework != "react") {
            file.client_server = None;
        }
        self.redirect(&mut file);
        for setting in Setting::ALL {
            match (self.setting(setting), file.setting(setting)) {
                (Slot::List(said), Slot::List(below)) => *said = said.take().or(below.take()),
                (
                    Slot::Text(said) | Slot::OptionalText(said),
                    Slot::Text(below) | Slot::OptionalText(below),
                ) => *said = said.take().or(below.take()),
                _ => {}
            }
        }
        self.switches = self.switches.over(&file.switches);
        self.packs = self.packs.or(file.packs);
        self
    }

    /// Of the file's transports, those for which another direction was said turn round.
    fn redirect(&self, file: &mut Self) {
        for (setting, family) in Setting::directions() {
            let number = setting as usize;
            if self.transports.is_some() {
                file.directions[number] = None;
            } else if self.directions[number].is_some() {
                for word in file.transports.iter_mut().flatten() {
                    let transport = Catalogue::built_in().transport(word.trim());
                    if transport.is_some_and(|it| it.family.as_deref() == Some(family)) {
                        family.clone_into(word);
                    }
                }
            }
        }
    }
}

//! The user's unvalidated choices from the command line, the configuration file and the wizard.

use std::collections::BTreeMap;

use crate::catalogue::Catalogue;
use crate::option_table::{self, Feature, Form, Setting, Switches};
use crate::pack_source::PackSource;

/// The scaffold options as specified by the user, possibly with aliases. `None` means unspecified.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// The project name (`--name`).
    pub project_name: Option<String>,
    /// The bot type (`--bot-type`).
    pub bot_type: Option<String>,
    /// The transports (`--transport`).
    pub transports: Option<Vec<String>>,
    /// The pipeline mode (`--mode`).
    pub mode: Option<String>,
    /// The bot's language (`--language`).
    pub language: Option<String>,
    /// The speech-to-text service (`--stt`).
    pub stt_service: Option<String>,
    /// The language model service (`--llm`).
    pub llm_service: Option<String>,
    /// The text-to-speech service (`--tts`).
    pub tts_service: Option<String>,
    /// The realtime service (`--realtime`).
    pub realtime_service: Option<String>,
    /// The video service (`--video`).
    pub video_service: Option<String>,
    /// The web client's framework (`--client-framework`).
    pub client_framework: Option<String>,
    /// The web client's development server (`--client-server`).
    pub client_server: Option<String>,
    /// The call directions, indexed by `Setting`.
    pub directions: [Option<String>; Setting::ALL.len()],
    /// The features that the user turned on or off.
    pub switches: Switches,
    /// The provider packs that the services come from, by name (`packs`). Set only by configuration files.
    pub packs: Option<BTreeMap<String, PackSource>>,
}

pub const PACKS: &str = "packs";

/// A key that the framework's own CLI writes but doesn't read, because `client_framework` takes precedence.
pub const GENERATE_CLIENT: &str = "generate_client";

/// Returns the key for `name`, which may be an alias.
pub fn key_of(name: &str) -> &str {
    option_table::aliases()
        .find(|(alias, _)| *alias == name)
        .map_or(name, |(_, key)| key)
}

/// The value that disables the video service or the web client.
pub const NONE: &str = "none";

pub fn flag(key: &str) -> Option<&'static str> {
    option_table::fields()
        .find(|(name, _)| *name == key)
        .map(|(_, flag)| flag)
}

/// A mutable reference to a key's value, with one variant per type.
#[derive(Debug)]
pub enum Slot<'a> {
    /// A string that can't be `null`.
    Text(&'a mut Option<String>),
    /// A string that can be `null`.
    OptionalText(&'a mut Option<String>),
    /// A list of strings.
    List(&'a mut Option<Vec<String>>),
    /// A boolean.
    Switch(&'a mut Option<bool>),
    /// Provider packs, by name.
    Packs(&'a mut Option<BTreeMap<String, PackSource>>),
}

impl Draft {
    /// Returns the slot for a key, or `None` if the key is unknown.
    pub fn slot(&mut self, key: &str) -> Option<Slot<'_>> {
        if key == PACKS {
            return Some(Slot::Packs(&mut self.packs));
        }
        let mut features = Feature::ALL.into_iter();
        if let Some(feature) = features.find(|feature| feature.row().key == key) {
            return Some(Slot::Switch(self.switches.slot(feature)));
        }
        let mut settings = Setting::ALL.into_iter();
        let setting = settings.find(|setting| setting.row().key == key)?;
        Some(self.setting(setting))
    }

    /// Reports whether a key has a value.
    pub fn has(&mut self, key: &str) -> bool {
        self.slot(key).is_some_and(|slot| match slot {
            Slot::Text(said) | Slot::OptionalText(said) => said.is_some(),
            Slot::List(said) => said.is_some(),
            Slot::Switch(said) => said.is_some(),
            Slot::Packs(said) => said.is_some(),
        })
    }

    /// Reports whether a key has a value. A feature that is turned off counts as unset.
    pub fn says(&mut self, key: &str) -> bool {
        self.has(key) && !matches!(self.slot(key), Some(Slot::Switch(Some(false))))
    }

    /// Clears the value of a key.
    pub fn forget(&mut self, key: &str) {
        match self.slot(key) {
            Some(Slot::Text(said) | Slot::OptionalText(said)) => *said = None,
            Some(Slot::List(said)) => *said = None,
            Some(Slot::Switch(said)) => *said = None,
            Some(Slot::Packs(said)) => *said = None,
            None => {}
        }
    }

    /// Returns the slot for a setting.
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
            Setting::Language => &mut self.language,
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

    /// Returns the values specified for a setting, or `None` if the setting is unset.
    pub fn said(&self, setting: Setting) -> Option<Vec<String>> {
        match self.clone().setting(setting) {
            Slot::List(said) => said.take(),
            Slot::Text(said) | Slot::OptionalText(said) => Some(vec![said.take()?]),
            Slot::Switch(_) | Slot::Packs(_) => None,
        }
    }

    /// Returns the state of a feature, or `None` if it isn't set.
    pub const fn switch(&self, feature: Feature) -> Option<bool> {
        self.switches.get(feature)
    }

    /// Returns the selected video service, if any.
    pub fn video(&self) -> Option<&str> {
        let said = self.video_service.as_deref()?.trim();
        (!["", NONE].contains(&said)).then_some(said)
    }

    /// Returns the selected services as pairs of a key and an identifier or alias.
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

    /// Merges these choices over those in `file`. Drops values in `file` that no longer apply. For example, `--mode realtime` drops the
    /// cascade services.
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

    /// Replaces a transport in `file` with its family name if these choices set the family's call direction. If these choices set the
    /// transports, clears the call directions in `file` instead.
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

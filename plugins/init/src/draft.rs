//! The user's unvalidated choices from the command line, the configuration file and the wizard.

use std::collections::BTreeMap;

use crate::catalogue::Catalogue;
use crate::option_table::{self, Feature, Form, Setting, Switches, Values};
use crate::pack_source::PackSource;

/// The scaffold options as specified by the user, possibly with aliases. `None` means unspecified.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// The values of each setting. Only [`Setting::Transports`] can have several.
    pub settings: [Option<Vec<String>>; Setting::ALL.len()],
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
    /// The values of a setting, which has this form in a configuration file.
    Setting(Form, &'a mut Option<Vec<String>>),
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
        Some(Slot::Setting(setting.row().form, self.setting(setting)))
    }

    /// Reports whether a key has a value.
    pub fn has(&mut self, key: &str) -> bool {
        self.slot(key).is_some_and(|slot| match slot {
            Slot::Setting(_, said) => said.is_some(),
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
            Some(Slot::Setting(_, said)) => *said = None,
            Some(Slot::Switch(said)) => *said = None,
            Some(Slot::Packs(said)) => *said = None,
            None => {}
        }
    }

    /// Returns the values of a setting, to be changed.
    pub const fn setting(&mut self, setting: Setting) -> &mut Option<Vec<String>> {
        &mut self.settings[setting as usize]
    }

    /// Changes the values of a setting. Without any, the setting is unset.
    pub fn put<T: Into<String>>(&mut self, setting: Setting, said: impl IntoIterator<Item = T>) {
        let said: Vec<String> = said.into_iter().map(Into::into).collect();
        *self.setting(setting) = (!said.is_empty()).then_some(said);
    }

    /// Returns the values specified for a setting, or `None` if the setting is unset.
    pub fn said(&self, setting: Setting) -> Option<&[String]> {
        self.settings[setting as usize].as_deref()
    }

    /// Returns the first value specified for a setting.
    pub fn text(&self, setting: Setting) -> Option<&str> {
        self.said(setting)?.first().map(String::as_str)
    }

    /// Returns the transports as specified.
    pub fn transports(&self) -> &[String] {
        self.said(Setting::Transports).unwrap_or_default()
    }

    /// Returns the state of a feature, or `None` if it isn't set.
    pub const fn switch(&self, feature: Feature) -> Option<bool> {
        self.switches.get(feature)
    }

    /// Returns the selected video service, if any.
    pub fn video(&self) -> Option<&str> {
        let said = self.text(Setting::VideoService)?.trim();
        (!["", NONE].contains(&said)).then_some(said)
    }

    /// Returns the selected services as pairs of a key and an identifier or alias.
    pub fn services(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let is_service = |it: &Setting| matches!(it.row().values, Values::Service(_));
        let settings = Setting::ALL.into_iter().filter(is_service);
        settings.filter_map(|setting| {
            let said = self.text(setting)?.trim();
            let is_none = setting == Setting::VideoService && said == NONE;
            (!said.is_empty() && !is_none).then_some((setting.row().key, said))
        })
    }

    /// Merges these choices over those in `file`. Drops values in `file` that no longer apply. For example, `--mode realtime` drops the
    /// cascade services.
    #[must_use]
    pub fn over(mut self, mut file: Self) -> Self {
        let superseded = match self.text(Setting::Mode) {
            Some("realtime") => &[
                Setting::SttService,
                Setting::LlmService,
                Setting::TtsService,
            ][..],
            Some("cascade") => &[Setting::RealtimeService],
            _ => &[],
        };
        for setting in superseded {
            *file.setting(*setting) = None;
        }
        let framework = self.text(Setting::ClientFramework);
        if framework.is_some_and(|framework| framework != "react") {
            *file.setting(Setting::ClientServer) = None;
        }
        self.redirect(&mut file);
        for (said, below) in self.settings.iter_mut().zip(file.settings) {
            *said = said.take().or(below);
        }
        self.switches = self.switches.over(&file.switches);
        self.packs = self.packs.or(file.packs);
        self
    }

    /// Replaces a transport in `file` with its family name if these choices set the family's call direction. If these choices set the
    /// transports, clears the call directions in `file` instead.
    fn redirect(&self, file: &mut Self) {
        for (setting, family) in Setting::directions() {
            if self.said(Setting::Transports).is_some() {
                *file.setting(setting) = None;
            } else if self.said(setting).is_some() {
                for word in file.setting(Setting::Transports).iter_mut().flatten() {
                    let transport = Catalogue::built_in().transport(word.trim());
                    if transport.is_some_and(|it| it.family.as_deref() == Some(family)) {
                        family.clone_into(word);
                    }
                }
            }
        }
    }
}

//! Whole configurations to start from: `presets/`.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::embedded::{self, PRESETS};

/// A configuration with a name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// The name, which is that of its file.
    #[serde(skip)]
    pub name: String,
    /// What it makes, in a few words.
    pub about: String,
    /// As the file of `bot-cli init --config` has it.
    pub config: Value,
}

impl Preset {
    /// All of them by name, parsed once a process.
    pub fn all() -> &'static [Self] {
        static FOUND: LazyLock<Vec<Preset>> = LazyLock::new(|| {
            let mut found: Vec<(&str, Preset)> = embedded::parsed(&PRESETS);
            found.sort_by_key(|(name, _)| *name);
            let named = |(name, preset): (&str, Preset)| Preset {
                name: name.to_owned(),
                ..preset
            };
            found.into_iter().map(named).collect()
        });
        &FOUND
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|preset| preset.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::{PRESETS, Preset};

    #[test]
    fn every_preset_is_read() {
        assert_eq!(Preset::all().len(), PRESETS.files().count());
        assert!(Preset::named("local").is_some());
    }
}

//! Presets from `presets/`: complete configurations that serve as starting points.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::embedded::{self, PRESETS};

/// A named project configuration.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// The name, taken from the file name.
    #[serde(skip)]
    pub name: String,
    /// A short description of the project.
    pub about: String,
    /// The configuration, in the format of `bot-cli init --config`.
    pub config: Value,
}

impl Preset {
    /// Returns all presets sorted by name, parsed once per process.
    pub fn all() -> &'static [Self] {
        static FOUND: LazyLock<Vec<Preset>> = LazyLock::new(|| {
            let named = |(name, preset): (&str, Preset)| Preset {
                name: name.to_owned(),
                ..preset
            };
            embedded::parsed(PRESETS).map(named).collect()
        });
        &FOUND
    }

    /// Returns the preset with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|preset| preset.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::{PRESETS, Preset};

    #[test]
    fn every_preset_is_read() {
        assert_eq!(Preset::all().len(), PRESETS.len());
        assert!(Preset::named("local").is_some());
    }
}

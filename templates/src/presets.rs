//! Whole configurations to start from: `presets/`.

use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;

use crate::embedded::PRESETS;

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
    /// All of them by name, parsed once a process. One that can't be read is left out, which a test of this crate rules out.
    pub fn all() -> &'static [Self] {
        static FOUND: OnceLock<Vec<Preset>> = OnceLock::new();
        FOUND.get_or_init(|| {
            let mut found: Vec<Self> = PRESETS
                .files()
                .filter_map(|file| {
                    let mut preset: Self = serde_json::from_slice(file.contents()).ok()?;
                    file.path()
                        .file_stem()?
                        .to_str()?
                        .clone_into(&mut preset.name);
                    Some(preset)
                })
                .collect();
            found.sort_by(|a, b| a.name.cmp(&b.name));
            found
        })
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

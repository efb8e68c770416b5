//! Sets of features.

use serde::{Serialize, Serializer};

use super::Feature;

/// The features that a bot has, or any other set of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Features([bool; Feature::ALL.len()]);

impl Features {
    /// The features for which `has` is true.
    pub fn which(has: impl Fn(Feature) -> bool) -> Self {
        Self(Feature::ALL.map(has))
    }

    /// Tells whether the feature is among them.
    #[must_use]
    pub const fn has(self, feature: Feature) -> bool {
        self.0[feature as usize]
    }

    /// Adds the feature or takes it out.
    #[must_use]
    pub const fn with(mut self, feature: Feature, has: bool) -> Self {
        self.0[feature as usize] = has;
        self
    }
}

impl Serialize for Features {
    /// Writes an object with a boolean for each feature, by its name in templates.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Feature::ALL.map(|feature| (feature.row().name, self.has(feature))))
    }
}

/// The features that were said to be on or off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Switches([Option<bool>; Feature::ALL.len()]);

impl Switches {
    /// Says so of these features.
    #[must_use]
    pub fn of<const N: usize>(said: [(Feature, bool); N]) -> Self {
        let mut switches = Self::default();
        for (feature, on) in said {
            *switches.slot(feature) = Some(on);
        }
        switches
    }

    /// Returns what was said.
    #[must_use]
    pub const fn get(&self, feature: Feature) -> Option<bool> {
        self.0[feature as usize]
    }

    /// Returns what was said here, and where nothing was, what was said `below`.
    #[must_use]
    pub fn over(&self, below: &Self) -> Self {
        Self(Feature::ALL.map(|feature| self.get(feature).or(below.get(feature))))
    }

    /// Returns the place of what was said.
    pub const fn slot(&mut self, feature: Feature) -> &mut Option<bool> {
        &mut self.0[feature as usize]
    }
}

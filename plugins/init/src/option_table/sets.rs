//! Sets of features.

use super::Feature;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Features([bool; Feature::ALL.len()]);

impl Features {
    pub fn which(has: impl Fn(Feature) -> bool) -> Self {
        Self(Feature::ALL.map(has))
    }

    pub const fn has(self, feature: Feature) -> bool {
        self.0[feature as usize]
    }

    pub const fn with(mut self, feature: Feature, has: bool) -> Self {
        self.0[feature as usize] = has;
        self
    }
}

/// The features that the user turned on or off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Switches([Option<bool>; Feature::ALL.len()]);

impl Switches {
    /// Returns switches with only the given features set.
    pub fn of<const N: usize>(said: [(Feature, bool); N]) -> Self {
        let mut switches = Self::default();
        for (feature, on) in said {
            *switches.slot(feature) = Some(on);
        }
        switches
    }

    /// Returns the feature's state, or `None` if it isn't set.
    pub const fn get(&self, feature: Feature) -> Option<bool> {
        self.0[feature as usize]
    }

    /// Returns these switches, falling back to `below` for features that aren't set.
    #[must_use]
    pub fn over(&self, below: &Self) -> Self {
        Self(Feature::ALL.map(|feature| self.get(feature).or(below.get(feature))))
    }

    /// Returns a mutable reference to the feature's state.
    pub const fn slot(&mut self, feature: Feature) -> &mut Option<bool> {
        &mut self.0[feature as usize]
    }
}

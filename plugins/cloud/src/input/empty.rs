//! Keys without a value: what becomes of them.

use clap::ValueEnum;

use super::looks_like_a_key;
use crate::domain::Key;

/// The problem of a refused key.
pub const REFUSED: &str = "has no value";

/// The treatment of keys with an empty value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Empty {
    /// Refuse everything, and name every such key
    #[default]
    Refuse,
    /// Leave the key out
    Skip,
    /// Store the empty value, which the hosting service does not accept
    Keep,
}

/// The treatment of one key with an empty value.
pub enum Fate {
    /// It is left out.
    Skipped,
    /// It is stored without a value.
    Kept,
    /// It is refused, with this problem.
    Refused(&'static str),
}

impl Empty {
    /// Decides about `key`.
    pub fn decide(self, key: &Key) -> Fate {
        match self {
            Self::Refuse => Fate::Refused(REFUSED),
            Self::Skip => Fate::Skipped,
            // The end of a value in base64 looks like a key without a value.
            Self::Keep if !looks_like_a_key(key.as_str()) => Fate::Refused(
                "has no value, and may be a value itself: only a key in capitals is kept without one",
            ),
            Self::Keep => Fate::Kept,
        }
    }
}

//! What was found under a name, and whether it is used.

use std::path::{Path, PathBuf};

use crate::refused::Refused;

/// A plugin, provider pack or secrets backend on this machine.
#[derive(Debug, Clone)]
pub struct Found<T> {
    /// The name. For a pack or backend, the name without the role's prefix, such as `vault` for `bot-cli-secrets-vault`.
    pub name: String,
    /// The path of the file or folder.
    pub place: PathBuf,
    /// Whether it is used.
    pub standing: Standing<T>,
}

/// The status of something that was found.
#[derive(Debug, Clone)]
pub enum Standing<T> {
    /// The name resolves to this.
    Used(T),
    /// The name resolves to something else, for this reason.
    Shadowed(Refused),
    /// It can't be used, for this reason.
    Refused(Refused),
}

impl<T> Standing<T> {
    /// Returns the status of something whose name resolves to `winner`.
    pub fn shadowed_by(winner: &Path) -> Self {
        let reason = format!("`{}` comes first", winner.display());
        Self::shadowed(reason)
    }

    pub(super) fn shadowed(reason: impl Into<String>) -> Self {
        let (reason, remedy) = (reason.into(), None);
        Self::Shadowed(Refused { reason, remedy })
    }

    /// Returns the status `shadowed` or `refused` with its reason. Returns `None` if the name resolves to this.
    pub fn unused(&self) -> Option<(&'static str, &Refused)> {
        match self {
            Self::Used(_) => None,
            Self::Shadowed(refused) => Some(("shadowed", refused)),
            Self::Refused(refused) => Some(("refused", refused)),
        }
    }
}

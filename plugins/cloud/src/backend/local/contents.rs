//! The contents of a vault: sets by organization and name, every value sealed.

use std::collections::BTreeMap;

use crate::domain::SetKind;

/// The sets of a vault, by organization and name.
pub type Sets = BTreeMap<(String, String), Set>;

/// A secret set or an image pull secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    pub kind: SetKind,
    /// The code of its region.
    pub region: String,
    /// The registry of an image pull secret.
    pub host: Option<String>,
    /// By key. An image pull secret has one value, [`CREDENTIALS`].
    pub values: BTreeMap<String, Sealed>,
}

/// A sealed value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// The generation of the vault in which it was written.
    pub version: u64,
    /// The sealed form.
    pub bytes: Vec<u8>,
}

/// The key of the one value of an image pull secret; the keys of secret sets have no blanks.
pub const CREDENTIALS: &str = "image pull credentials";

/// The kind of this name.
#[must_use]
pub fn kind(name: &str) -> Option<SetKind> {
    [SetKind::Secret, SetKind::ImagePullSecret]
        .into_iter()
        .find(|kind| kind.name() == name)
}

//! The domain types. All input is parsed into these types when it is read.

use std::borrow::Cow;
use std::fmt;

use bot_cli_engine::discovery::{BACKEND_PREFIX, PluginName};
pub use bot_cli_secrets::messages::{SetKind, SetStatus};
pub use bot_cli_secrets::{Entry, Key, Organization, Region, SetName};
pub use bot_cli_vault::registry;
use serde::{Deserialize, Serialize};

/// The name of a backend: `local`, `hosted` or the name of an installed backend.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BackendName(Cow<'static, str>);

pub const BUILT_IN: [BackendName; 2] = [BackendName::LOCAL, BackendName::HOSTED];

impl BackendName {
    pub const LOCAL: Self = Self(Cow::Borrowed("local"));

    pub const HOSTED: Self = Self(Cow::Borrowed("hosted"));

    /// Parses a name of lower-case letters, digits and hyphens that is also valid in the name of an executable.
    pub fn parse(text: &str) -> Option<Self> {
        let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let fits =
            !text.is_empty() && PluginName::parse(&format!("{BACKEND_PREFIX}{text}")).is_some();
        (fits && text.chars().all(is_allowed)).then(|| Self(text.to_owned().into()))
    }
}

impl BackendName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BackendName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the name of a set kind for use in a sentence.
pub const fn kind_words(kind: SetKind) -> &'static str {
    match kind {
        SetKind::Secret => "secret set",
        SetKind::ImagePullSecret => "image pull secret",
        SetKind::Unknown => "set of an unknown type",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// A token for a user, who may belong to several organizations.
    User,
    /// An API key for one organization.
    ApiKey,
}

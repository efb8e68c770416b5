//! The domain types. All input is parsed into these types when it is read.

use std::borrow::Cow;
use std::fmt;

use bot_cli_engine::discovery::{BACKEND_PREFIX, PluginName};
pub use bot_cli_secrets::messages::{SetKind, SetStatus};
pub use bot_cli_secrets::{Entry, Key, Organization, Region, SetName};
use serde::{Deserialize, Serialize};

/// Checks the address of a container image registry, such as `https://registry.example/v1/` or `ghcr.io`: a host with an optional scheme,
/// port and path. Fails if the address contains a user name or password.
pub fn registry(text: &str) -> Result<String, String> {
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("has a blank in it".to_owned());
    }
    let scheme = if text.contains("://") { "" } else { "https://" };
    let parsed = url::Url::parse(&format!("{scheme}{text}")).ok();
    let parsed = parsed.filter(|url| {
        let is_host = url.host_str().is_some_and(|host| !host.is_empty());
        let has_more = url.query().is_some() || url.fragment().is_some();
        ["https", "http"].contains(&url.scheme()) && is_host && !has_more
    });
    let url = parsed.ok_or("is not an address, such as `https://registry.example/v1/`")?;
    if url.username().is_empty() && url.password().is_none() {
        return Ok(text.to_owned());
    }
    Err("has a user name in it; credentials are an argument of their own".to_owned())
}

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

#[cfg(test)]
mod tests {
    use super::registry;

    #[test]
    fn registry_hosts_are_addresses_without_credentials() {
        for host in [
            "https://index.docker.io/v1/",
            "ghcr.io",
            "registry.example:5000/team",
            "http://localhost:5000",
            "localhost:5000",
        ] {
            assert!(registry(host).is_ok(), "{host:?}");
        }
        for host in [
            "",
            "https://",
            "ftp://a",
            "https://user:pass@a/",
            "user@a",
            "a b",
            "https://a/?x",
            "https://a/#x",
        ] {
            assert!(registry(host).is_err(), "{host:?}");
        }
    }
}

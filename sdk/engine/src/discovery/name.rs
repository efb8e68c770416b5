//! The names of plugins and of their files.

use std::fmt;

/// The prefix of a plugin's file name.
pub const PREFIX: &str = "bot-cli-";

/// The prefix of a provider pack's name in its manifest, as in `pack-acme`.
pub const PACK_PREFIX: &str = "pack-";

/// The prefix of a backend's name in its manifest, as in `secrets-vault`.
pub const BACKEND_PREFIX: &str = "secrets-";

/// The names of the host's own commands, which plugins can't use.
pub const RESERVED: [&str; 3] = ["help", "completions", "version"];

/// The plugin that manages other plugins. It decides which files to trust, and removes bad plugins. The host therefore accepts this plugin
/// only from the host's own folder and only in the host's own version.
pub const MANAGER: &str = "plugin";

/// The plugins that are released with the host.
pub const SHIPPED: [&str; 4] = ["init", "dev", "cloud", MANAGER];

const LONGEST: usize = 32;

/// A plugin's name, which matches `^[a-z][a-z0-9-]{0,31}$`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PluginName(String);

impl PluginName {
    /// Parses a plugin's name. Returns `None` if `text` is not a valid name.
    pub fn parse(text: &str) -> Option<Self> {
        let first = text.bytes().next()?;
        let valid = text.len() <= LONGEST
            && first.is_ascii_lowercase()
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        valid.then(|| Self(text.to_owned()))
    }

    /// Returns the name as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the plugin's file name, without an extension.
    pub fn file(&self) -> String {
        format!("{PREFIX}{}", self.0)
    }
}

impl fmt::Display for PluginName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::PluginName;

    #[test]
    fn refuses_what_is_no_name() {
        for name in ["a", "init", "secrets-vault", "a1-"] {
            assert!(PluginName::parse(name).is_some(), "{name}");
        }
        for name in ["", "A", "1a", "-a", "a_b", "a/b", "../a", "a.b", "é", "a\n"] {
            assert!(PluginName::parse(name).is_none(), "{name}");
        }
        let of_length = |length| PluginName::parse(&"x".repeat(length));
        assert!(of_length(32).is_some() && of_length(33).is_none());
    }
}

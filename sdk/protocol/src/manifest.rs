//! What a plugin is and understands: the answer to `describe`, which is also in the plugin's file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::command::CommandSpec;
use super::shape;

/// Stands before the manifest in a plugin's file.
pub const MARKER: &str = "bot-cli-plugin: ";

/// The part of a script in which its manifest begins.
pub const SCRIPT_HEAD: usize = 8 * 1024;

/// The longest manifest of a script, on its line.
pub const SCRIPT_MANIFEST: usize = 1024 * 1024;

/// The longest manifest of any other file.
const LONGEST_MANIFEST: usize = 8 * 1024 * 1024;

/// The description of a plugin: its role and its command tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Manifest {
    /// The protocol version that the plugin speaks: `1.0`.
    pub protocol: String,
    /// The plugin's name: that of its file without `bot-cli-`.
    pub name: String,
    /// The plugin's own version.
    #[serde(default)]
    pub version: String,
    /// A description of a few words.
    #[serde(default)]
    pub about: String,
    /// The role.
    #[serde(default)]
    pub role: Role,
    /// The executables that can use it, each with the range of its versions: `bot-cli-init`, `>=0.1`. One that is absent can use it in every version.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub requires: BTreeMap<String, String>,
    /// The roles of the plugins that it uses itself, by their names, and what it can use of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub uses: BTreeMap<String, UseSpec>,
    /// Provider packs: the version of the catalogue's schema, `MAJOR.MINOR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalogue: Option<String>,
    /// Provider packs: the range of `pipecat-ai` versions that its services were made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framework: Option<String>,
    /// Secrets backends: the version of the role's methods, `MAJOR.MINOR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secrets: Option<String>,
    /// Secrets backends: their own settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingSpec>,
    /// The command tree; its root is the plugin itself. Absent: unknown, not empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandSpec>,
    /// The variables of the environment that it reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<VariableSpec>,
    /// Provider packs: a list of providers. Kept as it is: a reader looks at one service at a time, since a later version of the
    /// schema may have keys that it does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub providers: Option<Value>,
}

/// The part of a role's plugins that a plugin can use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct UseSpec {
    /// The version of the role's schema that it knows, `MAJOR.MINOR`.
    pub schema: String,
    /// Provider packs: the version of `pipecat-ai` that it makes projects for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framework: Option<String>,
    /// Secrets backends: names that none can have, because the command has such a backend itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// A setting of a secrets backend. Settings are kept in a file of the user's: a credential is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingSpec {
    /// The name.
    pub name: String,
    /// A description in one line.
    #[serde(default)]
    pub about: String,
    /// Whether the backend can't work without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

/// A variable of the environment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VariableSpec {
    /// The name.
    pub name: String,
    /// A description in one line.
    #[serde(default)]
    pub about: String,
}

/// The role of a plugin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Commands for the user.
    #[default]
    Command,
    /// Keeps secrets for another plugin.
    SecretsBackend,
    /// Brings AI services for `init`.
    ProviderPack,
    /// A role of a later version.
    #[serde(untagged)]
    Other(String),
}

/// Why a file has no usable manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ManifestError {
    /// It declares nothing: it is not a plugin that speaks the protocol.
    Undeclared,
    /// A marker is there, but what follows is not a manifest; the reason.
    Malformed(String),
}

impl Role {
    /// Returns the name on the wire.
    pub fn name(&self) -> &str {
        match self {
            Self::Command => "command",
            Self::SecretsBackend => "secrets-backend",
            Self::ProviderPack => "provider-pack",
            Self::Other(other) => other,
        }
    }

    /// Returns what a plugin of this role is called in a sentence: `provider pack`.
    pub fn words(&self) -> String {
        match self {
            Self::Command => "command".to_owned(),
            Self::ProviderPack => "provider pack".to_owned(),
            Self::SecretsBackend => "secrets backend".to_owned(),
            Self::Other(role) => format!("plugin of the role `{role}`"),
        }
    }
}

impl UseSpec {
    /// Every plugin of the role with this version of its schema.
    pub fn new(schema: impl Into<String>) -> Self {
        Self {
            schema: schema.into(),
            ..Self::default()
        }
    }

    /// Makes projects for this version of `pipecat-ai`.
    pub fn framework(mut self, version: impl Into<String>) -> Self {
        self.framework = Some(version.into());
        self
    }

    /// No backend can have one of these names.
    pub fn names<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.names = names.into_iter().map(Into::into).collect();
        self
    }
}

impl SettingSpec {
    /// A setting that may be absent, and what it does in a line.
    pub fn new(name: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            about: about.into(),
            required: false,
        }
    }
}

impl Manifest {
    /// A plugin of this name that speaks this library's version and declares nothing more.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            protocol: super::VERSION.to_owned(),
            name: name.into(),
            ..Self::default()
        }
    }

    /// Finds the manifest in the bytes of a plugin's file: in the head of a script, anywhere in a native executable.
    pub fn find(file: &[u8]) -> Result<Self, ManifestError> {
        let is_script = file.starts_with(b"#!");
        let mut problem = None;
        for at in memchr::memmem::find_iter(file, MARKER) {
            if is_script && at >= SCRIPT_HEAD {
                break;
            }
            let text = &file[at + MARKER.len()..];
            // Executables that look for plugins hold bare markers.
            if !text.starts_with(b"{") {
                continue;
            }
            match Self::begin(text) {
                Ok(manifest) => return Ok(manifest),
                Err(reason) => problem = problem.or(Some(reason)),
            }
        }
        Err(problem.map_or(ManifestError::Undeclared, ManifestError::Malformed))
    }

    /// The manifest that a text begins with, of which no more is read than that; otherwise the reason why there is none.
    fn begin(text: &[u8]) -> Result<Self, String> {
        let start = &text[..text.len().min(LONGEST_MANIFEST)];
        let mut values = serde_json::Deserializer::from_slice(start).into_iter::<Value>();
        let value = values.next().transpose();
        let value = value.map_err(|error| error.to_string())?;
        shape::read("manifest", value.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::{Manifest, ManifestError, Role};

    #[test]
    fn finds_the_manifest_of_scripts_and_executables() {
        let line = r#"bot-cli-plugin: {"protocol":"1.0","name":"hello","role":"weather"}"#;
        for file in [
            format!("#!/bin/sh\n# {line}\necho\n"),
            format!(
                "#!/bin/sh\n{}# {line}{}\n",
                " ".repeat(8000),
                " ".repeat(30_000)
            ),
            format!("\u{7f}ELF bot-cli-plugin: \0 bot-cli-plugin: %s\0{line}\n\0more"),
        ] {
            let manifest = Manifest::find(file.as_bytes()).unwrap();
            assert_eq!(manifest.name, "hello");
            assert_eq!(manifest.role, Role::Other("weather".to_owned()));
        }
    }

    #[test]
    fn says_why_there_is_no_manifest() {
        let far = format!("#!/bin/sh\n{}bot-cli-plugin: {{}}", " ".repeat(8192));
        for undeclared in ["", "#!/bin/sh\necho\n", "bot-cli-plugin: ", &far] {
            assert_eq!(
                Manifest::find(undeclared.as_bytes()),
                Err(ManifestError::Undeclared)
            );
        }
        let found = Manifest::find(b"#!/bin/sh\n# bot-cli-plugin: {\"protocol\":\"1.0\"}\n");
        assert!(
            matches!(&found, Err(ManifestError::Malformed(reason)) if reason.contains("`name`")),
            "{found:?}"
        );
    }
}

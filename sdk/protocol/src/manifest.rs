//! The plugin manifest, which is embedded in the plugin's file and returned by `describe`.

use std::collections::BTreeMap;
use std::io::{self, Read};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::command::CommandSpec;
use super::shape;

/// The marker that precedes the manifest in a plugin's file.
pub const MARKER: &str = "bot-cli-plugin: ";

/// The number of bytes at the start of a script in which the marker must begin.
pub const SCRIPT_HEAD: usize = 8 * 1024;

/// The maximum length in bytes of a script's manifest, which must be on one line.
pub const SCRIPT_MANIFEST: usize = 1024 * 1024;

/// The maximum length in bytes of a manifest in a file that is not a script.
const LONGEST_MANIFEST: usize = 8 * 1024 * 1024;

/// A plugin's description of itself, including its role and its command tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Manifest {
    /// The protocol version that the plugin implements, such as `1.0`.
    pub protocol: String,
    /// The plugin's name, which is its file name without the `bot-cli-` prefix.
    pub name: String,
    /// The plugin's version.
    #[serde(default)]
    pub version: String,
    /// A short description.
    #[serde(default)]
    pub about: String,
    /// The plugin's role.
    #[serde(default)]
    pub role: Role,
    /// The required versions of the executables that use the plugin, such as `>=0.1` for `bot-cli-init`. Any version of an unlisted
    /// executable can use the plugin.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub requires: BTreeMap<String, String>,
    /// The requirements for the plugins that this plugin uses, by role name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub uses: BTreeMap<String, UseSpec>,
    /// For provider packs, the catalogue's schema version, as `MAJOR.MINOR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalogue: Option<String>,
    /// For provider packs, the range of `pipecat-ai` versions that the services support.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framework: Option<String>,
    /// For secrets backends, the version of the backend methods, as `MAJOR.MINOR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secrets: Option<String>,
    /// For secrets backends, the available settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingSpec>,
    /// The command tree, whose root is the plugin itself. If absent, the commands are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandSpec>,
    /// The environment variables that the plugin reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<VariableSpec>,
    /// For provider packs, the list of providers as undecoded JSON. Readers decode each service separately, because later schema versions
    /// may add keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub providers: Option<Value>,
}

/// A plugin's requirements for the plugins that it uses in a given role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct UseSpec {
    /// The supported version of the role's schema, as `MAJOR.MINOR`.
    pub schema: String,
    /// For provider packs, the `pipecat-ai` version used by generated projects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framework: Option<String>,
    /// For secrets backends, the reserved names of the plugin's built-in backends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// A setting of a secrets backend. The value is stored in the user's settings file, so it must not be a credential.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingSpec {
    /// The setting's name.
    pub name: String,
    /// A one-line description.
    #[serde(default)]
    pub about: String,
    /// Whether the backend requires the setting.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

/// An environment variable that a plugin reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VariableSpec {
    /// The variable's name.
    pub name: String,
    /// A one-line description.
    #[serde(default)]
    pub about: String,
}

/// The role of a plugin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Provides commands for the user.
    #[default]
    Command,
    /// Stores secrets for another plugin.
    SecretsBackend,
    /// Provides AI services for `init`.
    ProviderPack,
    /// An unknown role from a later version.
    #[serde(untagged)]
    Other(String),
}

/// The reason a file has no usable manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ManifestError {
    /// The file has no marker, so it is not a plugin.
    Undeclared,
    /// The file has a marker but no valid manifest. The string contains the reason.
    Malformed(String),
}

impl Role {
    /// Returns the role's name in the protocol.
    pub fn name(&self) -> &str {
        match self {
            Self::Command => "command",
            Self::SecretsBackend => "secrets-backend",
            Self::ProviderPack => "provider-pack",
            Self::Other(other) => other,
        }
    }

    /// Returns the term for a plugin with this role, such as `provider pack`.
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
    /// Creates a requirement for the given schema version.
    pub fn new(schema: impl Into<String>) -> Self {
        Self {
            schema: schema.into(),
            ..Self::default()
        }
    }

    /// Sets the `pipecat-ai` version used by generated projects.
    pub fn framework(mut self, version: impl Into<String>) -> Self {
        self.framework = Some(version.into());
        self
    }

    /// Sets the reserved names, which no backend plugin may use.
    pub fn names<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.names = names.into_iter().map(Into::into).collect();
        self
    }
}

impl SettingSpec {
    /// Creates an optional setting with the given name and description.
    pub fn new(name: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            about: about.into(),
            required: false,
        }
    }
}

impl Manifest {
    /// Creates a manifest with the given name, this library's protocol version, and default values for all other fields.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            protocol: super::VERSION.to_owned(),
            name: name.into(),
            ..Self::default()
        }
    }

    /// Finds the manifest in the contents of a plugin's file: near the start of a script, or anywhere in any other file.
    pub fn find(file: &[u8]) -> Result<Self, ManifestError> {
        let is_script = file.starts_with(b"#!");
        let mut problem = None;
        for at in memchr::memmem::find_iter(file, MARKER) {
            if is_script && at >= SCRIPT_HEAD {
                break;
            }
            let text = &file[at + MARKER.len()..];
            // Executables that search for plugins contain the bare marker.
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

    /// Reads a plugin's file until the manifest is found, which is near the start of most files.
    pub fn read(mut file: impl Read) -> io::Result<Result<Self, ManifestError>> {
        let (mut start, mut more) = (Vec::new(), 64 * 1024);
        loop {
            let added = file.by_ref().take(more).read_to_end(&mut start)?;
            match Self::find(&start) {
                // A manifest that is cut off is malformed, too.
                Err(_) if added as u64 == more => more = start.len() as u64,
                found => return Ok(found),
            }
        }
    }

    /// Decodes the manifest at the start of `text` and ignores the rest.
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
    use std::io::{self, Read as _};

    use super::{Manifest, ManifestError};

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

    #[test]
    fn a_file_is_read_up_to_its_manifest() {
        let manifest = r#"bot-cli-plugin: {"protocol":"1.0","name":"found"}"#;
        for blanks in 65_450..65_550 {
            let start = " ".repeat(blanks) + manifest;
            let mut file = start.as_bytes().chain(io::repeat(b'x').take(1 << 30));
            let found = Manifest::read(&mut file).unwrap().unwrap();
            assert_eq!(found.name, "found", "{blanks}");
            let (_, rest) = file.into_inner();
            assert!(rest.limit() > 1 << 29, "{blanks}");
        }
        let cut = &manifest.as_bytes()[..40];
        let found = Manifest::read(cut).unwrap();
        assert!(
            matches!(found, Err(ManifestError::Malformed(_))),
            "{found:?}"
        );
    }
}

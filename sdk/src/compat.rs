//! Which versions fit together: the schema of a role, the executables that a plugin requires, the framework that a pack was made for.

use std::fmt;

use semver::{Op, Version, VersionReq};

use crate::protocol::{Manifest, Role, UseSpec, major_minor};

/// The package of the framework that generated projects use.
pub const FRAMEWORK: &str = "pipecat-ai";

/// A command that would use a plugin of another role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The executable: `bot-cli-init`.
    pub executable: String,
    /// The version.
    pub version: String,
    /// The versions that it can use.
    pub uses: UseSpec,
}

/// The part of a plugin that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Everything: its schema is not newer.
    Whole,
    /// The part that its user knows: its schema has a newer minor version.
    Newer,
}

/// Why a plugin can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incompatible {
    /// It does not say which schema it follows.
    NoSchema {
        /// The member of the manifest: `catalogue`.
        schema: &'static str,
        /// The version that its user knows.
        known: String,
    },
    /// A version or a range can't be read.
    Unreadable {
        /// The member of the manifest: `requires.bot-cli-init`.
        member: String,
        /// Why not.
        reason: String,
    },
    /// It follows another major version of the schema.
    Schema {
        /// The member of the manifest.
        schema: &'static str,
        /// The version that it follows.
        declared: String,
        /// The version that its user knows.
        known: String,
        /// The user, with its version.
        user: String,
    },
    /// It is not for this version of its user.
    User {
        /// The executable.
        executable: String,
        /// The range that it wants.
        range: String,
        /// The version that there is.
        version: String,
    },
    /// It was made for other versions of the framework.
    Framework {
        /// The range that it was made for.
        range: String,
        /// The version that projects are made for.
        version: String,
        /// The executable that makes projects, with its version.
        user: String,
    },
}

impl User {
    /// The user of a role whose executable and version are known.
    pub fn new(executable: impl Into<String>, version: impl Into<String>, uses: UseSpec) -> Self {
        Self {
            executable: executable.into(),
            version: version.into(),
            uses,
        }
    }

    /// Returns what this user can use of the plugin with this manifest, by the versions that both declare.
    pub fn fit(&self, manifest: &Manifest) -> Result<Fit, Incompatible> {
        let declared = match &manifest.role {
            Role::ProviderPack => Some(("catalogue", &manifest.catalogue)),
            Role::SecretsBackend => Some(("secrets", &manifest.secrets)),
            Role::Command | Role::Other(_) => None,
        };
        let mut fit = Fit::Whole;
        if let Some((schema, declared)) = declared {
            fit = self.schema(schema, declared.as_deref())?;
        }
        if let Some(range) = manifest.requires.get(&self.executable)
            && !matches(
                &format!("requires.{}", self.executable),
                range,
                &self.version,
            )?
        {
            return Err(Incompatible::User {
                executable: self.executable.clone(),
                range: range.clone(),
                version: self.version.clone(),
            });
        }
        if let (Some(range), Some(version)) = (&manifest.framework, &self.uses.framework)
            && !matches("framework", range, version)?
        {
            return Err(Incompatible::Framework {
                range: range.clone(),
                version: version.clone(),
                user: self.name(),
            });
        }
        Ok(fit)
    }

    fn name(&self) -> String {
        format!("{} {}", self.executable, self.version)
    }

    /// The same major version fits; a newer minor one as far as it is known.
    fn schema(&self, schema: &'static str, declared: Option<&str>) -> Result<Fit, Incompatible> {
        let known = &self.uses.schema;
        let Some(declared) = declared else {
            return Err(Incompatible::NoSchema {
                schema,
                known: known.clone(),
            });
        };
        let unreadable = |text: &str| Incompatible::Unreadable {
            member: schema.to_owned(),
            reason: format!("`{}` is not MAJOR.MINOR", shown(text)),
        };
        let theirs = major_minor(declared).ok_or_else(|| unreadable(declared))?;
        let ours = major_minor(known).ok_or_else(|| unreadable(known))?;
        if theirs.0 != ours.0 {
            return Err(Incompatible::Schema {
                schema,
                declared: declared.to_owned(),
                known: known.clone(),
                user: self.name(),
            });
        }
        Ok(if theirs.1 > ours.1 {
            Fit::Newer
        } else {
            Fit::Whole
        })
    }
}

impl Incompatible {
    /// The reason in words.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::NoSchema { schema, .. } => format!("its manifest has no `{schema}`"),
            Self::Unreadable { member, reason } => {
                format!("`{member}` of its manifest can't be read: {reason}")
            }
            Self::Schema {
                schema,
                declared,
                known,
                user,
            } => format!("it has {schema} {declared}, {user} knows {known}"),
            Self::User {
                executable,
                range,
                version,
            } => format!("it requires {executable} {range}, this is {version}"),
            Self::Framework {
                range,
                version,
                user,
            } => {
                format!("it was made for {FRAMEWORK} {range}, {user} makes projects for {version}")
            }
        }
    }

    /// Returns what mends it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            Self::NoSchema { schema, known } => {
                format!("its author adds `\"{schema}\":\"{known}\"`")
            }
            Self::Unreadable { member, .. } if member.contains('.') || member == "framework" => {
                "its author writes a range such as `>=1.2,<2`".to_owned()
            }
            Self::Unreadable { .. } => "its author writes a version such as `1.0`".to_owned(),
            Self::Schema {
                declared,
                known,
                user,
                ..
            } => {
                let user = user.split(' ').next().unwrap_or_default();
                if major_minor(declared) > major_minor(known) {
                    format!("install a newer {user}, or a version of it for {known}")
                } else {
                    format!("install a newer version of it, for {known}")
                }
            }
            Self::User {
                executable,
                range,
                version,
            } => {
                if is_below(range, version) {
                    format!("install {executable} {range}, or a version of it for {version}")
                } else {
                    format!("install a newer version of it, for {executable} {version}")
                }
            }
            Self::Framework {
                range,
                version,
                user,
            } => {
                let user = user.split(' ').next().unwrap_or_default();
                if is_below(range, version) {
                    format!("install a newer {user}, or a version of it for {FRAMEWORK} {version}")
                } else {
                    format!("install a newer version of it, for {FRAMEWORK} {version}")
                }
            }
        }
    }
}

impl fmt::Display for Incompatible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.reason(), self.remedy())
    }
}

impl std::error::Error for Incompatible {}

/// The range that `text` names, or why it names none.
pub fn range(text: &str) -> Result<VersionReq, String> {
    VersionReq::parse(text).map_err(|error| format!("`{}`: {error}", shown(text)))
}

fn matches(member: &str, text: &str, version: &str) -> Result<bool, Incompatible> {
    let unreadable = |reason| Incompatible::Unreadable {
        member: member.to_owned(),
        reason,
    };
    let range = range(text).map_err(unreadable)?;
    let version = Version::parse(version)
        .map_err(|error| unreadable(format!("`{}`: {error}", shown(version))))?;
    Ok(range.matches(&version))
}

/// Whether `version` is older than everything in the range.
fn is_below(range: &str, version: &str) -> bool {
    let (Ok(range), Ok(version)) = (VersionReq::parse(range), Version::parse(version)) else {
        return false;
    };
    range.comparators.iter().any(|bound| {
        let floor = Version::new(
            bound.major,
            bound.minor.unwrap_or_default(),
            bound.patch.unwrap_or_default(),
        );
        !matches!(bound.op, Op::Less | Op::LessEq) && version < floor
    })
}

/// A text of a manifest in a sentence: short and printable.
fn shown(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    short.escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::{Fit, User};
    use crate::protocol::{Manifest, Role, UseSpec};

    fn user() -> User {
        let uses = UseSpec::new("1.2").framework("1.14.0");
        User::new("bot-cli-init", "0.1.0", uses)
    }

    fn pack() -> Manifest {
        Manifest {
            role: Role::ProviderPack,
            catalogue: Some("1.0".to_owned()),
            ..Manifest::new("pack-acme")
        }
    }

    #[test]
    fn a_schema_fits_within_its_major_version() {
        for (declared, expected) in [
            ("1.0", Ok(Fit::Whole)),
            ("1.2", Ok(Fit::Whole)),
            ("1.3", Ok(Fit::Newer)),
            (
                "2.0",
                Err(
                    "it has catalogue 2.0, bot-cli-init 0.1.0 knows 1.2; install a newer bot-cli-init, or a version of it for 1.2",
                ),
            ),
            (
                "0.9",
                Err(
                    "it has catalogue 0.9, bot-cli-init 0.1.0 knows 1.2; install a newer version of it, for 1.2",
                ),
            ),
            (
                "1",
                Err(
                    "`catalogue` of its manifest can't be read: `1` is not MAJOR.MINOR; its author writes a version such as `1.0`",
                ),
            ),
            (
                "+1.0",
                Err(
                    "`catalogue` of its manifest can't be read: `+1.0` is not MAJOR.MINOR; its author writes a version such as `1.0`",
                ),
            ),
        ] {
            let manifest = Manifest {
                catalogue: Some(declared.to_owned()),
                ..pack()
            };
            let fit = user().fit(&manifest).map_err(|why| why.to_string());
            assert_eq!(fit, expected.map_err(str::to_owned), "{declared}");
        }
    }

    #[test]
    fn a_manifest_of_a_role_names_its_schema() {
        let manifest = Manifest {
            catalogue: None,
            ..pack()
        };
        assert_eq!(
            user().fit(&manifest).unwrap_err().to_string(),
            "its manifest has no `catalogue`; its author adds `\"catalogue\":\"1.2\"`"
        );
    }

    #[test]
    fn requirements_are_ranges() {
        for (executable, range, expected) in [
            ("bot-cli-init", ">=0.1", None),
            ("bot-cli-cloud", ">=7", None),
            ("bot-cli-init", "0.1", None),
            (
                "bot-cli-init",
                ">=0.2, <1",
                Some(
                    "it requires bot-cli-init >=0.2, <1, this is 0.1.0; install bot-cli-init >=0.2, <1, or a version of it for 0.1.0",
                ),
            ),
            (
                "bot-cli-init",
                "<0.1",
                Some(
                    "it requires bot-cli-init <0.1, this is 0.1.0; install a newer version of it, for bot-cli-init 0.1.0",
                ),
            ),
            (
                "bot-cli-init",
                "new",
                Some(
                    "`requires.bot-cli-init` of its manifest can't be read: `new`: unexpected character 'n' while parsing major version number; its author writes a range such as `>=1.2,<2`",
                ),
            ),
        ] {
            let mut manifest = pack();
            manifest
                .requires
                .insert(executable.to_owned(), range.to_owned());
            let problem = user().fit(&manifest).err().map(|why| why.to_string());
            assert_eq!(problem.as_deref(), expected, "{range}");
        }
    }

    #[test]
    fn a_pack_is_for_versions_of_the_framework() {
        for (range, expected) in [
            (">=1.14,<2", None),
            (
                ">=2",
                Some(
                    "it was made for pipecat-ai >=2, bot-cli-init 0.1.0 makes projects for 1.14.0; install a newer bot-cli-init, or a version of it for pipecat-ai 1.14.0",
                ),
            ),
            (
                "<1.14",
                Some(
                    "it was made for pipecat-ai <1.14, bot-cli-init 0.1.0 makes projects for 1.14.0; install a newer version of it, for pipecat-ai 1.14.0",
                ),
            ),
        ] {
            let manifest = Manifest {
                framework: Some(range.to_owned()),
                ..pack()
            };
            let problem = user().fit(&manifest).err().map(|why| why.to_string());
            assert_eq!(problem.as_deref(), expected, "{range}");
        }
    }
}

//! Checks version compatibility: a role's schema, the executables that a plugin requires, and a pack's framework.

use semver::{Version, VersionReq};

use crate::refused::Refused;
use bot_cli_protocol::{Manifest, Role, UseSpec, major_minor};
use bot_cli_terminal::short_line;

/// The framework package that generated projects use.
pub const FRAMEWORK: &str = "pipecat-ai";

const FITTING: &str = "install versions of both that fit each other";

/// A command that can use plugins with another role, such as provider packs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The name of the executable, such as `bot-cli-init`.
    pub executable: String,
    /// The version of the command.
    pub version: String,
    /// The schema and framework versions that the command supports.
    pub uses: UseSpec,
}

/// The usable part of a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// The whole plugin, because its schema is not newer than the command's.
    Whole,
    /// Only the part that the command supports, because the plugin's schema has a newer minor version.
    Newer,
}

impl User {
    /// Creates a user with this executable name, version and supported versions.
    pub fn new(executable: impl Into<String>, version: impl Into<String>, uses: UseSpec) -> Self {
        Self {
            executable: executable.into(),
            version: version.into(),
            uses,
        }
    }

    /// Returns the part of the plugin that this user can use. Fails if the versions are incompatible.
    pub fn fit(&self, manifest: &Manifest) -> Result<Fit, Refused> {
        let fit = match &manifest.role {
            Role::ProviderPack => self.schema("catalogue", manifest.catalogue.as_deref())?,
            Role::SecretsBackend => self.schema("secrets", manifest.secrets.as_deref())?,
            Role::Command | Role::Other(_) => Fit::Whole,
        };
        self.requirement(manifest)?;
        self.framework(manifest)?;
        Ok(fit)
    }

    /// Compares the schema versions. The major versions must be equal. A schema with a newer minor version is partly usable.
    fn schema(&self, schema: &str, declared: Option<&str>) -> Result<Fit, Refused> {
        let known = self.uses.schema.as_str();
        let Some(declared) = declared else {
            return Err(Refused::with_remedy(
                format!("its manifest has no `{schema}`"),
                format!("its author adds `\"{schema}\":\"{known}\"`"),
            ));
        };
        let read = |text: &str| {
            let reason = format!("`{}` is not MAJOR.MINOR", shown(text));
            major_minor(text).ok_or_else(|| unreadable(schema, &reason))
        };
        let (theirs, ours) = (read(declared)?, read(known)?);
        if theirs.0 == ours.0 {
            let is_newer = theirs.1 > ours.1;
            return Ok(if is_newer { Fit::Newer } else { Fit::Whole });
        }
        let (executable, version) = (&self.executable, &self.version);
        Err(Refused::with_remedy(
            format!("it has {schema} {declared}, {executable} {version} knows {known}"),
            FITTING,
        ))
    }

    fn requirement(&self, manifest: &Manifest) -> Result<(), Refused> {
        let (executable, version) = (&self.executable, &self.version);
        let Some(range) = manifest.requires.get(executable) else {
            return Ok(());
        };
        if is_within(&format!("requires.{executable}"), range, version)? {
            return Ok(());
        }
        let reason = format!("it requires {executable} {range}, this is {version}");
        Err(Refused::with_remedy(reason, FITTING))
    }

    /// Checks that the plugin supports the framework version of the projects that the user generates.
    fn framework(&self, manifest: &Manifest) -> Result<(), Refused> {
        let (Some(range), Some(version)) = (&manifest.framework, &self.uses.framework) else {
            return Ok(());
        };
        if is_within("framework", range, version)? {
            return Ok(());
        }
        let (user, own) = (&self.executable, &self.version);
        let reason = format!(
            "it was made for {FRAMEWORK} {range}, {user} {own} makes projects for {version}"
        );
        Err(Refused::with_remedy(reason, FITTING))
    }
}

fn unreadable(member: &str, reason: &str) -> Refused {
    Refused::with_remedy(
        format!("`{member}` of its manifest can't be read: {reason}"),
        "its author writes a version such as `1.0`, or a range such as `>=1.2,<2`",
    )
}

/// Parses a version range. Returns the reason if `text` is invalid.
pub fn range(text: &str) -> Result<VersionReq, String> {
    VersionReq::parse(text).map_err(|error| format!("`{}`: {error}", shown(text)))
}

fn is_within(member: &str, text: &str, version: &str) -> Result<bool, Refused> {
    let range = range(text).map_err(|reason| unreadable(member, &reason))?;
    let version = Version::parse(version)
        .map_err(|error| unreadable(member, &format!("`{}`: {error}", shown(version))))?;
    Ok(range.matches(&version))
}

fn shown(text: &str) -> String {
    short_line(text, 40)
}

#[cfg(test)]
mod tests {
    use super::User;
    use bot_cli_protocol::{Manifest, Role, UseSpec};

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

    const FITS: &str = "\
catalogue | 1.2 | Whole
catalogue | 1.3 | Newer
catalogue | 2.0 | it has catalogue 2.0, bot-cli-init 0.1.0 knows 1.2; install versions of both that fit each other
catalogue | 0.9 | it has catalogue 0.9, bot-cli-init 0.1.0 knows 1.2; install versions of both that fit each other
catalogue | +1.0 | `catalogue` of its manifest can't be read: `+1.0` is not MAJOR.MINOR; its author writes a version such as `1.0`, or a range such as `>=1.2,<2`
requires | >=0.1 | Whole
requires | >=0.2, <1 | it requires bot-cli-init >=0.2, <1, this is 0.1.0; install versions of both that fit each other
requires | <0.1 | it requires bot-cli-init <0.1, this is 0.1.0; install versions of both that fit each other
requires | new | `requires.bot-cli-init` of its manifest can't be read: `new`: unexpected character 'n' while parsing major version number; its author writes a version such as `1.0`, or a range such as `>=1.2,<2`
framework | >=1.14,<2 | Whole
framework | >=2 | it was made for pipecat-ai >=2, bot-cli-init 0.1.0 makes projects for 1.14.0; install versions of both that fit each other
framework | <1.14 | it was made for pipecat-ai <1.14, bot-cli-init 0.1.0 makes projects for 1.14.0; install versions of both that fit each other";

    #[test]
    fn versions_fit_or_it_is_said_what_mends_it() {
        for row in FITS.lines() {
            let mut cells = row.split(" | ");
            let [member, declared, expected] = [(); 3].map(|()| cells.next().unwrap());
            let mut manifest = pack();
            let text = declared.to_owned();
            match member {
                "catalogue" => manifest.catalogue = Some(text),
                "framework" => manifest.framework = Some(text),
                _ => drop(manifest.requires.insert("bot-cli-init".to_owned(), text)),
            }
            let fit = user().fit(&manifest);
            let fit = fit.map_or_else(|why| why.to_string(), |fit| format!("{fit:?}"));
            assert_eq!(fit, expected, "{declared}");
        }
        let mut manifest = pack();
        manifest.catalogue = None;
        assert_eq!(
            user().fit(&manifest).unwrap_err().to_string(),
            "its manifest has no `catalogue`; its author adds `\"catalogue\":\"1.2\"`"
        );
    }
}

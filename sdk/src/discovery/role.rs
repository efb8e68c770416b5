//! Plugins that other plugins use: their files by name, and whether they fit.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use semver::Version;

use super::inspect::{Plugin, Unusable};
use super::name::{PREFIX, PluginName};
use super::{Discovery, Refusal};
use crate::compat::{Fit, Incompatible, User};
use crate::failure::Failure;
use crate::pack::Problem;
use crate::platform::files;
use crate::protocol::{Manifest, Role};

/// Why a plugin of a role is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// The reason, in a line.
    pub reason: String,
    /// The remedy, in a line.
    pub remedy: Option<String>,
}

impl Refused {
    pub(super) fn new(reason: impl Into<String>, remedy: Option<String>) -> Self {
        let reason: String = reason.into();
        Self {
            reason: in_a_line(&reason),
            remedy: remedy.map(|remedy| in_a_line(&remedy)),
        }
    }

    pub(super) fn unusable(unusable: &Unusable, file: &Path) -> Self {
        Self::new(unusable.reason(), unusable.remedy(file))
    }

    pub(super) fn untrusted(refusal: &Refusal, file: &Path) -> Self {
        Self::new(refusal.reason(), refusal.remedy(file))
    }

    /// `mend` is for a failure that has no hint of its own.
    pub(super) fn failed(failure: &Failure, mend: &str) -> Self {
        let hint = failure.hints.first().map_or(mend, String::as_str);
        Self::new(failure.message.clone(), Some(hint.to_owned()))
    }
}

impl From<Incompatible> for Refused {
    fn from(why: Incompatible) -> Self {
        Self::new(why.reason(), Some(why.remedy()))
    }
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self::new(problem.reason(), Some(problem.rule.mend().to_owned()))
    }
}

/// The reason and the mend in one line.
impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)?;
        match &self.remedy {
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }
}

impl Discovery {
    /// The files `bot-cli-` and `prefix` and a name, by that name and then in the order of search.
    pub(super) fn named(&self, prefix: &str) -> BTreeMap<String, Vec<PathBuf>> {
        let beginning = format!("{PREFIX}{prefix}");
        let mut by_name: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        let mut seen = Vec::new();
        for folder in &self.folders {
            let Ok(entries) = fs::read_dir(folder) else {
                continue;
            };
            // The same folder under two names is one.
            let Ok(facts) = fs::metadata(folder) else {
                continue;
            };
            let id = files::id_of(folder, &facts);
            if seen.contains(&id) {
                continue;
            }
            seen.push(id);
            for entry in entries.flatten() {
                let file_name = entry.file_name();
                let name = file_name
                    .to_str()
                    .and_then(|file| self.endings.program(file))
                    .and_then(|name| name.strip_prefix(&beginning));
                // A name that is none is no plugin's either.
                let is_plugin = |name: &&str| {
                    is_name(name) || PluginName::parse(&format!("{prefix}{name}")).is_some()
                };
                if let Some(name) = name.filter(is_plugin) {
                    by_name
                        .entry(name.to_owned())
                        .or_default()
                        .push(entry.path());
                }
            }
        }
        by_name
    }
}

/// The name of a plugin of a role, or why it has none.
pub(super) fn full_name(name: &str, prefix: &str) -> Result<PluginName, Refused> {
    if !is_name(name) {
        let mend = "give it a name of lower-case words with single hyphens between them, such as `acme-speech`".to_owned();
        return Err(Refused::new(
            "its name is not made of lower-case words",
            Some(mend),
        ));
    }
    PluginName::parse(&format!("{prefix}{name}")).ok_or_else(|| {
        let reason = format!("its name is longer than 32 characters with `{prefix}`");
        Refused::new(reason, Some("give it a shorter name".to_owned()))
    })
}

/// Whether a role's plugins can have this name: words with hyphens between them, so that identifiers can begin with it.
#[must_use]
pub fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.split('-').all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
}

/// The manifest of a plugin of this role, as far as `user` can use it.
pub(super) fn judge(
    plugin: &Plugin,
    role: &Role,
    user: Option<&User>,
) -> Result<(Manifest, Fit), Refused> {
    let Some(manifest) = &plugin.manifest else {
        let mend = format!(
            "its author adds a manifest with `\"role\":\"{}\"`",
            role.name()
        );
        return Err(Refused::new("it declares no manifest", Some(mend)));
    };
    let fit = fits(manifest, role, user)?;
    Ok((manifest.clone(), fit))
}

/// Returns what `user` can use of a plugin of this role.
pub(super) fn fits(manifest: &Manifest, role: &Role, user: Option<&User>) -> Result<Fit, Refused> {
    if manifest.role != *role {
        let reason = format!(
            "its role is `{}`, not `{}`",
            manifest.role.name(),
            role.name()
        );
        let mend = "its author changes the role in its manifest, or the name of the file";
        return Err(Refused::new(reason, Some(mend.to_owned())));
    }
    // What it was made for comes first: a later version may have another form in everything else.
    let fit = user.map_or(Ok(Fit::Whole), |user| user.fit(manifest))?;
    if Version::parse(&manifest.version).is_err() {
        let reason = format!(
            "its version `{}` is not a semantic version",
            manifest.version
        );
        let mend = "its author writes a version such as `1.0.0`".to_owned();
        return Err(Refused::new(reason, Some(mend)));
    }
    Ok(fit)
}

/// A text of somebody else's on one line, whatever it holds.
pub(super) fn in_a_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let mut line: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| c.is_alphanumeric() || c.is_ascii_graphic() || *c == ' ' || *c == '…')
        .take(LONGEST)
        .collect();
    line.truncate(line.trim_end().len());
    line
}

//! Finds plugins that other plugins use, and checks their compatibility.

use semver::Version;

use super::inspect::Plugin;
use super::name::PluginName;
use crate::compat::{Fit, User};
pub use crate::refused::Refused;
use bot_cli_protocol::{Manifest, Role};

/// Returns the full name of a plugin with a role, or the reason why `name` is invalid. `prefix` is the role's prefix.
pub fn full_name(name: &str, prefix: &str) -> Result<PluginName, Refused> {
    if !is_name(name) {
        return Err(Refused::with_remedy(
            "its name is not made of lower-case words",
            "give it a name of lower-case words with single hyphens between them, such as `acme-speech`",
        ));
    }
    PluginName::parse(&format!("{prefix}{name}")).ok_or_else(|| {
        let reason = format!("its name is longer than 32 characters with `{prefix}`");
        Refused::with_remedy(reason, "give it a shorter name")
    })
}

/// Reports whether a plugin with a role can have this name. A valid name consists of words joined by hyphens, so that identifiers can start
/// with the name.
pub fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .split('-')
            .all(|word| !word.is_empty() && word.bytes().all(is_letter))
}

/// Returns how much of the plugin `user` supports. Fails if the plugin's role is not `role` or the plugin is incompatible.
pub fn judge(plugin: &Plugin, role: &Role, user: Option<&User>) -> Result<Fit, Refused> {
    let Some(manifest) = &plugin.manifest else {
        let mend = format!(
            "its author adds a manifest with `\"role\":\"{}\"`",
            role.name()
        );
        return Err(Refused::with_remedy("it declares no manifest", mend));
    };
    fits(manifest, role, user)
}

/// Returns the part of the plugin that `user` can use. Fails if the plugin has another role or is incompatible.
pub fn fits(manifest: &Manifest, role: &Role, user: Option<&User>) -> Result<Fit, Refused> {
    if manifest.role != *role {
        let (declared, wanted) = (manifest.role.name(), role.name());
        return Err(Refused::with_remedy(
            format!("its role is `{declared}`, not `{wanted}`"),
            "its author changes the role in its manifest, or the name of the file",
        ));
    }
    // Compatibility is checked first, because a later version may change the form of everything else.
    let fit = user.map_or(Ok(Fit::Whole), |user| user.fit(manifest))?;
    let version = &manifest.version;
    if Version::parse(version).is_err() {
        return Err(Refused::with_remedy(
            format!("its version `{version}` is not a semantic version"),
            "its author writes a version such as `1.0.0`",
        ));
    }
    Ok(fit)
}

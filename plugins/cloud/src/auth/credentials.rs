//! What signing in leaves behind: one file, 0600, written whole.

use std::fs;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use bot_cli_sdk::failure::{Exit, Failure, reason};
use bot_cli_sdk::secret::Secret;
use serde::{Deserialize, Serialize};

use crate::config::homeless;
use crate::environment::Environment;
use crate::files::{private_folder, too_open, write_private};

/// What a token is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// It speaks for a person, who may belong to several organizations.
    User,
    /// It belongs to one organization.
    ApiKey,
}

/// The token of a sign-in and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The service it is for; it is never sent to another.
    pub api_url: String,
    /// What the token is good for.
    pub kind: TokenKind,
    /// The token.
    pub token: Secret,
    /// The organization that was chosen.
    pub organization: Option<String>,
    /// What a new token can be had with.
    pub refresh: Option<Refresh>,
}

/// How a token that runs out is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refresh {
    /// What the issuer wants to see.
    pub token: Secret,
    /// When the present token runs out, in seconds since 1970.
    pub expires_at: u64,
}

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nobody has signed in.
    Nothing,
    /// Somebody has.
    Usable(Credentials),
    /// There is a file that can't be used; why.
    Broken(String),
}

impl Found {
    /// Whether there is a file at all.
    #[must_use]
    pub const fn is_any(&self) -> bool {
        !matches!(self, Self::Nothing)
    }
}

/// The file as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    api_url: String,
    kind: TokenKind,
    token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    organization: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<u64>,
}

/// Where credentials are kept.
pub fn path(environment: &Environment) -> Result<PathBuf, Failure> {
    let folder = environment.config_folder.as_deref().ok_or_else(homeless)?;
    Ok(folder.join("credentials.toml"))
}

/// Looks for credentials; whatever is wrong with them is no error yet.
#[must_use]
pub fn find(path: &Path) -> Found {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Found::Nothing,
        Err(error) => return Found::Broken(reason(&error)),
        Ok(_) => {}
    }
    match too_open(path) {
        Ok(None) => {}
        Ok(Some(mode)) => {
            return Found::Broken(format!("others can read or write it (mode {mode:o})"));
        }
        Err(error) => return Found::Broken(reason(&error)),
    }
    let text = match fs::read_to_string(path) {
        Ok(text) => Secret::new(text),
        Err(error) => return Found::Broken(reason(&error)),
    };
    // The parser's own words quote the text.
    match toml::from_str::<File>(text.expose()) {
        Ok(file) if !file.token.is_empty() => Found::Usable(Credentials {
            api_url: file.api_url,
            kind: file.kind,
            token: Secret::new(file.token),
            organization: file.organization,
            refresh: file
                .refresh_token
                .zip(file.expires_at)
                .map(|(token, expires_at)| Refresh {
                    token: Secret::new(token),
                    expires_at,
                }),
        }),
        Ok(_) | Err(_) => Found::Broken("it is not what signing in writes".to_owned()),
    }
}

/// Keeps credentials, in the place of earlier ones.
pub fn keep(path: &Path, credentials: &Credentials) -> Result<(), Failure> {
    let file = File {
        api_url: credentials.api_url.clone(),
        kind: credentials.kind,
        token: credentials.token.expose().to_owned(),
        organization: credentials.organization.clone(),
        refresh_token: credentials
            .refresh
            .as_ref()
            .map(|refresh| refresh.token.expose().to_owned()),
        expires_at: credentials
            .refresh
            .as_ref()
            .map(|refresh| refresh.expires_at),
    };
    let text = toml::to_string(&file).map(Secret::new);
    let written = match &text {
        Ok(text) => write_private(path, text.expose().as_bytes()).map_err(|error| reason(&error)),
        Err(_) => Err("it has no written form".to_owned()),
    };
    written.map_err(|reason| {
        Failure::new(
            Exit::Failed,
            "not_written",
            format!("could not write `{}`: {reason}", path.display()),
        )
    })
}

/// Lets one process at a time replace a token; it ends with what comes back.
pub fn lock(path: &Path) -> Result<fs::File, Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let opened = private_folder(folder).and_then(|()| {
        let path = path.with_extension("lock");
        let options = &mut fs::OpenOptions::new();
        let file = options
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(path)?;
        file.lock()?;
        Ok(file)
    });
    opened.map_err(|error| {
        let message = format!("could not lock `{}`: {}", path.display(), reason(&error));
        Failure::new(Exit::Failed, "not_written", message)
    })
}

/// Removes credentials; whether there were any.
pub fn forget(path: &Path) -> Result<bool, Failure> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Failure::new(
            Exit::Failed,
            "not_removed",
            format!("could not remove `{}`: {}", path.display(), reason(&error)),
        )),
    }
}

/// Credentials that are there and can't be used.
#[must_use]
pub fn broken(path: &Path, why: &str) -> Failure {
    let failure = Failure::new(
        Exit::NotAllowed,
        "broken_credentials",
        format!("can't use `{}`: {why}", path.display()),
    );
    let failure = if why.contains("(mode") {
        let shown = path.display().to_string();
        let quoted = shlex::try_quote(&shown).map_or(shown.clone(), Into::into);
        failure.hint(format!("chmod 600 {quoted}"))
    } else {
        failure
    };
    failure.hint("`bot-cli cloud auth login` writes it anew")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use bot_cli_sdk::secret::Secret;

    use super::{Credentials, Found, Refresh, TokenKind, find, forget, keep};

    #[test]
    fn credentials_are_kept_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.toml");
        assert_eq!(find(&path), Found::Nothing);
        let credentials = Credentials {
            api_url: "https://a.example".to_owned(),
            kind: TokenKind::User,
            token: Secret::new("t\"1".to_owned()),
            organization: Some("acme".to_owned()),
            refresh: Some(Refresh {
                token: Secret::new("r".to_owned()),
                expires_at: 5,
            }),
        };
        keep(&path, &credentials).unwrap();
        assert_eq!(find(&path), Found::Usable(credentials));
        assert!(forget(&path).unwrap() && !forget(&path).unwrap());
    }

    #[test]
    fn broken_and_open_files_are_told_from_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.toml");
        std::fs::write(&path, "token = s3cret").unwrap();
        let Found::Broken(why) = find(&path) else {
            panic!()
        };
        assert!(why.contains("(mode 644)"), "{why}");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let Found::Broken(why) = find(&path) else {
            panic!()
        };
        assert!(!why.contains("s3cret"), "{why}");
    }
}

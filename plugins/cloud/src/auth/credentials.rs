//! Sign-in credentials, stored as TOML in the keyring or in a file that only its owner can read.

use std::fs;
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use bot_cli_vault::files::lock::{LockError, PATIENCE, lock as take};
use bot_cli_vault::files::{self, private_folder};
use bot_cli_vault::keyring::KeyringError;
use bot_cli_vault::secret_file::{SecretFile, SecretFileError, Storage, exposed};
use serde::{Deserialize, Serialize};

use crate::domain::TokenKind;
use crate::environment::{Environment, homeless};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    /// The URL of the token's service. The token is never sent to any other service.
    pub api_url: String,
    pub kind: TokenKind,
    #[serde(serialize_with = "exposed")]
    pub token: Secret,
    #[serde(flatten)]
    pub refresh: Option<Refresh>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refresh {
    #[serde(rename = "refresh_token", serialize_with = "exposed")]
    pub token: Secret,
    /// The access token's expiry time, in seconds since the Unix epoch.
    pub expires_at: u64,
}

/// Parses a token, ignoring surrounding whitespace. Returns `None` if the token is empty or has invalid characters.
pub fn parse_token(text: &str) -> Option<Secret> {
    let token = text.trim();
    let is_token = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    is_token.then(|| Secret::new(token.to_owned()))
}

pub fn path(environment: &Environment) -> Result<PathBuf, Failure> {
    let folder = environment.config_folder.as_deref().ok_or_else(homeless)?;
    Ok(folder.join("credentials.toml"))
}

pub fn place<'a>(
    session: &'a Session,
    environment: &Environment,
) -> Result<SecretFile<'a>, Failure> {
    Ok(SecretFile::new(path(environment)?, session))
}

/// Returns the stored credentials, or `None` if there are none.
pub fn find(place: &SecretFile<'_>) -> Result<Option<Credentials>, SecretFileError> {
    let Some(text) = place.read()? else {
        return Ok(None);
    };
    // The parser's message would quote the text.
    let found = toml::from_str::<Credentials>(text.expose()).ok();
    let found = found.filter(|found| !found.token.expose().is_empty());
    let unlike = || SecretFileError::File("it is not what signing in writes".into());
    found.map(Some).ok_or_else(unlike)
}

/// Replaces the stored credentials and returns the storage used. Falls back to the file if the keyring is unavailable.
pub fn keep(
    place: &SecretFile<'_>,
    credentials: &Credentials,
    wanted: Storage,
) -> Result<Storage, Failure> {
    // The serializer's message may quote the text.
    let text = toml::to_string(credentials)
        .map(Secret::new)
        .map_err(|_| SecretFileError::File("it has no written form".into()));
    let kept = text.and_then(|text| place.write(&text, wanted));
    kept.map_err(|error| not_kept(place.path(), error))
}

fn not_kept(path: &Path, error: SecretFileError) -> Failure {
    match error {
        SecretFileError::Keyring(KeyringError::Cancelled) => Failure::cancelled(),
        SecretFileError::NotSynced(reason) => files::not_synced(path, reason),
        SecretFileError::TooOpen { .. }
        | SecretFileError::Foreign { .. }
        | SecretFileError::Keyring(_) => files::not_written(path, error.to_string().into()),
        SecretFileError::File(reason) => files::not_written(path, reason),
    }
}

/// Locks the credentials, waiting for other processes. Dropping the returned file releases the lock.
pub fn lock(path: &Path, session: &Session) -> Result<fs::File, Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let waiting = "waiting for another bot-cli, which is changing the sign-in";
    let locked = private_folder(folder)
        .map_err(LockError::File)
        .and_then(|()| take(&path.with_extension("lock"), PATIENCE, waiting, session));
    locked.map_err(|error| {
        let could_not = format!("could not lock `{}`", path.display());
        match error {
            LockError::Cancelled => Failure::cancelled(),
            LockError::Busy(_) => {
                Failure::because(Exit::Unavailable, "credentials_busy", could_not, error)
                    .hint("try again when it is done")
            }
            LockError::File(error) => {
                Failure::because(Exit::Failed, "not_written", could_not, error)
            }
        }
    })
}

/// Removes the credentials. Returns `false` if there were none.
pub fn forget(place: &SecretFile<'_>) -> Result<bool, Failure> {
    place.remove().map_err(|error| {
        let path = place.path().display();
        if let SecretFileError::Keyring(error) = error {
            let instead = format!("or remove `{path}` and leave the entry");
            return Failure::from(&error).hint(instead);
        }
        let could_not = format!("could not remove `{path}`");
        Failure::because(Exit::Failed, "not_removed", could_not, error)
    })
}

pub fn broken(path: &Path, why: &SecretFileError) -> Failure {
    let unusable = || {
        let can_not = format!("can't use `{}`", path.display());
        Failure::because(Exit::NotAllowed, "broken_credentials", can_not, why.clone())
    };
    let failure = match why {
        SecretFileError::TooOpen { .. } => unusable().hint(files::close(path)),
        SecretFileError::Foreign { .. }
        | SecretFileError::NotSynced(_)
        | SecretFileError::File(_)
        | SecretFileError::Keyring(KeyringError::NoEntry(_)) => unusable(),
        SecretFileError::Keyring(error) => Failure::from(error),
    };
    failure.hint("`bot-cli cloud auth login` replaces it")
}

#[cfg(test)]
mod tests {
    use super::parse_token;

    #[test]
    fn what_no_token_has_is_no_token() {
        for text in ["", " \n", "a b", "a\nb", "a\u{1b}", "tök", "a\u{200b}"] {
            assert_eq!(parse_token(text), None, "{text:?}");
        }
        let token = parse_token(" sk_1.-~+/=\r\n").unwrap();
        assert_eq!(token.expose(), "sk_1.-~+/=");
    }
}

//! The stored sign-in: credentials as TOML in the keyring or in a file that only its owner can read, renewed before they expire.

use std::fs;
use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use bot_cli_vault::files::lock::{LockError, PATIENCE, lock};
use bot_cli_vault::files::{self, private_folder};
use bot_cli_vault::keyring::KeyringError;
use bot_cli_vault::secret_file::{SecretFile, SecretFileError, Storage};

use super::credentials::Credentials;
use super::issuer::{self, Issuer};
use crate::backend::hosted::{SIGN_IN, ServiceError};
use crate::environment::{Environment, homeless};
use crate::scope::Scope;

/// The remaining lifetime, in seconds, below which a token is renewed.
const MARGIN: u64 = 60;

/// The place of the stored sign-in, whether or not the user is signed in.
pub struct SignIn<'a> {
    pub file: SecretFile<'a>,
    session: &'a Session,
}

impl<'a> SignIn<'a> {
    pub fn new(session: &'a Session, environment: &Environment) -> Result<Self, Failure> {
        let folder = environment.config_folder.as_deref().ok_or_else(homeless)?;
        let file = SecretFile::new(folder.join("credentials.toml"), session);
        Ok(Self { file, session })
    }

    /// Returns the stored sign-in, renewed if it is about to expire. Fails if the sign-in is for another service.
    pub fn usable(&self, scope: &Scope) -> Result<Credentials, Failure> {
        let kept = self.of_service(scope)?;
        if !expires_within(&kept, MARGIN) {
            return Ok(kept);
        }
        self.renewed(scope, &kept.token).or_else(|failure| {
            if is_stop(&failure) || expires_within(&kept, 0) {
                return Err(failure);
            }
            self.session
                .info(&format!("your sign-in is not renewed: {}", failure.message));
            Ok(kept)
        })
    }

    /// Renews a sign-in. A refresh token works only once, so one process renews the sign-in and the others read the result.
    pub fn renewed(&self, scope: &Scope, stale: &Secret) -> Result<Credentials, Failure> {
        let _lock = self.lock()?;
        let kept = self.of_service(scope)?;
        if kept.token != *stale && !expires_within(&kept, MARGIN) {
            return Ok(kept);
        }
        let has_expired = || not_signed_in("your sign-in has run out");
        let refresh = kept.refresh.as_ref().ok_or_else(has_expired)?;
        self.session.progress("Renewing the sign-in", None, None);
        let renewed = Issuer::renewed(&scope.api_url.value, scope.pace, self.session, refresh);
        let renewed = renewed.map_err(|error| {
            if matches!(error, ServiceError::NotSignedIn(_)) {
                return has_expired();
            }
            let failure = error.explain();
            if is_stop(&failure) {
                return failure;
            }
            let message = format!("could not renew your sign-in: {}", failure.message);
            failure.message(message).hint("your sign-in is kept")
        })?;
        if let Err(failure) = self.keep(&renewed, scope.keyring.value) {
            self.session.warn(&format!(
                "your sign-in is renewed, but may not be kept: {}; you are signed in for this run, and may have to sign in again afterwards (`{SIGN_IN}`)",
                failure.message
            ));
        }
        Ok(renewed)
    }

    fn of_service(&self, scope: &Scope) -> Result<Credentials, Failure> {
        let found = self.find().map_err(|why| self.broken(&why))?;
        let credentials = found.ok_or_else(|| not_signed_in("you are not signed in"))?;
        let (theirs, ours) = (&credentials.api_url, scope.shown_url());
        if *theirs == ours {
            return Ok(credentials);
        }
        let message = format!("you are signed in to {theirs}, not to {ours}");
        Err(not_signed_in(&message))
    }

    /// Returns the stored credentials, or `None` if there are none.
    pub fn find(&self) -> Result<Option<Credentials>, SecretFileError> {
        let Some(text) = self.file.read()? else {
            return Ok(None);
        };
        // The parser's message would quote the text.
        let found = toml::from_str::<Credentials>(text.expose()).ok();
        let found = found.filter(|found| !found.token.expose().is_empty());
        let unlike = || SecretFileError::File("it is not what signing in writes".into());
        found.map(Some).ok_or_else(unlike)
    }

    /// Replaces the stored credentials and returns the storage used. Falls back to the file if the keyring is unavailable.
    pub fn keep(&self, credentials: &Credentials, wanted: Storage) -> Result<Storage, Failure> {
        // The serializer's message may quote the text.
        let text = toml::to_string(credentials)
            .map(Secret::new)
            .map_err(|_| SecretFileError::File("it has no written form".into()));
        let kept = text.and_then(|text| self.file.write(&text, wanted));
        let path = self.file.path();
        kept.map_err(|error| match error {
            SecretFileError::Keyring(KeyringError::Cancelled) => Failure::cancelled(),
            SecretFileError::NotSynced(reason) => files::not_synced(path, reason),
            SecretFileError::TooOpen { .. }
            | SecretFileError::Foreign { .. }
            | SecretFileError::Keyring(_) => files::not_written(path, error.to_string().into()),
            SecretFileError::File(reason) => files::not_written(path, reason),
        })
    }

    /// Locks the credentials, waiting for other processes. Dropping the returned file releases the lock.
    pub fn lock(&self) -> Result<fs::File, Failure> {
        let path = self.file.path();
        let folder = path.parent().unwrap_or(Path::new("."));
        let waiting = "waiting for another bot-cli, which is changing the sign-in";
        let locked = private_folder(folder)
            .map_err(LockError::File)
            .and_then(|()| {
                lock(
                    &path.with_extension("lock"),
                    PATIENCE,
                    waiting,
                    self.session,
                )
            });
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
    pub fn forget(&self) -> Result<bool, Failure> {
        self.file.remove().map_err(|error| {
            let path = self.file.path().display();
            if let SecretFileError::Keyring(error) = error {
                let instead = format!("or remove `{path}` and leave the entry");
                return Failure::from(&error).hint(instead);
            }
            let could_not = format!("could not remove `{path}`");
            Failure::because(Exit::Failed, "not_removed", could_not, error)
        })
    }

    fn broken(&self, why: &SecretFileError) -> Failure {
        let path = self.file.path();
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
}

/// Reports whether a sign-in is stored.
pub fn is_stored(environment: &Environment) -> bool {
    let session = Session::silent();
    SignIn::new(&session, environment).is_ok_and(|it| it.file.exists())
}

fn expires_within(credentials: &Credentials, seconds: u64) -> bool {
    let refresh = credentials.refresh.as_ref();
    refresh.is_some_and(|refresh| refresh.expires_at <= issuer::now() + seconds)
}

/// Reports whether the failure was caused by an interruption.
fn is_stop(failure: &Failure) -> bool {
    matches!(failure.exit, Exit::Cancelled | Exit::Terminated)
}

fn not_signed_in(message: &str) -> Failure {
    Failure::new(Exit::NotAllowed, "not_signed_in", message)
        .hint(SIGN_IN)
        .hint("or set BOT_CLI_TOKEN to a personal access token or a private API key")
}

//! Secrets backends: plugins of the role `secrets-backend`, which store secrets for `bot-cli cloud secrets`.
//! `BACKENDS.md` is the normative specification.
//!
//! To write a backend, implement [`Backend`], declare it with [`manifest!`](crate::manifest!), and call [`main`].

mod by_hand;
#[cfg(feature = "client")]
pub mod client;
mod error;
pub mod messages;
mod serve;

use std::collections::BTreeMap;
use std::process::ExitCode;

use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::{self, Declared};
use bot_cli_sdk::session::Session;
#[doc(hidden)]
pub use by_hand::ByHand;
pub use error::{ChangeError, Error};
pub use messages::{Code, Effect, Parts};
use messages::{
    CredentialsResult, DeleteParams, OpenParams, OpenResult, Organization,
    PutImagePullSecretParams, PutParams, SetDetails, SetSummary, UnsetParams,
};

#[doc(hidden)]
pub use bot_cli_sdk;

/// Declares a [`Backend`] to its clients: `manifest!(Acme, "../manifest.json")`. The file works as in [`bot_cli_sdk::manifest!`]. It
/// must contain the name `secrets-NAME`, the settings and all other fields of the manifest.
#[macro_export]
macro_rules! manifest {
    ($backend:ty, $file:literal) => {
        $crate::bot_cli_sdk::manifest!(of $backend, $crate::ByHand<$backend>, $file);
    };
}

/// The conformance checks of `BACKENDS.md`, as pairs of a name and a TOML file. A check lists the messages to send to a plugin and the
/// expected replies.
pub const CHECKS: [(&str, &str); 2] = [
    ("manifest", include_str!("../checks/manifest.toml")),
    ("methods", include_str!("../checks/methods.toml")),
];

/// The names that backend plugins cannot have, because the client has built-in backends of these names.
pub const TAKEN_NAMES: [&str; 2] = ["hosted", "local"];

/// The words that indicate a credential.
const CREDENTIALS: [&str; 6] = [
    "password",
    "passphrase",
    "token",
    "secret",
    "api_key",
    "credential",
];

/// Returns the word that makes a setting's name look like a credential's. Settings must not contain credentials.
pub fn names_a_credential(setting: &str) -> Option<&'static str> {
    let name = setting.replace('-', "_");
    CREDENTIALS.into_iter().find(|word| name.contains(word))
}

/// A backend that stores secrets in one place. It is open while one command runs.
///
/// Implementations must not log values or put them into errors. They may ask questions only in [`open`](Self::open) and in methods
/// that neither receive nor return values. The client rejects questions from other methods.
pub trait Backend: Declared + Sized {
    /// Opens the location that `scope` selects and returns its description. Must not change anything.
    fn open(scope: OpenParams, session: &mut Session) -> Result<(Self, OpenResult), Error>;

    /// Returns the sets of one region or of all regions.
    fn list(
        &mut self,
        region: Option<&str>,
        session: &mut Session,
    ) -> Result<Vec<SetSummary>, Error>;

    /// Returns a set, or `None` if it does not exist.
    fn get(&mut self, name: &str, session: &mut Session) -> Result<Option<SetDetails>, Error>;

    /// Creates a set or adds entries to it. Other keys remain. `put.prior` is the state that the caller last read. If the set has
    /// changed since, the change fails with [`Code::Conflict`] and is not done.
    fn put(&mut self, put: PutParams, session: &mut Session) -> Result<(), ChangeError>;

    /// Removes keys from a set and returns those that did not exist. `unset.prior` works as in [`put`](Self::put).
    fn unset(
        &mut self,
        unset: UnsetParams,
        session: &mut Session,
    ) -> Result<Vec<String>, ChangeError>;

    /// Removes a set of either kind. Returns `false` if it does not exist. `delete.prior` works as in [`put`](Self::put).
    fn delete(&mut self, delete: DeleteParams, session: &mut Session) -> Result<bool, ChangeError>;

    /// Returns the values of a set, or `None` if there is no secret set of this name. Requires
    /// [`Ability::Values`](crate::messages::Ability::Values).
    fn values(
        &mut self,
        _name: &str,
        _session: &mut Session,
    ) -> Result<Option<BTreeMap<String, Secret>>, Error> {
        Err(Error::not_supported())
    }

    /// Returns the registry and the credentials of an image pull secret. Fails with [`Code::NotFound`] if it does not exist. Requires
    /// [`Ability::Values`](crate::messages::Ability::Values) and
    /// [`Ability::ImagePullSecrets`](crate::messages::Ability::ImagePullSecrets).
    fn credentials(
        &mut self,
        _name: &str,
        _session: &mut Session,
    ) -> Result<CredentialsResult, Error> {
        Err(Error::not_supported())
    }

    /// Creates an image pull secret or replaces its credentials. Requires
    /// [`Ability::ImagePullSecrets`](crate::messages::Ability::ImagePullSecrets).
    fn put_image_pull_secret(
        &mut self,
        _put: PutImagePullSecretParams,
        _session: &mut Session,
    ) -> Result<(), ChangeError> {
        Err(Error::not_supported().not_done())
    }

    /// Returns the organizations available to the user. Requires
    /// [`Ability::Organizations`](crate::messages::Ability::Organizations).
    fn organizations(&mut self, _session: &mut Session) -> Result<Vec<Organization>, Error> {
        Err(Error::not_supported())
    }
}

/// Runs a backend and returns its exit status. Call this from `main`.
/// The backend serves the protocol; if a user starts it, it prints a description.
///
/// Disables core dumps. To start another program, use [`core_dump::as_found`](bot_cli_terminal::core_dump::as_found).
pub fn main<B: Backend>() -> ExitCode {
    let mut open: Option<B> = None;
    plugin::main_with::<ByHand<B>>(&mut |method, params, session| {
        serve::respond(&mut open, method, params, session)
    })
}

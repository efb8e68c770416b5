//! Support for secrets backends, which are plugins with the role `secrets-backend`. They store secrets for `bot-cli cloud secrets`.
//! `BACKENDS.md` is the normative specification.
//!
//! To write a backend, implement [`Backend`], embed the manifest with [`manifest!`](crate::manifest!), and call [`main`].

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

/// Embeds the manifest of a [`Backend`], for example: `manifest!(Acme, "../manifest.json")`.
///
/// The file is used as in [`bot_cli_sdk::manifest!`], but must contain the complete manifest, including the name `secrets-NAME` and the
/// settings.
#[macro_export]
macro_rules! manifest {
    ($backend:ty, $file:literal) => {
        $crate::bot_cli_sdk::manifest!(of $backend, $crate::ByHand<$backend>, $file);
    };
}

/// The conformance checks for `BACKENDS.md`, as pairs of a name and the contents of a TOML file. Each check lists its steps, such as the
/// messages to send to a plugin, and the expected results.
pub const CHECKS: [(&str, &str); 2] = [
    ("manifest", include_str!("../checks/manifest.toml")),
    ("methods", include_str!("../checks/methods.toml")),
];

/// The names of the client's built-in backends, which backend plugins cannot use.
pub const TAKEN_NAMES: [&str; 2] = ["hosted", "local"];

/// Words that indicate a credential in the name of a setting.
const CREDENTIALS: [&str; 6] = [
    "password",
    "passphrase",
    "token",
    "secret",
    "api_key",
    "credential",
];

/// Returns the word in a setting's name that suggests a credential, if any. Settings must not contain credentials.
pub fn names_a_credential(setting: &str) -> Option<&'static str> {
    let name = setting.replace('-', "_");
    CREDENTIALS.into_iter().find(|word| name.contains(word))
}

/// A backend that stores secrets in one location and stays open while one command runs.
///
/// Implementations must not log values or include them in errors. They may ask questions only in [`open`](Self::open) and in methods that
/// neither receive nor return values. After the first request with values, the client rejects all questions.
pub trait Backend: Declared + Sized {
    /// Opens the location selected by `scope` and returns the backend with a description of that location. Must not change anything.
    fn open(scope: OpenParams, session: &Session) -> Result<(Self, OpenResult), Error>;

    /// Returns the sets in one region, or in all regions if `region` is `None`.
    fn list(&mut self, region: Option<&str>, session: &Session) -> Result<Vec<SetSummary>, Error>;

    /// Returns the set `name`, or `None` if there is no such set.
    fn get(&mut self, name: &str, session: &Session) -> Result<Option<SetDetails>, Error>;

    /// Creates a set or adds entries to an existing one, without removing other keys. `put.prior` is the state of the set when the caller
    /// last read it. If the set has changed since, the call fails with [`Code::Conflict`] and changes nothing.
    fn put(&mut self, put: PutParams, session: &Session) -> Result<(), ChangeError>;

    /// Removes keys from a set and returns the keys that did not exist. `unset.prior` works as in [`put`](Self::put).
    fn unset(&mut self, unset: UnsetParams, session: &Session) -> Result<Vec<String>, ChangeError>;

    /// Deletes a set of either kind. Returns `false` if there is no such set. `delete.prior` works as in [`put`](Self::put).
    fn delete(&mut self, delete: DeleteParams, session: &Session) -> Result<bool, ChangeError>;

    /// Returns the values in a set, or `None` if there is no secret set with this name. Requires
    /// [`Ability::Values`](crate::messages::Ability::Values).
    fn values(
        &mut self,
        _name: &str,
        _session: &Session,
    ) -> Result<Option<BTreeMap<String, Secret>>, Error> {
        Err(Error::not_supported())
    }

    /// Returns the registry and the credentials of an image pull secret. Fails with [`Code::NotFound`] if there is no such secret. Requires
    /// [`Ability::Values`](crate::messages::Ability::Values) and [`Ability::ImagePullSecrets`](crate::messages::Ability::ImagePullSecrets).
    fn credentials(&mut self, _name: &str, _session: &Session) -> Result<CredentialsResult, Error> {
        Err(Error::not_supported())
    }

    /// Creates an image pull secret or replaces its credentials. Requires
    /// [`Ability::ImagePullSecrets`](crate::messages::Ability::ImagePullSecrets).
    fn put_image_pull_secret(
        &mut self,
        _put: PutImagePullSecretParams,
        _session: &Session,
    ) -> Result<(), ChangeError> {
        Err(Error::not_supported().not_done())
    }

    /// Returns the organizations available to the user. Requires
    /// [`Ability::Organizations`](crate::messages::Ability::Organizations).
    fn organizations(&mut self, _session: &Session) -> Result<Vec<Organization>, Error> {
        Err(Error::not_supported())
    }
}

/// Runs a backend and returns its exit status. Call this function from `main`.
///
/// The backend serves the protocol. If a user starts it directly, it prints a description instead.
///
/// This function disables core dumps, because they would contain secrets.
pub fn main<B: Backend>() -> ExitCode {
    let mut open: Option<B> = None;
    plugin::main_with::<ByHand<B>>(&mut |method, params, session| {
        serve::respond(&mut open, method, params, session)
    })
}

//! Support for secrets backends, which are plugins with the role `secrets-backend`. They store secrets for `bot-cli cloud secrets`.
//! `BACKENDS.md` is the normative specification.
//!
//! To write a backend, implement [`Store`] and [`Backend`], embed the manifest with [`manifest!`](crate::manifest!), and call [`main`].

mod by_hand;
#[cfg(feature = "client")]
pub mod client;
mod domain;
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
pub use domain::{Entry, Key, Organization, Region, SetName};
pub use error::{ChangeError, Error};
pub use messages::{Code, Effect, Parts};
use messages::{
    CredentialsResult, DeleteParams, OpenParams, OpenResult, OrganizationInfo,
    PutImagePullSecretParams, PutParams, RegionInfo, SetInfo, UnsetParams,
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

/// An open store of secrets: a backend, the hosting service or a vault.
///
/// Implementations must not log values or include them in errors. They may ask questions only in [`open`](Backend::open) and in methods
/// that neither receive nor return values. After the first request with values, the client rejects all questions.
pub trait Store {
    /// Returns the description of the location. `secrets/open` returns it, too.
    fn opened(&self) -> &OpenResult;

    /// Returns the regions. Only a store that has to ask for them has its own implementation.
    fn regions(&self, _session: &Session) -> Result<Vec<RegionInfo>, Error> {
        let regions = self.opened().regions.clone();
        Ok(regions.unwrap_or_default().all)
    }

    /// Returns the code of the default region. Only a store that has to ask for it has its own implementation.
    fn default_region(&self, _session: &Session) -> Result<Option<String>, Error> {
        let regions = self.opened().regions.clone();
        Ok(regions.unwrap_or_default().default)
    }

    /// Registers values to redact in all that a service replies, including values that have not been sent yet.
    fn conceal(&self, _values: &[Secret]) {}

    /// Returns the sets in one region, or in all regions if `region` is `None`.
    fn list(&self, region: Option<&Region>, session: &Session) -> Result<Vec<SetInfo>, Error>;

    /// Returns the set `name`, or `None` if there is no such set.
    fn get(&self, name: &SetName, session: &Session) -> Result<Option<SetInfo>, Error>;

    /// Creates a set or adds entries to an existing one, without removing other keys. `put.prior` is the state of the set when the caller
    /// last read it. If the set has changed since, the call fails with [`Code::Conflict`] and changes nothing.
    fn put(&self, put: &PutParams, session: &Session) -> Result<(), ChangeError>;

    /// Removes keys from a set and returns the keys that did not exist. `unset.prior` works as in [`put`](Self::put).
    fn unset(&self, unset: &UnsetParams, session: &Session) -> Result<Vec<Key>, ChangeError>;

    /// Deletes a set of either kind. Returns `false` if there is no such set. `delete.prior` works as in [`put`](Self::put).
    fn delete(&self, delete: &DeleteParams, session: &Session) -> Result<bool, ChangeError>;

    /// Returns the values in a set, or `None` if there is no secret set with this name. Requires
    /// [`Ability::Values`](crate::messages::Ability::Values).
    fn values(
        &self,
        _name: &SetName,
        _session: &Session,
    ) -> Result<Option<BTreeMap<String, Secret>>, Error> {
        Err(Error::not_supported())
    }

    /// Returns the registry and the credentials of an image pull secret. Fails with [`Code::NotFound`] if there is no such secret. Requires
    /// [`Ability::Values`](crate::messages::Ability::Values) and [`Ability::ImagePullSecrets`](crate::messages::Ability::ImagePullSecrets).
    fn credentials(&self, _name: &SetName, _session: &Session) -> Result<CredentialsResult, Error> {
        Err(Error::not_supported())
    }

    /// Creates an image pull secret or replaces its credentials. Requires
    /// [`Ability::ImagePullSecrets`](crate::messages::Ability::ImagePullSecrets).
    fn put_image_pull_secret(
        &self,
        _put: &PutImagePullSecretParams,
        _session: &Session,
    ) -> Result<(), ChangeError> {
        Err(Error::not_supported().not_done())
    }

    /// Returns the organizations available to the user. Requires
    /// [`Ability::Organizations`](crate::messages::Ability::Organizations).
    fn organizations(&self, _session: &Session) -> Result<Vec<OrganizationInfo>, Error> {
        Err(Error::not_supported())
    }
}

/// A backend, which opens a store.
pub trait Backend: Declared {
    /// The store, which stays open while one command runs.
    type Store: Store;

    /// Opens the location selected by `scope`. Must not change anything.
    fn open(scope: OpenParams, session: &Session) -> Result<Self::Store, Error>;
}

/// Runs a backend and returns its exit status. Call this function from `main`.
///
/// The backend serves the protocol. If a user starts it directly, it prints a description instead.
///
/// This function disables core dumps, because they would contain secrets.
pub fn main<B: Backend>() -> ExitCode {
    let mut open: Option<B::Store> = None;
    plugin::main_with::<ByHand<B>>(&mut |method, params, session| {
        serve::respond::<B>(&mut open, method, params, session)
    })
}

//! Secrets backends: plugins of the role `secrets-backend`, which keep the secrets of `bot-cli cloud secrets` somewhere else.
//! `BACKENDS.md` beside this crate is the normative text.
//!
//! For authors: a type that implements [`Backend`], [`manifest!`](crate::manifest!), and [`main`] as the whole `main`.

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

/// Declares a [`Backend`] to those who use it: `manifest!(Acme, "../manifest.json")`, with the rules of
/// [`bot_cli_sdk::manifest!`]. The file has the name `secrets-NAME`, the settings and everything else that a manifest may have.
#[macro_export]
macro_rules! manifest {
    ($backend:ty, $file:literal) => {
        $crate::bot_cli_sdk::manifest!(of $backend, $crate::ByHand<$backend>, $file);
    };
}

/// The checks of `BACKENDS.md`, in files by their name: what a plugin is sent, and what it must reply.
pub const CHECKS: [(&str, &str); 2] = [
    ("manifest", include_str!("../checks/manifest.toml")),
    ("methods", include_str!("../checks/methods.toml")),
];

/// Names that no backend can have: the client has such backends itself.
pub const TAKEN_NAMES: [&str; 2] = ["hosted", "local"];

/// The words that mark the name of a credential.
const CREDENTIALS: [&str; 6] = [
    "password",
    "passphrase",
    "token",
    "secret",
    "api_key",
    "credential",
];

/// The word by which the name of a setting looks like that of a credential, which a setting can't be.
pub fn names_a_credential(setting: &str) -> Option<&'static str> {
    let name = setting.replace('-', "_");
    CREDENTIALS.into_iter().find(|word| name.contains(word))
}

/// Keeps secrets in one place, for as long as one command works.
///
/// It never logs a value and never puts one into an error. It asks questions only in [`open`](Self::open) and in methods
/// that neither take nor return values: the client answers none in the others.
pub trait Backend: Declared + Sized {
    /// Opens the place that `scope` names, and says what is there. It changes nothing.
    fn open(scope: OpenParams, session: &mut Session) -> Result<(Self, OpenResult), Error>;

    /// Returns every set, of one region or of all.
    fn list(
        &mut self,
        region: Option<&str>,
        session: &mut Session,
    ) -> Result<Vec<SetSummary>, Error>;

    /// Returns one set; `None` when no set has that name.
    fn get(&mut self, name: &str, session: &mut Session) -> Result<Option<SetDetails>, Error>;

    /// Creates a set or adds to it; other keys stay. `put.prior` is what the caller saw: where that is not so any more, the
    /// change is a [`Code::Conflict`] and not done.
    fn put(&mut self, put: PutParams, session: &mut Session) -> Result<(), ChangeError>;

    /// Removes keys from a set. Returns those that were not there. `unset.prior` is what the caller saw, as in [`put`](Self::put).
    fn unset(
        &mut self,
        unset: UnsetParams,
        session: &mut Session,
    ) -> Result<Vec<String>, ChangeError>;

    /// Removes a set of either kind; `false` when there is none. `delete.prior` is what the caller saw, as in [`put`](Self::put).
    fn delete(&mut self, delete: DeleteParams, session: &mut Session) -> Result<bool, ChangeError>;

    /// Returns the values of a set; `None` when no secret set has that name. For
    /// [`Ability::Values`](crate::messages::Ability::Values).
    fn values(
        &mut self,
        _name: &str,
        _session: &mut Session,
    ) -> Result<Option<BTreeMap<String, Secret>>, Error> {
        Err(Error::not_supported())
    }

    /// Returns the registry and the credentials of an image pull secret; [`Code::NotFound`] when there is none. For
    /// [`Ability::Values`](crate::messages::Ability::Values) together with
    /// [`Ability::ImagePullSecrets`](crate::messages::Ability::ImagePullSecrets).
    fn credentials(
        &mut self,
        _name: &str,
        _session: &mut Session,
    ) -> Result<CredentialsResult, Error> {
        Err(Error::not_supported())
    }

    /// Creates an image pull secret or replaces its credentials. For
    /// [`Ability::ImagePullSecrets`](crate::messages::Ability::ImagePullSecrets).
    fn put_image_pull_secret(
        &mut self,
        _put: PutImagePullSecretParams,
        _session: &mut Session,
    ) -> Result<(), ChangeError> {
        Err(Error::not_supported().not_done())
    }

    /// Returns the organizations that the user may work in. For
    /// [`Ability::Organizations`](crate::messages::Ability::Organizations).
    fn organizations(&mut self, _session: &mut Session) -> Result<Vec<Organization>, Error> {
        Err(Error::not_supported())
    }
}

/// The whole `main` of a backend: it serves the protocol, and tells a person who starts it what it is.
///
/// No core dump is written of it. A backend that starts another program does so in [`core_dump::as_found`](bot_cli_terminal::core_dump::as_found).
pub fn main<B: Backend>() -> ExitCode {
    let mut open: Option<B> = None;
    plugin::main_with::<ByHand<B>>(&mut |method, params, session| {
        serve::respond(&mut open, method, params, session)
    })
}

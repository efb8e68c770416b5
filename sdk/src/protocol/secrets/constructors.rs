//! Constructors: none of these types can be written as a literal outside of this crate.

use std::collections::BTreeMap;

use super::{
    Call, CredentialsResult, NameRules, OpenParams, Organization, Prior, PutImagePullSecretParams,
    PutParams, Region, Regions, UnsetParams, VERSION,
};
use crate::protocol::{RunContext, WireCapabilities};
use crate::secret::Secret;

impl CredentialsResult {
    /// The credentials of a registry.
    #[must_use]
    pub const fn new(host: String, credentials: Secret) -> Self {
        Self { host, credentials }
    }
}

impl OpenParams {
    /// Opens a place in this library's version, with everything by the backend's own choice.
    #[must_use]
    pub fn new() -> Self {
        Self {
            secrets: VERSION.to_owned(),
            ..Self::default()
        }
    }
}

impl PutParams {
    /// Puts `entries` into the set `name`, which was `prior`; `region` is for a new one.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        region: Option<String>,
        entries: BTreeMap<String, Secret>,
        prior: Prior,
    ) -> Self {
        Self {
            name: name.into(),
            region,
            entries,
            prior,
        }
    }
}

impl PutImagePullSecretParams {
    /// Puts `credentials` for `host` into the image pull secret `name`, which was `prior`; `region` is for a new one.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        region: Option<String>,
        host: impl Into<String>,
        credentials: Secret,
        prior: Prior,
    ) -> Self {
        Self {
            name: name.into(),
            region,
            host: host.into(),
            credentials,
            prior,
        }
    }
}

impl UnsetParams {
    /// Removes `keys` from the set `name`.
    #[must_use]
    pub fn new(name: impl Into<String>, keys: Vec<String>) -> Self {
        Self {
            name: name.into(),
            keys,
        }
    }
}

impl Regions {
    /// These regions, and the code of the one that is taken when nobody says otherwise.
    #[must_use]
    pub fn new(all: Vec<Region>, default: Option<String>) -> Self {
        Self { all, default }
    }
}

impl Region {
    /// A region by its code, with a name for people.
    #[must_use]
    pub fn new(code: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            name: name.into(),
        }
    }
}

impl Organization {
    /// An organization by its name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            label: None,
        }
    }
}

impl Default for NameRules {
    fn default() -> Self {
        Self {
            shortest: 1,
            longest: 63,
            capitals: true,
        }
    }
}

impl<'a, P> Call<'a, P> {
    /// The request for `params` by a caller that offers `capabilities`.
    #[must_use]
    pub fn new(params: &'a P, capabilities: &'a WireCapabilities, context: &'a RunContext) -> Self {
        Self {
            protocol: super::VERSION,
            params,
            capabilities,
            context,
        }
    }
}

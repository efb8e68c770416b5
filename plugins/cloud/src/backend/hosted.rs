//! The hosting service, over HTTP.
//!
//! It has two families of paths for the same things. A private API key belongs to one organization and uses the published
//! paths; a person's token names the organization in the path.

pub mod access;
pub mod http;
mod path;
mod redact;
mod retry;
mod wire;

use std::cell::RefCell;

use async_trait::async_trait;
use bot_cli_sdk::secret::Secret;

use super::{BackendError, Details, Keys, PutError, Regions, SecretsBackend, Summary};
use crate::domain::{Entry, Key, Organization, Region, RegistryHost, SetKind, SetName, Status};
use http::{Answer, Client, Method};
use path::{path, segment};
use redact::{hidden, redacted};

/// Whom the requests are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tenant {
    /// A person, in this organization.
    User(Organization),
    /// The organization of a private API key.
    ApiKey,
}

/// The service.
pub struct Hosted<'a> {
    client: Client<'a>,
    tenant: Tenant,
    /// The values that were sent: nothing that the service says from then on may repeat one.
    sent: RefCell<Vec<Secret>>,
}

impl<'a> Hosted<'a> {
    /// The service behind `client`, for `tenant`.
    #[must_use]
    pub const fn new(client: Client<'a>, tenant: Tenant) -> Self {
        Self {
            client,
            tenant,
            sent: RefCell::new(Vec::new()),
        }
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Secret>,
    ) -> Result<Answer, BackendError> {
        let answer = self.client.send(method, path, body).await;
        answer.map_err(|error| redacted(error, &self.sent.borrow()))
    }

    /// A row that repeats no value.
    fn discreet(&self, mut summary: Summary) -> Summary {
        let error = summary.error.take();
        summary.error = error.map(|text| hidden(text, &self.sent.borrow()));
        summary
    }

    fn path(&self, parts: &[&str]) -> String {
        match &self.tenant {
            Tenant::User(organization) => {
                let beginning = ["organizations", organization.as_str()];
                path(&[&beginning[..], parts].concat())
            }
            Tenant::ApiKey => path(parts),
        }
    }

    fn set(&self, name: &SetName) -> String {
        self.path(&["secrets", name.as_str()])
    }

    async fn summaries(&self, region: Option<&Region>) -> Result<Vec<Summary>, BackendError> {
        let mut path = self.path(&["secrets"]);
        if let Some(region) = region {
            path = format!("{path}?region={}", segment(region.as_str()));
        }
        match self.send(Method::Get, &path, None).await {
            Ok(answer) => {
                let list: wire::List = answer.decode()?;
                let rows = list.summaries()?.into_iter();
                Ok(rows.map(|row| self.discreet(row)).collect())
            }
            // The service says so of an organization without any set.
            Err(BackendError::NotFound { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    async fn put_body(&self, name: &SetName, body: &Secret) -> Result<(), BackendError> {
        self.send(Method::Put, &self.set(name), Some(body))
            .await
            .map(drop)
    }

    /// One request for all keys. `None` when the service does not know this form.
    async fn put_whole(
        &self,
        name: &SetName,
        entries: &[Entry],
        region: Option<&Region>,
    ) -> Option<Result<(), BackendError>> {
        let whole = wire::whole_set(entries, region);
        match self.put_body(name, &whole).await {
            Err(BackendError::Refused {
                status: 400 | 415 | 422,
                ..
            }) => None,
            result => Some(result),
        }
    }

    async fn put_keyed(
        &self,
        name: &SetName,
        entries: &[Entry],
        region: Option<&Region>,
    ) -> Result<(), PutError> {
        for (index, entry) in entries.iter().enumerate() {
            let body = wire::one_key(name, entry, region);
            if let Err(cause) = self.put_body(name, &body).await {
                let keys =
                    |entries: &[Entry]| entries.iter().map(|entry| entry.key.clone()).collect();
                let (unknown, not_applied) = if is_undecided(&cause) {
                    (keys(&entries[index..=index]), keys(&entries[index + 1..]))
                } else {
                    (Vec::new(), keys(&entries[index..]))
                };
                return Err(PutError {
                    cause,
                    applied: keys(&entries[..index]),
                    unknown,
                    not_applied,
                });
            }
        }
        Ok(())
    }
}

/// Whether a request that failed this way may have had its effect.
fn is_undecided(error: &BackendError) -> bool {
    match error {
        BackendError::TimedOut { .. }
        | BackendError::Unavailable { .. }
        | BackendError::InvalidResponse { .. }
        | BackendError::Cancelled
        | BackendError::Unreachable { .. } => true,
        BackendError::BadCertificate { .. }
        | BackendError::Redirected { .. }
        | BackendError::NotSignedIn { .. }
        | BackendError::NotAllowed { .. }
        | BackendError::NotFound { .. }
        | BackendError::Conflict { .. }
        | BackendError::Refused { .. }
        | BackendError::Vault(_) => false,
    }
}

#[async_trait(?Send)]
impl SecretsBackend for Hosted<'_> {
    async fn regions(&self) -> Result<Regions, BackendError> {
        let regions = self
            .client
            .send(Method::Get, &self.path(&["regions"]), None)
            .await?;
        let regions: wire::RegionList = regions.decode()?;
        let properties = self
            .client
            .send(Method::Get, &self.path(&["properties"]), None)
            .await?;
        let properties: wire::Properties = properties.decode()?;
        Ok(Regions {
            all: regions.pairs(),
            default: properties.default_region(),
        })
    }

    async fn list(&self, region: Option<&Region>) -> Result<Vec<Summary>, BackendError> {
        let mut summaries = self.summaries(region).await?;
        if let Some(region) = region {
            summaries.retain(|summary| summary.region == region.as_str());
        }
        Ok(summaries)
    }

    async fn get(&self, name: &SetName) -> Result<Option<Details>, BackendError> {
        match self.send(Method::Get, &self.set(name), None).await {
            Ok(answer) => {
                let set: wire::Set = answer.decode()?;
                let details = set.details(name)?;
                Ok(Some(Details {
                    summary: self.discreet(details.summary),
                    keys: details.keys,
                }))
            }
            Err(BackendError::NotFound { .. }) => Ok(None),
            // The service refuses to show an image pull secret; the listing has it.
            Err(refused @ BackendError::Refused { status: 400, .. }) => {
                let found = self
                    .summaries(None)
                    .await?
                    .into_iter()
                    .find(|summary| summary.name == name.as_str());
                match found {
                    Some(summary) if summary.kind == SetKind::ImagePullSecret => {
                        Ok(Some(Details {
                            summary,
                            keys: Keys::None,
                        }))
                    }
                    Some(_) | None => Err(refused),
                }
            }
            Err(error) => Err(error),
        }
    }

    async fn put(
        &self,
        name: &SetName,
        entries: &[Entry],
        region: Option<&Region>,
    ) -> Result<(), PutError> {
        let values = entries.iter().map(|entry| entry.value.clone());
        self.sent.borrow_mut().extend(values);
        // With one key both forms are one request, and this one is known to both families.
        let keyed = entries.len() == 1 && matches!(self.tenant, Tenant::User(_));
        let whole = if keyed {
            None
        } else {
            self.put_whole(name, entries, region).await
        };
        match whole {
            None => self.put_keyed(name, entries, region).await,
            Some(Ok(())) => Ok(()),
            Some(Err(cause)) => {
                let keys: Vec<Key> = entries.iter().map(|entry| entry.key.clone()).collect();
                let (unknown, not_applied) = if is_undecided(&cause) {
                    (keys, Vec::new())
                } else {
                    (Vec::new(), keys)
                };
                Err(PutError {
                    cause,
                    applied: Vec::new(),
                    unknown,
                    not_applied,
                })
            }
        }
    }

    async fn put_image_pull_secret(
        &self,
        name: &SetName,
        host: &RegistryHost,
        credentials: &Secret,
        region: Option<&Region>,
    ) -> Result<(), BackendError> {
        let body = wire::image_pull_secret(host, credentials, region);
        self.sent.borrow_mut().push(credentials.clone());
        self.put_body(name, &body).await
    }

    async fn unset(&self, name: &SetName, key: &Key) -> Result<bool, BackendError> {
        let path = self.path(&["secrets", name.as_str(), key.as_str()]);
        removed(self.client.send(Method::Delete, &path, None).await)
    }

    async fn delete(&self, name: &SetName) -> Result<bool, BackendError> {
        removed(
            self.client
                .send(Method::Delete, &self.set(name), None)
                .await,
        )
    }
}

fn removed(result: Result<http::Answer, BackendError>) -> Result<bool, BackendError> {
    match result {
        Ok(_) => Ok(true),
        Err(BackendError::NotFound { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// What the service calls a status; what it may add later is not ready yet.
fn status(text: &str) -> Status {
    match text {
        "ready" => Status::Ready,
        "failed" => Status::Failed,
        _ => Status::Pending,
    }
}

//! Whose requests they are: what kind of token it is, and which organization it is used for.

use std::time::Duration;

use bot_cli_sdk::secret::Secret;
use url::Url;

use super::http::{Client, Method};
use super::path::path;
use super::{Tenant, wire};
use crate::auth::credentials::TokenKind;
use crate::backend::BackendError;
use crate::watch::Watch;

/// What a token's beginning tells.
#[must_use]
pub fn kind_of(token: &Secret) -> Option<TokenKind> {
    let token = token.expose();
    if token.starts_with("sk_") {
        Some(TokenKind::ApiKey)
    } else if token.starts_with("pcc_pat_") || token.starts_with("eyJ") {
        Some(TokenKind::User)
    } else {
        None
    }
}

/// A person's organizations: the name in paths, and the one for people.
pub async fn organizations(client: &Client<'_>) -> Result<Vec<(String, String)>, BackendError> {
    let answer = client
        .send(Method::Get, &path(&["organizations"]), None)
        .await?;
    let list: wire::Organizations = answer.decode()?;
    Ok(list
        .organizations
        .into_iter()
        .map(|row| (row.name.clone(), row.verbose_name.unwrap_or(row.name)))
        .collect())
}

/// What kind of token it is, by asking. A refusal on both families is the first one's.
pub async fn probe(client: &Client<'_>) -> Result<TokenKind, BackendError> {
    match organizations(client).await {
        Ok(_) => Ok(TokenKind::User),
        Err(
            refused @ (BackendError::NotSignedIn { .. }
            | BackendError::NotAllowed { .. }
            | BackendError::NotFound { .. }),
        ) => match client.send(Method::Get, &path(&["regions"]), None).await {
            Ok(_) => Ok(TokenKind::ApiKey),
            Err(
                BackendError::NotSignedIn { .. }
                | BackendError::NotAllowed { .. }
                | BackendError::NotFound { .. },
            ) => Err(if let BackendError::NotFound { message } = refused {
                BackendError::NotSignedIn { message }
            } else {
                refused
            }),
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    }
}

/// A client with a token.
pub fn client<'a>(
    base: &Url,
    token: &Secret,
    timeout: Duration,
    watch: &'a dyn Watch,
) -> Result<Client<'a>, BackendError> {
    Client::new(base, token.clone(), timeout, watch)
}

impl Tenant {
    /// The name of the organization, where the token does not imply it.
    #[must_use]
    pub fn organization(&self) -> Option<&str> {
        match self {
            Self::User(organization) => Some(organization.as_str()),
            Self::ApiKey => None,
        }
    }
}

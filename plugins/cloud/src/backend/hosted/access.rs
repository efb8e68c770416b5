//! What the hosting service says of a token: its kind, its user and the user's organizations.

use bot_cli_protocol::secret::Secret;
use serde_json::Value;

use super::http::Client;
use super::{ServiceError, path, wire};
use crate::domain::TokenKind;

/// Returns the kind of a token, or `None` if the token has an unknown prefix.
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

/// Returns a user's organizations, as pairs of name and display name.
pub fn organizations(client: &Client<'_>) -> Result<Vec<(String, String)>, ServiceError> {
    let answer: Value = client.get(&path(&["organizations"]))?.decode()?;
    wire::pairs(&answer, "organizations", "name", "verboseName")
}

/// Returns the regions at a path, as pairs of code and display name.
pub fn regions(client: &Client<'_>, path: &str) -> Result<Vec<(String, String)>, ServiceError> {
    let answer: Value = client.get(path)?.decode()?;
    wire::pairs(&answer, "regions", "code", "display_name")
}

/// Returns the user's email address, or the user ID if there is no address. Does not retry the request.
pub fn user(client: &Client<'_>) -> Result<String, ServiceError> {
    let answer: Value = client.look(&path(&["users"]))?.decode()?;
    let user = &answer["user"];
    let name = user["emails"][0]["emailAddress"].as_str();
    let name = name.or_else(|| user["userId"].as_str());
    name.map(str::to_owned)
        .ok_or_else(|| ServiceError::InvalidResponse("it names no user".to_owned()))
}

/// The kind of a token, and the user's organizations, or `None` for an API key.
pub type Probed = (TokenKind, Option<Vec<(String, String)>>);

/// Determines the kind of a token by trying both sets of paths. If both reject the token, returns the first error.
pub fn probe(client: &Client<'_>) -> Result<Probed, ServiceError> {
    let refused = match organizations(client) {
        Err(error) if is_refusal(&error) => error,
        found => return Ok((TokenKind::User, Some(found?))),
    };
    match regions(client, &path(&["regions"])) {
        Err(error) if is_refusal(&error) => Err(if let ServiceError::NotFound(message) = refused {
            ServiceError::NotSignedIn(message)
        } else {
            refused
        }),
        found => found.map(|_| (TokenKind::ApiKey, None)),
    }
}

const fn is_refusal(error: &ServiceError) -> bool {
    matches!(
        error,
        ServiceError::NotSignedIn(_) | ServiceError::NotAllowed(_) | ServiceError::NotFound(_)
    )
}

//! The OAuth issuer's part of the stand-in's state.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The state of the OAuth issuer.
#[derive(Debug, Clone)]
pub struct Issuer {
    /// The issuer's URL, which is below the service's URL.
    pub url: String,
    /// The discovery document, which tests can change.
    pub document: Value,
    /// The lifetime of access tokens, in seconds.
    pub expires_in: u64,
    /// Whether to issue refresh tokens as well.
    pub refreshes: bool,
    /// Members that override those in token responses.
    pub spoil: Value,
    /// The number of tokens issued.
    pub handed_out: u32,
    pub(super) codes: BTreeMap<String, Pending>,
    /// The refresh tokens, each with the access token issued along with it.
    pub(super) refresh_tokens: BTreeMap<String, String>,
}

/// A sign-in whose code has not been redeemed.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    pub(super) challenge: String,
    pub(super) redirect: String,
}

impl Issuer {
    pub(super) fn new(url: &str) -> Self {
        let url = format!("{url}/issuer");
        let document = json!({
            "issuer": url,
            "authorization_endpoint": format!("{url}/authorize"),
            "token_endpoint": format!("{url}/token"),
            "revocation_endpoint": format!("{url}/revoke"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
        });
        Self {
            url,
            document,
            expires_in: 86_400,
            refreshes: true,
            spoil: json!({}),
            handed_out: 0,
            codes: BTreeMap::new(),
            refresh_tokens: BTreeMap::new(),
        }
    }
}

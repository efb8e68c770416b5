//! The state of the issuer.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The issuer's state.
#[derive(Debug)]
pub struct Issuer {
    /// The address, below the service's.
    pub url: String,
    /// The discovery document; a test may spoil it.
    pub document: Value,
    /// The time that access tokens live, in seconds.
    pub expires_in: u64,
    /// Whether refresh tokens are handed out, too.
    pub refreshes: bool,
    /// Takes the place of members of the answer with a token.
    pub spoil: Value,
    /// The number of tokens that were handed out.
    pub handed_out: u32,
    pub(super) codes: BTreeMap<String, Pending>,
    /// Each with the access token that came with it.
    pub(super) refresh_tokens: BTreeMap<String, String>,
}

/// A sign-in whose code has not been redeemed.
#[derive(Debug)]
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

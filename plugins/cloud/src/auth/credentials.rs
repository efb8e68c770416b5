//! Credentials of the hosting service.

use bot_cli_protocol::secret::Secret;
use bot_cli_vault::secret_file::exposed;
use serde::{Deserialize, Serialize};

use crate::domain::TokenKind;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    /// The URL of the token's service. The token is never sent to any other service.
    pub api_url: String,
    pub kind: TokenKind,
    #[serde(serialize_with = "exposed")]
    pub token: Secret,
    #[serde(flatten)]
    pub refresh: Option<Refresh>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refresh {
    #[serde(rename = "refresh_token", serialize_with = "exposed")]
    pub token: Secret,
    /// The access token's expiry time, in seconds since the Unix epoch.
    pub expires_at: u64,
}

/// Parses a token, ignoring surrounding whitespace. Returns `None` if the token is empty or has invalid characters.
pub fn parse_token(text: &str) -> Option<Secret> {
    let token = text.trim();
    let is_token = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    is_token.then(|| Secret::new(token.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::parse_token;

    #[test]
    fn what_no_token_has_is_no_token() {
        for text in ["", " \n", "a b", "a\nb", "a\u{1b}", "tök", "a\u{200b}"] {
            assert_eq!(parse_token(text), None, "{text:?}");
        }
        let token = parse_token(" sk_1.-~+/=\r\n").unwrap();
        assert_eq!(token.expose(), "sk_1.-~+/=");
    }
}

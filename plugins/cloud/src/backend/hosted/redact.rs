//! What the service says of a request must not repeat what the request kept secret.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bot_cli_sdk::secret::Secret;

use super::path::segment;
use crate::backend::BackendError;

/// As many characters of a value already tell something.
const TELLING: usize = 5;

/// The text, unless it repeats a value or its beginning.
pub fn hidden(text: String, values: &[Secret]) -> String {
    if values.iter().any(|value| repeats(&text, value.expose())) {
        "(its words repeat a value and are not shown)".to_owned()
    } else {
        text
    }
}

/// The error without the service's words, where these repeat a value or its beginning.
pub fn redacted(error: BackendError, values: &[Secret]) -> BackendError {
    let hide = |message| hidden(message, values);
    match error {
        BackendError::Unavailable {
            status,
            message,
            retry_after,
        } => BackendError::Unavailable {
            status,
            message: hide(message),
            retry_after,
        },
        BackendError::NotSignedIn { message } => BackendError::NotSignedIn {
            message: hide(message),
        },
        BackendError::NotAllowed { message } => BackendError::NotAllowed {
            message: hide(message),
        },
        BackendError::NotFound { message } => BackendError::NotFound {
            message: hide(message),
        },
        BackendError::Conflict { message } => BackendError::Conflict {
            message: hide(message),
        },
        BackendError::Refused { status, message } => BackendError::Refused {
            status,
            message: hide(message),
        },
        BackendError::Redirected { to } => BackendError::Redirected { to: hide(to) },
        error @ (BackendError::Unreachable { .. }
        | BackendError::TimedOut { .. }
        | BackendError::BadCertificate { .. }
        | BackendError::InvalidResponse { .. }
        | BackendError::Cancelled
        | BackendError::Vault(_)) => error,
    }
}

fn repeats(message: &str, value: &str) -> bool {
    let decoded = STANDARD
        .decode(value)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    // Of credentials, the token alone, too.
    let token = |text: &str| text.split_once(':').map(|(_, token)| token.to_owned());
    let parts = [
        Some(value.to_owned()),
        token(value),
        decoded.as_deref().and_then(token),
        decoded,
    ];
    parts
        .into_iter()
        .flatten()
        .map(zeroize::Zeroizing::new)
        .any(|part| {
            let beginning: String = part.chars().take(TELLING).collect();
            if beginning.chars().count() < TELLING {
                // So little is in every other sentence; as a word of its own it is the value.
                return message
                    .split(|c: char| !c.is_alphanumeric())
                    .any(|word| word == beginning)
                    && beginning.chars().count() > 2;
            }
            let encoded = STANDARD.encode(part.as_bytes());
            let escaped = serde_json::to_string(&beginning).unwrap_or_default();
            message.contains(&beginning)
                || message.contains(escaped.trim_matches('"'))
                || message.contains(&segment(&beginning))
                || message.contains(&encoded[..TELLING])
        })
}

#[cfg(test)]
mod tests {
    use super::repeats;

    #[test]
    fn a_value_is_noticed_in_every_guise() {
        let value = "s3%\"ret-value";
        for message in [
            "bad value s3%\"ret-value",
            "bad value s3%\"r…",
            r#"bad value s3%\"ret-value"#,
            "bad value s3%25%22ret",
            "bad value czMlInJldC12YWx1ZQ==",
        ] {
            assert!(repeats(message, value), "{message}");
        }
        assert!(
            repeats("bad token-1", "dXNlcjp0b2tlbi0x"),
            "inside of credentials"
        );
        assert!(!repeats("Secret already exists in region 'us-west'", value));
        assert!(!repeats("at least 1 key", "1"));
    }
}

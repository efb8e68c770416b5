//! The guises in which a secret may be repeated.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use zeroize::Zeroizing;

use super::page::WINDOW;
use crate::backend::hosted::path::segment;

/// Beginnings that say of what kind a secret is, and nothing of the secret itself.
const KINDS: [&str; 14] = [
    "pcc_pat_",
    "github_pat_",
    "sk-proj-",
    "sk-ant-",
    "sk_live_",
    "sk_test_",
    "xoxb-",
    "xoxp-",
    "ghp_",
    "gho_",
    "sk_",
    "sk-",
    "pk_",
    "eyj",
];

/// The guises of a secret, in lower case: as it is, in the encodings of URLs, JSON, hex and base64, and the parts of
/// credentials.
pub fn forms(secret: &str) -> Vec<Zeroizing<String>> {
    let mut parts = vec![Zeroizing::new(secret.to_owned())];
    for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
        let decoded = engine.decode(secret.trim_end_matches('='));
        if let Some(decoded) = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok()) {
            parts.push(Zeroizing::new(decoded));
        }
    }
    let tokens: Vec<_> = parts
        .iter()
        .filter_map(|part| part.split_once(':'))
        .filter(|(_, token)| !token.starts_with("//"))
        .map(|(_, token)| Zeroizing::new(token.to_owned()))
        .collect();
    parts.extend(tokens);
    let mut forms = Vec::new();
    for part in parts {
        let core = core(&part);
        let bytes = core.as_bytes();
        forms.push(core.to_owned());
        forms.push(segment(core));
        let escaped = serde_json::to_string(core).unwrap_or_default();
        forms.push(serde_json::to_string(&escaped).unwrap_or_default());
        forms.push(escaped);
        forms.push(hex(bytes));
        // Inside a longer text, base64 has one of three forms, whose ends depend on what is around them.
        for skipped in 0..3.min(bytes.len()) {
            for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
                let whole = (bytes.len() - skipped) / 3 * 3;
                let encoded = engine.encode(&bytes[skipped..skipped + whole]);
                if encoded.len() >= WINDOW {
                    forms.push(encoded);
                }
            }
        }
    }
    forms
        .into_iter()
        .map(|form| Zeroizing::new(form.trim_matches('"').to_ascii_lowercase()))
        .filter(|form| !form.is_empty())
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// A secret without what only says of what kind it is: the scheme of an address, the frame of a key, the mark of a token.
pub fn core(secret: &str) -> &str {
    let lower = secret.to_ascii_lowercase();
    if let Some(kind) = KINDS.iter().find(|kind| lower.starts_with(**kind)) {
        return &secret[kind.len()..];
    }
    if let Some((scheme, rest)) = secret.split_once("://")
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
    {
        return rest;
    }
    let Some(framed) = secret.strip_prefix("-----BEGIN ") else {
        return secret;
    };
    let body = framed.split_once("-----").map_or(framed, |(_, body)| body);
    body.split("-----END").next().unwrap_or(body).trim()
}

//! The OAuth issuer: authorization code with PKCE, a loopback redirect, rotating refresh tokens and revocation.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::issuer::{Issuer, Pending};
use super::message::{Reply, query};
use super::world::{Access, Sent, World};
use super::{ORGANIZATION, OTHER_ORGANIZATION};

const CLIENT: &str = "client_of_the_command_line";
const SCOPES: &str = "openid profile email offline_access";

pub(super) fn route(request: &Sent, segments: &[&str], world: &mut World) -> Option<Reply> {
    match (request.method.as_str(), segments) {
        ("GET", ["auth", "config"]) => {
            let issuer = &world.issuer.url;
            let config = json!({"issuer": issuer, "client_id": CLIENT, "scopes": SCOPES});
            Some(Reply::json(200, &config))
        }
        ("GET", ["issuer", ".well-known", "openid-configuration"]) => {
            Some(Reply::json(200, &world.issuer.document))
        }
        ("GET", ["issuer", "authorize"]) => Some(authorize(request, &mut world.issuer)),
        ("POST", ["issuer", "token"]) => Some(token(request, world)),
        ("POST", ["issuer", "revoke"]) => Some(revoke(request, world)),
        _ => None,
    }
}

/// Handles an authorization request as if the user approved it immediately.
fn authorize(request: &Sent, issuer: &mut Issuer) -> Reply {
    let asked = |name: &str| query(&request.target, name).unwrap_or_default();
    let redirect = asked("redirect_uri");
    let is_known_redirect =
        (8400..=8404).any(|port| redirect == format!("http://127.0.0.1:{port}/oauth_callback"));
    let is_sound = asked("response_type") == "code"
        && asked("client_id") == CLIENT
        && asked("code_challenge_method") == "S256"
        && asked("code_challenge").len() == 43
        && !asked("state").is_empty()
        && is_known_redirect;
    if !is_sound {
        return Reply::json(400, &json!({"error": "invalid_request"}));
    }
    let code = format!("code-{}", issuer.codes.len() + 1);
    let back: String = form_urlencoded::Serializer::new(format!("{redirect}?"))
        .append_pair("code", &code)
        .append_pair("state", &asked("state"))
        .finish();
    let challenge = asked("code_challenge");
    issuer.codes.insert(
        code,
        Pending {
            challenge,
            redirect,
        },
    );
    let mut reply = Reply::empty(302);
    reply.headers.push(("location", back));
    reply
}

/// Revokes a token. Unknown tokens are accepted. Revoking a refresh token also revokes the access token issued along with it.
fn revoke(request: &Sent, world: &mut World) -> Reply {
    let form = form(request);
    let given = |name: &str| form.get(name).map_or("", String::as_str);
    if given("client_id") != CLIENT || given("token").is_empty() {
        return Reply::json(400, &json!({"error": "invalid_request"}));
    }
    let refreshed = world.issuer.refresh_tokens.remove(given("token"));
    world
        .tokens
        .remove(refreshed.as_deref().unwrap_or(given("token")));
    Reply::empty(200)
}

fn form(request: &Sent) -> BTreeMap<String, String> {
    form_urlencoded::parse(request.body.as_bytes())
        .into_owned()
        .collect()
}

fn token(request: &Sent, world: &mut World) -> Reply {
    let form = form(request);
    let given = |name: &str| form.get(name).map_or("", String::as_str);
    let issuer = &mut world.issuer;
    let granted = given("client_id") == CLIENT
        && match given("grant_type") {
            "authorization_code" => issuer.codes.remove(given("code")).is_some_and(|pending| {
                let verifier = given("code_verifier");
                let digest = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
                (43..=128).contains(&verifier.len())
                    && digest == pending.challenge
                    && given("redirect_uri") == pending.redirect
            }),
            "refresh_token" => issuer
                .refresh_tokens
                .remove(given("refresh_token"))
                .is_some(),
            _ => false,
        };
    if !granted {
        return Reply::json(400, &json!({"error": "invalid_grant"}));
    }
    issuer.handed_out += 1;
    let access_token = format!("access-token-{}", issuer.handed_out);
    let refresh_token = format!("refresh-token-{}", issuer.handed_out);
    let mut answer = json!({
        "access_token": access_token,
        "expires_in": issuer.expires_in,
        "token_type": "Bearer",
    });
    if issuer.refreshes {
        answer["refresh_token"] = json!(refresh_token);
        issuer
            .refresh_tokens
            .insert(refresh_token, access_token.clone());
    }
    let organizations = vec![ORGANIZATION.to_owned(), OTHER_ORGANIZATION.to_owned()];
    world
        .tokens
        .insert(access_token, Access::User(organizations));
    for (name, value) in world.issuer.spoil.as_object().into_iter().flatten() {
        answer[name] = value.clone();
    }
    Reply::json(200, &answer)
}

//! The issuer: authorization code with PKCE, a loopback redirect, rotating refresh tokens.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::routes::{Reply, query};
use super::world::{Access, Sent, World};
use super::{ORGANIZATION, OTHER_ORGANIZATION};

const CLIENT: &str = "client_of_the_command_line";
const SCOPES: &str = "openid profile email offline_access";

/// What the issuer remembers.
#[derive(Debug)]
pub struct Issuer {
    /// Its address, below the service's.
    pub url: String,
    /// The discovery document; a test may spoil it.
    pub document: Value,
    /// How long access tokens live, in seconds.
    pub expires_in: u64,
    /// How many tokens were handed out.
    pub handed_out: u32,
    codes: BTreeMap<String, Pending>,
    refresh_tokens: Vec<String>,
}

#[derive(Debug)]
struct Pending {
    challenge: String,
    redirect: String,
}

impl Issuer {
    pub(super) fn new(url: &str) -> Self {
        let url = format!("{url}/issuer");
        let document = json!({
            "issuer": url,
            "authorization_endpoint": format!("{url}/authorize"),
            "token_endpoint": format!("{url}/token"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
        });
        Self {
            url,
            document,
            expires_in: 86_400,
            handed_out: 0,
            codes: BTreeMap::new(),
            refresh_tokens: Vec::new(),
        }
    }
}

pub(super) fn route(request: &Sent, segments: &[&str], world: &mut World) -> Option<Reply> {
    match (request.method.as_str(), segments) {
        ("GET", ["auth", "config"]) => {
            let issuer = &world.issuer.url;
            let config = json!({"issuer": issuer, "client_id": CLIENT, "scopes": SCOPES});
            Some(Reply::json(200, &config))
        }
        ("POST", ["auth", "logout"]) => {
            let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
            let token = body["refresh_token"].as_str().unwrap_or_default();
            world.issuer.refresh_tokens.retain(|known| known != token);
            Some(Reply::json(200, &json!({"status": "OK"})))
        }
        ("GET", ["issuer", ".well-known", "openid-configuration"]) => {
            Some(Reply::json(200, &world.issuer.document))
        }
        ("GET", ["issuer", "authorize"]) => Some(authorize(request, &mut world.issuer)),
        ("POST", ["issuer", "token"]) => Some(token(request, world)),
        _ => None,
    }
}

/// The user agrees at once.
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

fn token(request: &Sent, world: &mut World) -> Reply {
    let form: BTreeMap<String, String> = form_urlencoded::parse(request.body.as_bytes())
        .into_owned()
        .collect();
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
            "refresh_token" => {
                let before = issuer.refresh_tokens.len();
                issuer
                    .refresh_tokens
                    .retain(|known| known != given("refresh_token"));
                issuer.refresh_tokens.len() < before
            }
            _ => false,
        };
    if !granted {
        return Reply::json(400, &json!({"error": "invalid_grant"}));
    }
    issuer.handed_out += 1;
    let access_token = format!("access-token-{}", issuer.handed_out);
    let refresh_token = format!("refresh-token-{}", issuer.handed_out);
    issuer.refresh_tokens.push(refresh_token.clone());
    let expires_in = issuer.expires_in;
    let organizations = vec![ORGANIZATION.to_owned(), OTHER_ORGANIZATION.to_owned()];
    world
        .tokens
        .insert(access_token.clone(), Access::User(organizations));
    Reply::json(
        200,
        &json!({
            "access_token": access_token,
            "refresh_token": refresh_token,
            "expires_in": expires_in,
            "token_type": "Bearer",
        }),
    )
}

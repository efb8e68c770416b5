//! The `keys` commands, which manage an organization's public keys. A public key authorizes a client to start sessions.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use reqwest::Method;
use serde_json::{Value, json};

use super::context::CommandContext;
use super::list::{Column, listing};
use super::open;
use crate::input::wrong;
use crate::options::{Account, KeysCommand};
use crate::scope::Scope;
use crate::service::{PublicKey, Service, Unclear, decoded};
use crate::text::theirs;
use crate::words::{failed, near_or};

const COLUMNS: &[Column] = &[
    ("NAME", "name", "/metadata/name"),
    ("ID", "id", "/id"),
    ("KEY", "key", "/key"),
    ("CREATED", "created", "/createdAt"),
    ("REVOKED", "revoked", "/revoked"),
];

pub(super) fn run(context: &CommandContext<'_>, command: &KeysCommand) -> Result<Reply, Failure> {
    match command {
        KeysCommand::List(account) => {
            let (service, _) = signed_in(context, account)?;
            Ok(listing("public keys", COLUMNS, &all(&service)?))
        }
        KeysCommand::Create { name, account } => create(context, name, account),
        KeysCommand::Revoke { key, skip, account } => revoke(context, key, *skip, account),
    }
}

/// Connects to the service. Fails for a private API key, which can't manage public keys.
fn signed_in<'a>(
    context: &'a CommandContext<'_>,
    account: &Account,
) -> Result<(Service<'a>, Scope), Failure> {
    let (service, scope) = open::service(context, account.organization.as_deref())?;
    if service.is_user() {
        return Ok((service, scope));
    }
    let message = "a private API key can't manage public keys; a user's sign-in can";
    Err(Failure::new(Exit::NotAllowed, "api_key", message).hint("bot-cli cloud auth login"))
}

/// Returns all public keys, also revoked ones.
pub fn all(service: &Service<'_>) -> Result<Vec<Value>, Failure> {
    Ok(service.rows(&["apiKeys"], "public", &[])?)
}

/// Reports whether a key can start sessions, that is, whether it has not been revoked.
pub fn is_active(key: &Value) -> bool {
    key["revoked"] != true
}

fn create(context: &CommandContext<'_>, name: &str, account: &Account) -> Result<Reply, Failure> {
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        return Err(wrong("name", "must be one printable line"));
    }
    let (service, scope) = signed_in(context, account)?;
    let key = created(&service, &scope, name)?;
    let (id, key) = (theirs(&key.id), theirs(key.key.expose()));
    let text = format!("Created the public key `{}`: {key}\n", theirs(name));
    Ok(Reply::text(text).data(json!({ "name": name, "id": id, "key": key })))
}

/// Creates a public key with the given name.
pub fn created(service: &Service<'_>, scope: &Scope, name: &str) -> Result<PublicKey, Failure> {
    let body = json!({ "name": name, "type": "public" });
    let sent = service.send_once(&Method::POST, &["apiKeys"], &body);
    sent.and_then(decoded).map_err(|unconfirmed| {
        let done = format!("the public key `{}` was created", theirs(name));
        Unclear::new(done, scope.command("keys list")).failure(unconfirmed)
    })
}

fn revoke(
    context: &CommandContext<'_>,
    wanted: &str,
    skip: bool,
    account: &Account,
) -> Result<Reply, Failure> {
    let (service, scope) = signed_in(context, account)?;
    let keys = all(&service)?;
    let name = |key: &Value| theirs(key["metadata"]["name"].as_str().unwrap_or_default());
    let id = |key: &Value| key["id"].as_str().unwrap_or_default().to_owned();
    let active: Vec<&Value> = keys.iter().filter(|key| is_active(key)).collect();
    let mut matching = active
        .iter()
        .filter(|key| id(key) == wanted || name(key) == wanted);
    let list = scope.command("keys list");
    let Some(key) = matching.next() else {
        let known: Vec<String> = active.iter().map(|key| name(key)).collect();
        let failure = failed("not_found", "there is no such public key");
        let known = known.iter().map(String::as_str);
        return Err(near_or(failure, wanted, known, list));
    };
    if matching.next().is_some() {
        let message = format!("several public keys are called `{}`", theirs(wanted));
        return Err(failed("ambiguous", message).hint(format!("give the id: `{list}`")));
    }
    let (name, id) = (name(key), id(key));
    if !skip {
        let question = format!("Revoke the public key `{name}`?");
        let plan = "Clients that use it can no longer start sessions\n".to_owned();
        context.consent(&question, plan)?;
    }
    let change = Unclear::new(format!("the public key `{name}` was revoked"), list);
    service.delete(&["apiKeys", &id], &change, || {
        let keys = all(&service).ok()?;
        Some(!keys.iter().any(|it| it["id"] == *id && is_active(it)))
    })?;
    let text = format!("Revoked the public key `{name}`\n");
    Ok(Reply::text(text).data(json!({ "name": name, "id": theirs(&id), "revoked": true })))
}

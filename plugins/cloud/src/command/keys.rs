//! The `keys` commands, which manage an organization's public keys. A public key authorizes a client to start sessions.

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::ask::consent;
use super::context::CommandContext;
use super::list::{Column, listing};
use super::open;
use crate::options::{Account, KeysCommand};
use crate::service::{Service, Unclear, decoded};
use crate::text::theirs;
use crate::words::{failed, near_or};

const COLUMNS: &[Column] = &[
    ("NAME", "name", "/metadata/name"),
    ("ID", "id", "/id"),
    ("KEY", "key", "/key"),
    ("CREATED", "created", "/createdAt"),
    ("REVOKED", "revoked", "/revoked"),
];

pub(super) fn run(context: CommandContext<'_>, command: &KeysCommand) -> Result<Reply, Failure> {
    match command {
        KeysCommand::List(account) => {
            let service = signed_in(context, account)?;
            Ok(listing("public keys", COLUMNS, &all(&service)?))
        }
        KeysCommand::Create { name, account } => create(context, name, account),
        KeysCommand::Revoke { key, skip, account } => revoke(context, key, *skip, account),
    }
}

/// Connects to the service. Fails for a private API key, which can't manage public keys.
fn signed_in<'a>(context: CommandContext<'a>, account: &Account) -> Result<Service<'a>, Failure> {
    let ((), service) = open::service(context, account, Ok(()))?;
    service.require_user("manage public keys")?;
    Ok(service)
}

/// Returns all public keys, including revoked ones.
pub fn all(service: &Service<'_>) -> Result<Vec<Value>, Failure> {
    Ok(service.rows(&["apiKeys"], "public", &[])?)
}

/// Reports whether a key can start sessions, that is, whether it has not been revoked.
pub fn is_active(key: &Value) -> bool {
    key["revoked"] != true
}

fn create(context: CommandContext<'_>, name: &str, account: &Account) -> Result<Reply, Failure> {
    let service = signed_in(context, account)?;
    let PublicKey { id, key } = created(&service, name)?;
    let (id, key) = (theirs(&id), theirs(key.expose()));
    let text = format!("Created the public key `{}`: {key}\n", theirs(name));
    Ok(Reply::text(text).data(json!({ "name": name, "id": id, "key": key })))
}

#[derive(Deserialize)]
pub struct PublicKey {
    pub id: String,
    pub key: Secret,
}

pub fn created(service: &Service<'_>, name: &str) -> Result<PublicKey, Failure> {
    let body = json!({ "name": name, "type": "public" });
    let sent = service.send_once(&Method::POST, &["apiKeys"], &body);
    sent.and_then(decoded).map_err(|unconfirmed| {
        let done = format!("the public key `{}` was created", theirs(name));
        Unclear::new(done, service.scope.command("keys list")).failure(unconfirmed)
    })
}

fn revoke(
    context: CommandContext<'_>,
    wanted: &str,
    skip: bool,
    account: &Account,
) -> Result<Reply, Failure> {
    let service = signed_in(context, account)?;
    let name = |key: &Value| theirs(key["metadata"]["name"].as_str().unwrap_or_default());
    let mut active = all(&service)?;
    active.retain(is_active);
    let matching = active.iter();
    let matching = matching.filter(|key| key["id"] == wanted || name(key) == wanted);
    let list = service.scope.command("keys list");
    let key = match matching.collect::<Vec<_>>()[..] {
        [key] => key,
        [] => {
            let known: Vec<String> = active.iter().map(name).collect();
            let failure = failed("not_found", "there is no such public key");
            let known = known.iter().map(String::as_str);
            return Err(near_or(failure, wanted, known, list));
        }
        [_, _, ..] => {
            let message = format!("several public keys are called `{}`", theirs(wanted));
            return Err(failed("ambiguous", message).hint(format!("give the id: `{list}`")));
        }
    };
    let (name, id) = (name(key), key["id"].as_str().unwrap_or_default());
    if !skip {
        let question = format!("Revoke the public key `{name}`?");
        let plan = "Clients that use it can no longer start sessions\n".to_owned();
        consent(context.session, &question, plan, None)?;
    }
    let change = Unclear::new(format!("the public key `{name}` was revoked"), list);
    service.change(&Method::DELETE, &["apiKeys", id], None, &change, || {
        let keys = all(&service).ok()?;
        Some(!keys.iter().any(|it| it["id"] == id && is_active(it)))
    })?;
    let text = format!("Revoked the public key `{name}`\n");
    Ok(Reply::text(text).data(json!({ "name": name, "id": theirs(id), "revoked": true })))
}

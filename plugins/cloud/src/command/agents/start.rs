//! The `agents start` command, which starts a session with a public key.

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::short_line;
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::auth::credentials::parse_token;
use crate::backend::hosted::ServiceError;
use crate::backend::hosted::http::{Client, Reach, Repeat, Unconfirmed};
use crate::backend::hosted::wire::{Body, path};
use crate::command::agent::{self, NamedAgent};
use crate::command::context::CommandContext;
use crate::command::keys;
use crate::input::wrong;
use crate::options::Start;
use crate::service::{Unclear, decoded, unclear};
use crate::text::theirs;
use crate::words::failed;

pub fn start(context: &CommandContext<'_>, options: &Start) -> Result<Reply, Failure> {
    let data = data(context, options.data.as_deref());
    let (data, named) = agent::open_with(context, &options.agent, data)?;
    let key = public_key(&named, options.skip)?;
    let mut body = json!({ "createDailyRoom": options.daily_room });
    if let Some(data) = data {
        body["body"] = Value::Object(data);
    }
    let (scope, name) = (&named.service.scope, &named.name);
    let client = Client::new(&scope.api_url.value, &key, scope.pace, context)?;
    context.progress("Starting a session");
    let session = started(&client, name, &body).map_err(|unconfirmed| {
        let failure = match (&unconfirmed.error, unconfirmed.reach) {
            (ServiceError::NotSignedIn(_), Reach::Nothing) => refused_key(context),
            (ServiceError::NotFound(_), Reach::Nothing) => {
                let message = format!("the organization of the public key has no agent `{name}`");
                failed("not_found", message).hint(scope.command("agents list"))
            }
            _ => {
                let look = named.command("sessions");
                return Unclear::new("a session was started", look).failure(unconfirmed);
            }
        };
        failure.outcome(ChangeState::NotDone)
    })?;
    let id = session.session_id.as_deref().map_or("-".to_owned(), theirs);
    let mut text = format!("Started the session `{id}` of `{name}`\n");
    let token = session.daily_token.as_ref().map(Secret::expose);
    if let Some(room) = &session.daily_room {
        let room = long(room);
        let join = token.map_or(room.clone(), |token| format!("{room}?t={}", long(token)));
        text.extend(["Join: ", &join, "\n"]);
    }
    let reply = Reply::text(text).data(json!({
        "session": session.session_id.as_deref().map(theirs),
        "room": session.daily_room.as_deref().map(long),
        "token": token.map(long),
    }));
    Ok(reply.next(named.command("logs")))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StartedSession {
    session_id: Option<String>,
    daily_room: Option<String>,
    daily_token: Option<Secret>,
}

/// Starts a session. `client` must use a public key.
fn started(client: &Client<'_>, agent: &str, body: &Value) -> Result<StartedSession, Unconfirmed> {
    let (path, body) = (path(&["public", agent, "start"]), Body::plain(body));
    let answer = client.send(&Method::POST, &path, Some(&body), Repeat::IfNotDone)?;
    let session: StartedSession = decoded(answer)?;
    if session.session_id.is_none() && session.daily_room.is_none() {
        return Err(unclear());
    }
    Ok(session)
}

/// Sanitizes a URL or token from the service for display.
fn long(text: &str) -> String {
    short_line(text, 8000)
}

/// Parses the data for the bot: a JSON object, or `@` followed by the path of a file that contains one.
fn data(
    context: &CommandContext<'_>,
    given: Option<&str>,
) -> Result<Option<Map<String, Value>>, Failure> {
    let Some(given) = given else {
        return Ok(None);
    };
    let bytes = match given.strip_prefix('@') {
        Some(path) => context
            .read(path.as_ref())?
            .map_err(|problem| wrong("data", problem))?,
        None => given.as_bytes().to_vec(),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let problem = format!("is not a JSON object (line {line}, column {column})");
        wrong("data", problem)
    })
}

/// Returns the public key from the environment, or the organization's first active key. If there is none, creates a key, after asking for
/// consent unless `skip` is set.
fn public_key(named: &NamedAgent<'_, '_>, skip: bool) -> Result<Secret, Failure> {
    let (context, service) = (named.context, &named.service);
    if let Some(key) = &context.environment.public_key {
        return parse_token(key.expose()).ok_or_else(|| refused_key(context));
    }
    if !service.is_user() {
        let message = "a private API key can't start sessions; a public key can";
        let failure = Failure::new(Exit::Usage, "no_public_key", message);
        return Err(failure.hint(
            "set BOT_CLI_PUBLIC_KEY; `bot-cli cloud keys create NAME` makes one when you are signed in",
        ));
    }
    let active = keys::all(service)?;
    let mut active = active.iter().filter(|key| keys::is_active(key));
    if let Some(key) = active.find_map(|key| key["key"].as_str()) {
        return Ok(Secret::new(key.to_owned()));
    }
    if !skip {
        let message = "The organization has no public key. Create one, `bot-cli`?";
        context.consent(message, String::new())?;
    }
    let created = keys::created(service, "bot-cli")?;
    context.note("created the public key `bot-cli`");
    Ok(created.key)
}

fn refused_key(context: &CommandContext<'_>) -> Failure {
    let message = "the service does not accept the public key, so no session was started";
    let failure = Failure::new(Exit::NotAllowed, "key_refused", message);
    failure.hint(match context.environment.public_key {
        Some(_) => "it is from BOT_CLI_PUBLIC_KEY: replace or unset it",
        None => "bot-cli cloud keys list",
    })
}

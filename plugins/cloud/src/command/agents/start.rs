//! The `agents start` command, which starts a session with a public key.

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::Session;
use bot_cli_terminal::short_line;
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::auth::credentials::parse_token;
use crate::backend::hosted::ServiceError;
use crate::backend::hosted::http::{Client, Reach, Repeat};
use crate::backend::hosted::wire::{Body, path};
use crate::command::agent::{self, NamedAgent};
use crate::command::ask::consent;
use crate::command::context::CommandContext;
use crate::command::keys;
use crate::environment::Environment;
use crate::input::wrong;
use crate::options::Start;
use crate::service::{Unclear, decoded, unclear};
use crate::text::theirs;
use crate::words::failed;

pub fn start(context: CommandContext<'_>, options: &Start) -> Result<Reply, Failure> {
    let data = data(context.session, options.data.as_deref());
    let (data, named) = agent::open(context, &options.agent, data)?;
    let key = public_key(&named, options.skip)?;
    let mut body = json!({ "createDailyRoom": options.daily_room });
    if let Some(data) = data {
        body["body"] = Value::Object(data);
    }
    let (scope, name) = (&named.service.scope, &named.name);
    let client = Client::new(&scope.api_url.value, &key, scope.pace, context.session)?;
    context.session.progress("Starting a session", None, None);
    let (path, body) = (path(&["public", name, "start"]), Body::plain(&body));
    let sent = client.send(&Method::POST, &path, Some(&body), Repeat::IfNotDone);
    let session = sent.and_then(decoded).and_then(|session: Value| {
        let is_started = session["sessionId"].is_string() || session["dailyRoom"].is_string();
        is_started.then_some(session).ok_or_else(unclear)
    });
    let session = session.map_err(|unconfirmed| {
        let failure = match (&unconfirmed.error, unconfirmed.reach) {
            (ServiceError::NotSignedIn(_), Reach::Nothing) => refused_key(context.environment),
            (ServiceError::NotFound(_), Reach::Nothing) => {
                let message = format!("the organization of the public key has no agent `{name}`");
                failed("not_found", message).hint(scope.command("agents list"))
            }
            _ => {
                let look = named.command("sessions");
                return Unclear::new("a session was started".to_owned(), look).failure(unconfirmed);
            }
        };
        failure.outcome(ChangeState::NotDone)
    })?;
    let id = session["sessionId"].as_str().map(theirs);
    let long = |member: &str| session[member].as_str().map(|text| short_line(text, 8000));
    let (room, token) = (long("dailyRoom"), long("dailyToken"));
    let shown = id.as_deref().unwrap_or("-");
    let mut text = format!("Started the session `{shown}` of `{name}`\n");
    if let Some(room) = &room {
        let token = token.iter().flat_map(|token| ["?t=", token]);
        text.extend(["Join: ", room].into_iter().chain(token).chain(["\n"]));
    }
    let reply = Reply::text(text).data(json!({ "session": id, "room": room, "token": token }));
    Ok(reply.next(named.command("logs")))
}

/// Parses the data for the bot: a JSON object, or `@` followed by the path of a file that contains one.
fn data(session: &Session, given: Option<&str>) -> Result<Option<Map<String, Value>>, Failure> {
    let Some(given) = given else {
        return Ok(None);
    };
    let bytes = match given.strip_prefix('@') {
        Some(path) => crate::input::read(session, path.as_ref())?,
        None => Ok(given.as_bytes().to_vec()),
    };
    let bytes = bytes.map_err(|problem| wrong("data", problem))?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let problem = format!("is not a JSON object (line {line}, column {column})");
        wrong("data", problem)
    })
}

/// Returns the public key from the environment, or the organization's first active key. If there is none, creates a key, after asking for
/// consent unless `skip` is set.
fn public_key(named: &NamedAgent<'_>, skip: bool) -> Result<Secret, Failure> {
    let (context, service) = (named.context, &named.service);
    if let Some(key) = &context.environment.public_key {
        return parse_token(key.expose()).ok_or_else(|| refused_key(context.environment));
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
        consent(context.session, message, String::new(), None)?;
    }
    let created = keys::created(service, "bot-cli")?;
    context.session.note("created the public key `bot-cli`");
    Ok(created.key)
}

fn refused_key(environment: &Environment) -> Failure {
    let message = "the service does not accept the public key, so no session was started";
    let failure = Failure::new(Exit::NotAllowed, "key_refused", message);
    failure.hint(match environment.public_key {
        Some(_) => "it is from BOT_CLI_PUBLIC_KEY: replace or unset it",
        None => "bot-cli cloud keys list",
    })
}

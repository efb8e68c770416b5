//! The `agents start` command, which starts a session with a public key.

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_protocol::question::Question;
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::short_line;
use serde_json::{Value, json};

use super::{Opened, opened};
use crate::auth::credentials::parse_token;
use crate::backend::hosted::ServiceError;
use crate::backend::hosted::http::{Client, Reach};
use crate::command::context::CommandContext;
use crate::command::keys;
use crate::input::wrong;
use crate::options::Start;
use crate::secret_file::{SecretFile, SecretFileError};
use crate::service::{Service, Unclear};
use crate::text::theirs;
use crate::words::failed;

pub fn start(context: &CommandContext<'_>, options: &Start) -> Result<Reply, Failure> {
    let data = data(context, options.data.as_deref())?;
    let opened = opened(context, &options.agent)?;
    let (key, is_asked) = public_key(context, &opened, options.skip)?;
    let mut body = json!({ "createDailyRoom": options.daily_room });
    if let Some(data) = data {
        body["body"] = data;
    }
    let (scope, name) = (&opened.scope, &opened.name);
    let client = Client::new(&scope.api_url.value, &key, scope.pace, context)?;
    context.progress("Starting a session");
    let session = Service::start(&client, name, &body).map_err(|unconfirmed| {
        match (&unconfirmed.error, unconfirmed.reach) {
            (ServiceError::NotSignedIn(_), Reach::Nothing) => refused_key(context),
            (ServiceError::NotFound(_), Reach::Nothing) => not_started(&opened),
            _ => {
                let look = opened.command("sessions");
                Unclear::new("a session was started", look).failure(unconfirmed)
            }
        }
    })?;
    if is_asked {
        keep(context, &opened, &key)?;
    }
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
    Ok(reply.next(opened.command("logs")))
}

/// Sanitizes a URL or token from the service for display.
fn long(text: &str) -> String {
    short_line(text, 8000)
}

/// Parses the data for the bot: a JSON object, or `@` followed by the path of a file that contains one.
fn data(context: &CommandContext<'_>, given: Option<&str>) -> Result<Option<Value>, Failure> {
    let Some(given) = given else {
        return Ok(None);
    };
    let problem = |problem: String| wrong("data", problem);
    let text = match given.strip_prefix('@') {
        Some(path) => {
            let bytes = context.read(path.as_ref())?.map_err(problem)?;
            String::from_utf8(bytes).map_err(|_| wrong("data", "is not UTF-8"))?
        }
        None => given.to_owned(),
    };
    match serde_json::from_str::<Value>(&text) {
        Ok(data) if data.is_object() => Ok(Some(data)),
        Ok(_) => Err(wrong("data", "is not a JSON object")),
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            Err(wrong(
                "data",
                format!("is not JSON (line {line}, column {column})"),
            ))
        }
    }
}

/// Returns a public key, and whether the user was asked for it: the key in the environment, the organization's first active one, which is
/// created if necessary, or, with a private API key, the stored one.
fn public_key(
    context: &CommandContext<'_>,
    opened: &Opened<'_>,
    skip: bool,
) -> Result<(Secret, bool), Failure> {
    if let Some(key) = &context.environment.public_key {
        let key = parse_token(key.expose()).ok_or_else(|| refused_key(context))?;
        return Ok((key, false));
    }
    if !opened.service.is_user() {
        return match stored(context, opened)? {
            Some(key) => Ok((key, false)),
            None => Ok((asked(context)?, true)),
        };
    }
    let active = keys::all(&opened.service)?;
    let mut active = active.iter().filter(|key| keys::is_active(key));
    if let Some(key) = active.find_map(|key| key["key"].as_str()) {
        return Ok((Secret::new(key.to_owned()), false));
    }
    if !skip {
        let message = "The organization has no public key. Create one, `bot-cli`?";
        context.consent(message, String::new())?;
    }
    let created = keys::created(&opened.service, &opened.scope, "bot-cli")?;
    context.note("created the public key `bot-cli`");
    Ok((created.key, false))
}

/// Returns the stored public key for the service, or `None` if there is none.
fn stored(context: &CommandContext<'_>, opened: &Opened<'_>) -> Result<Option<Secret>, Failure> {
    let file = file(context)?;
    let stored = file.read().map_err(|error| unusable(&file, &error))?;
    let address = opened.scope.shown_url();
    Ok(stored.and_then(|line| parse_token(line.expose().strip_prefix(&address)?)))
}

fn asked(context: &CommandContext<'_>) -> Result<Secret, Failure> {
    let keys = [Question::password(
        "public_key",
        "Public key of the organization:".to_owned(),
    )];
    let instead =
        "set BOT_CLI_PUBLIC_KEY; `bot-cli cloud keys create NAME` makes one when you are signed in";
    let mut given = context.ask_all_or(&keys, instead, |_, answer| {
        let text = answer.as_secret().ok_or("must be a text")?;
        parse_token(text.expose()).ok_or_else(|| "has characters that no key has".to_owned())
    })?;
    given.pop().ok_or_else(Failure::cancelled)
}

/// Stores a public key, together with the address of its service. A failure is only a warning, because the session was started.
fn keep(context: &CommandContext<'_>, opened: &Opened<'_>, key: &Secret) -> Result<(), Failure> {
    let file = file(context)?;
    let line = Secret::new(format!("{} {}", opened.scope.shown_url(), key.expose()));
    match file.write(&line, opened.scope.keyring.value) {
        Ok(stored) => context.note(&format!(
            "the public key is stored in {}",
            stored.words(file.path())
        )),
        Err(error) => context.warn(&unusable(&file, &error).message),
    }
    Ok(())
}

fn unusable(file: &SecretFile<'_>, error: &SecretFileError) -> Failure {
    let message = format!("can't use `{}`: {error}", file.path().display());
    failed("key_unusable", message).hint("remove it, or set BOT_CLI_PUBLIC_KEY")
}

fn file<'a>(context: &'a CommandContext<'_>) -> Result<SecretFile<'a>, Failure> {
    let folder = context.environment.config_folder.as_ref();
    let folder = folder.ok_or_else(crate::config::homeless)?;
    Ok(SecretFile::new(folder.join("public-key"), context))
}

/// Returns the failure for an agent that the service can't find when called with the public key: either the agent doesn't exist, or the key
/// belongs to another organization.
fn not_started(opened: &Opened<'_>) -> Failure {
    let name = &opened.name;
    if matches!(opened.service.agent(name), Ok(Some(_))) {
        let message = format!("the public key does not belong to the organization of `{name}`");
        return failed("key_refused", message).outcome(ChangeState::NotDone);
    }
    opened.not_found().outcome(ChangeState::NotDone)
}

/// Returns the failure for a public key that the service rejects.
fn refused_key(context: &CommandContext<'_>) -> Failure {
    let message = "the service does not accept the public key, so no session was started";
    let failure = Failure::new(Exit::NotAllowed, "key_refused", message);
    let failure = failure.outcome(ChangeState::NotDone);
    if context.environment.public_key.is_some() {
        return failure.hint("it is from BOT_CLI_PUBLIC_KEY: replace or unset it");
    }
    match file(context) {
        Ok(file) if file.exists() => failure.hint(format!(
            "it may be in `{}`: remove that file to be asked for another one",
            file.path().display()
        )),
        Ok(_) | Err(_) => failure.hint("bot-cli cloud keys list"),
    }
}

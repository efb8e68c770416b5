//! The `auth` commands.

use std::process::Stdio;
use std::time::Duration;

use bot_cli_protocol::failure::{Exit, Failure, Field};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::Session;
use serde_json::{Value, json};

use super::context::CommandContext;
use super::kind::{self, Kind};
use super::open;
use super::token::{self, Access};
use crate::address::address;
use crate::auth::browser;
use crate::auth::credentials::{Credentials, parse_token};
use crate::auth::issuer::Issuer;
use crate::auth::sign_in::SignIn;
use crate::backend::hosted::{ServiceError, access};
use crate::domain::{BackendName, Organization, TokenKind};
use crate::input::text;
use crate::options::Login;
use crate::platform::apart;
use crate::scope::{Scope, Setting, Wanted};
use crate::text::theirs;
use crate::words::failed;

/// The time limit for a revocation request.
const PATIENCE: Duration = Duration::from_secs(5);

const REST: &str = "a copy of it works until it expires, and longer if it is renewed";

pub(super) fn login(context: CommandContext<'_>, options: &Login) -> Result<Reply, Failure> {
    let session = context.session;
    let scope = hosted(context)?;
    if options.token_stdin {
        let token = token_from_stdin(session)?;
        let credentials = Credentials {
            api_url: scope.shown_url(),
            kind: kind_of(context, &scope, &token)?,
            token,
            refresh: None,
        };
        return signed_in(context, &scope, &credentials);
    }
    if !session.interactive() && !options.no_browser {
        let message = "signing in with a browser needs a terminal";
        return Err(Failure::new(Exit::Usage, "no_terminal", message)
            .hint("bot-cli cloud auth login --token-stdin < FILE")
            .hint("`--no-browser` shows the address that is to be opened"));
    }
    let show = |address: &str| {
        // Always show the address: the browser may be on another machine.
        session.warn(&format!("open this address to sign in: {address}"));
        if !options.no_browser && !open_browser(address) {
            session.info("there is no browser to open");
        }
    };
    // The browser shows success only after the sign-in is stored.
    let confirm = |granted: Credentials| {
        let kind = kind_of(context, &scope, &granted.token)?;
        signed_in(context, &scope, &Credentials { kind, ..granted })
    };
    browser::sign_in(&scope.api_url.value, scope.pace, session, show, confirm)
}

/// Opens the URL with the first available program. The program runs detached from this process and does not receive the token.
fn open_browser(address: &str) -> bool {
    ::open::commands(address).into_iter().any(|mut command| {
        let started = apart(&mut command)
            .env_remove("BOT_CLI_TOKEN")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        started.is_ok()
    })
}

/// Returns the token's kind. Fails if the service rejects the token.
fn kind_of(
    context: CommandContext<'_>,
    scope: &Scope,
    token: &Secret,
) -> Result<TokenKind, Failure> {
    let access = Access {
        token: token.clone(),
        kind: None,
        // The token is not stored yet, so it can't be renewed.
        from_environment: true,
    };
    let client = kind::client(context, scope, &access)?;
    Ok(access::probe(&client)?.0)
}

/// Stores the credentials of a sign-in and returns the command's reply.
fn signed_in(
    context: CommandContext<'_>,
    scope: &Scope,
    credentials: &Credentials,
) -> Result<Reply, Failure> {
    let session = context.session;
    let sign_in = SignIn::new(session, context.environment)?;
    // The lock keeps other processes from renewing an earlier sign-in.
    let lock = sign_in.lock()?;
    let kept = sign_in.keep(credentials, scope.keyring.value)?;
    drop(lock);
    if context.environment.token.is_some() {
        session.warn("BOT_CLI_TOKEN is set and wins over this sign-in");
    }
    let Setting { value, source } = open::scope(context, &Wanted::default())?.backend;
    if value != BackendName::HOSTED {
        let backend = format!("the backend is `{value}`{}", source.words());
        session.warn(&format!("secrets still go elsewhere: {backend}"));
    }
    let (url, kind) = (&credentials.api_url, kind_words(credentials.kind));
    let path = sign_in.file.path();
    let shown = kept.words(path);
    let text = format!("Signed in to {url} with {kind} (kept in {shown})\n");
    let reply = Reply::text(text).next("bot-cli cloud secrets list");
    Ok(reply.data(json!({
        "signed_in": true,
        "api_url": url,
        "kind": credentials.kind,
        "credentials": path,
        "source": kept.name(),
    })))
}

pub(super) fn logout(context: CommandContext<'_>) -> Result<Reply, Failure> {
    let session = context.session;
    let sign_in = SignIn::new(session, context.environment)?;
    let file = &sign_in.file;
    // The lock keeps other processes from storing a renewed sign-in.
    let lock = file.exists().then(|| sign_in.lock()).transpose()?;
    let kept = file.place().words(file.path());
    let found = sign_in.find();
    // Delete first: whatever fails later, this machine is signed out.
    let had = sign_in.forget()?;
    drop(lock);
    if context.environment.token.is_some() {
        session.warn("BOT_CLI_TOKEN is still set, so commands stay signed in");
    }
    if !had {
        return Ok(Reply::text("Nobody was signed in\n")
            .data(json!({ "signed_in": false, "changed": false })));
    }
    let mut text = format!("Signed out: removed from {kept}");
    let mut data = json!({ "signed_in": false, "changed": true, "revoked": false });
    let revoked = match &found {
        Ok(Some(credentials)) => {
            if let Some(what) = still_works(credentials) {
                data["reason"] = json!("not_from_issuer");
                let text = format!("{text}; the {what} itself still works\n");
                return Ok(Reply::text(text).data(data));
            }
            revoke(context, credentials)
        }
        Ok(None) => Err(failed("not_there", "it was not there")),
        Err(why) => Err(failed("broken_credentials", why.to_string())),
    };
    match revoked {
        Ok(()) => {
            text += ", and the sign-in is revoked";
            data["revoked"] = json!(true);
        }
        Err(failure) if failure.exit == Exit::Cancelled => return Err(failure),
        Err(Failure { code, message, .. }) => {
            session.warn(&format!("the sign-in is not revoked: {message}; {REST}"));
            data["reason"] = json!(code);
        }
    }
    Ok(Reply::text(text + "\n").data(data))
}

/// Returns the name of the token's kind, if the token was not created by signing in and stays valid after signing out.
fn still_works(credentials: &Credentials) -> Option<&'static str> {
    match credentials.kind {
        TokenKind::ApiKey => Some("private API key"),
        TokenKind::User => {
            let is_personal = credentials.token.expose().starts_with("pcc_pat_");
            (credentials.refresh.is_none() && is_personal).then_some("personal access token")
        }
    }
}

/// Revokes the sign-in. Sends the request only to the issuer for the token's own service.
fn revoke(context: CommandContext<'_>, credentials: &Credentials) -> Result<(), Failure> {
    context.session.progress("Revoking the sign-in", None, None);
    // Invalid settings must not prevent signing out.
    let scope = open::scope(context, &Wanted::default());
    let mut pace = scope.map_or(context.environment.pace, |scope| scope.pace);
    pace.request = pace.request.min(PATIENCE);
    let base = address(&credentials.api_url);
    let base = base.map_err(|failure| ServiceError::InvalidResponse(failure.message));
    match base.and_then(|base| Issuer::revoked(&base, pace, context.session, credentials)) {
        Ok(true) => Ok(()),
        Ok(false) => Err(failed("not_offered", "the issuer offers no revocation")),
        Err(ServiceError::Cancelled) => {
            let message = "cancelled: this machine is signed out, but the sign-in is not revoked";
            Err(Failure::cancelled().message(message).hint(REST))
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) fn status(context: CommandContext<'_>) -> Result<Reply, Failure> {
    let configured = open::scope(context, &Wanted::default())?;
    if let Kind::Installed(_) = Kind::of(context.environment, &configured.backend)? {
        return status_of_installed(context, configured);
    }
    let mut scope = hosted(context)?;
    let access = token::access(context, &scope)?;
    let client = kind::client(context, &scope, &access)?;
    let (kind, organizations) = access::probe(&client)?;
    if let (None, Some(all)) = (&scope.organization, &organizations) {
        scope.organization = kind::first_organization(all).ok();
    }
    let (from, source) = if access.from_environment {
        ("environment", "BOT_CLI_TOKEN".to_owned())
    } else {
        let SignIn { file, .. } = SignIn::new(context.session, context.environment)?;
        let kept = file.place();
        (kept.name(), kept.words(file.path()))
    };
    // An API key has no user, and the service does not reveal its organization.
    let is_user = kind == TokenKind::User;
    let user = is_user.then(|| access::user(&client).ok()).flatten();
    let user = user.map(|user| theirs(&user));
    let of = user
        .as_ref()
        .map_or(String::new(), |user| format!(" as {user}"));
    let (line, organization) = told(scope.organization.as_ref().filter(|_| is_user));
    let (url, kind_words) = (scope.shown_url(), kind_words(kind));
    let text = format!("Signed in to {url}{of} with {kind_words} ({source})\n{line}");
    Ok(Reply::text(text).data(json!({
        "signed_in": true,
        "api_url": url,
        "kind": kind,
        "source": from,
        "user": user,
        "organization": organization,
    })))
}

/// Opens an installed backend and returns the status. Installed backends handle the sign-in themselves.
fn status_of_installed(context: CommandContext<'_>, scope: Scope) -> Result<Reply, Failure> {
    let opened = open::open_scope(context, scope)?;
    let (place, keeper) = (opened.place(), &opened.profile.keeper);
    let (line, organization) = told(opened.scope.organization.as_ref());
    let text = format!("Using {place} with {keeper}, which signs in by itself\n{line}");
    Ok(Reply::text(text).data(json!({
        "signed_in": true,
        "backend": opened.scope.backend.value.as_str(),
        "place": place,
        "organization": organization,
    })))
}

/// Formats the organization as text and as JSON.
fn told(organization: Option<&Setting<Organization>>) -> (String, Value) {
    let Some(Setting { value, source }) = organization else {
        return (String::new(), Value::Null);
    };
    let source = source.name();
    let data = json!({ "value": value.as_str(), "source": source });
    (format!("Organization: {value} ({source})\n"), data)
}

/// Returns the hosting service's scope, regardless of the configured backend.
fn hosted(context: CommandContext<'_>) -> Result<Scope, Failure> {
    open::scope(context, &Wanted::of(BackendName::HOSTED.as_str(), None))
}

fn token_from_stdin(session: &Session) -> Result<Secret, Failure> {
    let wrong = |problem: &str| {
        let field = Field::new("token", problem).flag("--token-stdin");
        Failure::invalid_input(vec![field])
    };
    let text = text(session.stdin()?).map_err(wrong)?;
    if text.expose().trim().is_empty() {
        return Err(wrong("missing: stdin is empty"));
    }
    let token = parse_token(text.expose());
    let token = token.ok_or_else(|| wrong("has characters that no token has"))?;
    token::refuse_public(&token)?;
    Ok(token)
}

const fn kind_words(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::User => "a token of your own",
        TokenKind::ApiKey => "a private API key",
    }
}

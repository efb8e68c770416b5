//! `auth login` and `auth status`.

use std::io;
use std::process::Stdio;

use bot_cli_protocol::failure::{Exit, Failure, Field};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;
use serde_json::{Value, json};

use super::context::CommandContext;
use super::kind::{self, Kind};
use super::open;
use super::token::{self, Access};
use crate::auth::browser;
use crate::auth::credentials::{self, Credentials, parse_token};
use crate::backend::hosted::access;
use crate::domain::{BackendName, Organization, TokenKind};
use crate::input::text;
use crate::options::Login;
use crate::platform::apart;
use crate::scope::{Scope, Setting, Wanted};
use crate::text::theirs;

pub(super) fn login(context: &CommandContext<'_>, options: &Login) -> Result<Reply, Failure> {
    let scope = hosted(context)?;
    if options.token_stdin {
        let token = token_from_stdin(context)?;
        let credentials = Credentials {
            api_url: scope.shown_url(),
            kind: kind_of(context, &scope, &token)?,
            token,
            refresh: None,
        };
        return signed_in(context, &scope, &credentials);
    }
    if !context.interactive() && !options.no_browser {
        let message = "signing in with a browser needs a terminal";
        return Err(Failure::new(Exit::Usage, "no_terminal", message)
            .hint("bot-cli cloud auth login --token-stdin < FILE")
            .hint("`--no-browser` shows the address that is to be opened"));
    }
    let show = |address: &str| {
        // The address is shown in any case: the browser may be on another machine.
        context.warn(&format!("open this address to sign in: {address}"));
        if !options.no_browser && open_browser(address).is_err() {
            context.tell("there is no browser to open");
        }
    };
    // The browser says that it is done when it is done.
    let confirm = |granted: Credentials| {
        let kind = kind_of(context, &scope, &granted.token)?;
        signed_in(context, &scope, &Credentials { kind, ..granted })
    };
    browser::sign_in(&scope.api_url.value, scope.pace, context, show, confirm)
}

/// Starts the first program there is that opens addresses. It goes on without us, and has no token.
fn open_browser(address: &str) -> io::Result<()> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for mut command in ::open::commands(address) {
        let started = apart(&mut command)
            .env_remove("BOT_CLI_TOKEN")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match started {
            Ok(_) => return Ok(()),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Returns the kind of a token, if the service accepts it.
fn kind_of(
    context: &CommandContext<'_>,
    scope: &Scope,
    token: &Secret,
) -> Result<TokenKind, Failure> {
    let access = Access {
        token: token.clone(),
        kind: None,
        // It is not stored yet, so there is nothing to renew.
        from_environment: true,
    };
    let client = kind::client(context, scope, &access)?;
    Ok(access::probe(&client)?.kind)
}

/// Stores a sign-in, and says so.
fn signed_in(
    context: &CommandContext<'_>,
    scope: &Scope,
    credentials: &Credentials,
) -> Result<Reply, Failure> {
    let place = context.credentials()?;
    // No other process renews an earlier sign-in meanwhile.
    let lock = credentials::lock(place.path(), context)?;
    let kept = credentials::keep(&place, credentials, scope.keyring.value)?;
    drop(lock);
    if context.environment.token.is_some() {
        context.warn("BOT_CLI_TOKEN is set and wins over this sign-in");
    }
    let Setting { value, source } = open::scope(context, &Wanted::default())?.backend;
    if value != BackendName::HOSTED {
        let source = source.words();
        context.warn(&format!(
            "secrets still go elsewhere: the backend is `{value}`{source}"
        ));
    }
    let (url, kind) = (&credentials.api_url, kind_words(credentials.kind));
    let shown = kept.words(place.path());
    let text = format!("Signed in to {url} with {kind} (kept in {shown})\n");
    let data = json!({
        "signed_in": true,
        "api_url": url,
        "kind": credentials.kind,
        "credentials": place.path(),
        "source": kept.name(),
    });
    Ok(Reply::text(text)
        .data(data)
        .next("bot-cli cloud secrets list"))
}

pub(super) fn status(context: &CommandContext<'_>) -> Result<Reply, Failure> {
    let configured = open::scope(context, &Wanted::default())?;
    if let Kind::Installed(_) = Kind::of(&context.environment, &configured.backend)? {
        return status_of_installed(context, configured);
    }
    let mut scope = hosted(context)?;
    let access = token::access(context, &scope)?;
    let client = kind::client(context, &scope, &access)?;
    let probed = access::probe(&client)?;
    let kind = probed.kind;
    if let (None, Some(all)) = (&scope.organization, &probed.organizations) {
        scope.organization = kind::first_organization(all).ok();
    }
    let (from, source) = if access.from_environment {
        ("environment", "BOT_CLI_TOKEN".to_owned())
    } else {
        let place = context.credentials()?;
        let kept = place.place();
        (kept.name(), kept.words(place.path()))
    };
    // An API key has no person, and its organization is the service's secret.
    let (mut user, mut organization) = (None, None);
    if kind == TokenKind::User {
        user = access::user(&client).ok().map(|user| theirs(&user));
        organization = scope.organization.as_ref();
    }
    let of = user
        .as_ref()
        .map_or(String::new(), |user| format!(" as {user}"));
    let (line, organization) = told(organization);
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

/// Reports whether an installed backend, which signs in by itself, opens.
fn status_of_installed(context: &CommandContext<'_>, scope: Scope) -> Result<Reply, Failure> {
    let opened = open::open_scope(context, scope)?;
    let (place, keeper) = (opened.place(), &opened.profile().keeper);
    let (line, organization) = told(opened.scope.organization.as_ref());
    let text = format!("Using {place} with {keeper}, which signs in by itself\n{line}");
    Ok(Reply::text(text).data(json!({
        "signed_in": true,
        "backend": opened.scope.backend.value.as_str(),
        "place": place,
        "organization": organization,
    })))
}

/// Returns the organization, for people and for programs.
fn told(organization: Option<&Setting<Organization>>) -> (String, Value) {
    let Some(Setting { value, source }) = organization else {
        return (String::new(), Value::Null);
    };
    let source = source.name();
    let data = json!({ "value": value.as_str(), "source": source });
    (format!("Organization: {value} ({source})\n"), data)
}

/// Returns the scope of the service, whatever backend is configured.
fn hosted(context: &CommandContext<'_>) -> Result<Scope, Failure> {
    open::scope(context, &Wanted::of(BackendName::HOSTED.as_str(), None))
}

fn token_from_stdin(context: &CommandContext<'_>) -> Result<Secret, Failure> {
    let wrong = |problem: &str| {
        let field = Field::new("token", problem).flag("--token-stdin");
        Failure::invalid_input(vec![field])
    };
    let text = text(context.stdin()?).map_err(wrong)?;
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

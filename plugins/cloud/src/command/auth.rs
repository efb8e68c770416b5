//! `auth login` and `auth status`.

use std::io;
use std::process::Stdio;

use bot_cli_protocol::failure::{Exit, Failure, Field};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;
use serde_json::{Value, json};

use super::context::CommandContext;
use super::kind;
use super::open;
use super::token::{self, Access};
use crate::auth::credentials::{self, Credentials, parse_token};
use crate::auth::{browser, import};
use crate::backend::hosted::access;
use crate::backend::hosted::http::Client;
use crate::config::homeless;
use crate::domain::{BackendName, Organization, TokenKind};
use crate::options::Login;
use crate::platform::apart;
use crate::scope::{Scope, Setting, Wanted};
use crate::secret_file::Storage;
use crate::text::theirs;

pub(super) fn login(context: &CommandContext<'_>, options: &Login) -> Result<Reply, Failure> {
    let scope = hosted(context)?;
    if options.token_stdin {
        let token = token_from_stdin(context)?;
        let credentials = Credentials {
            api_url: scope.shown_url(),
            kind: kind_of(context, &scope, &token)?,
            token,
            organization: None,
            refresh: None,
            shared: false,
        };
        return signed_in(context, &scope, &credentials);
    }
    if options.import {
        return take_over(context, &scope);
    }
    if !context.interactive() && !options.no_browser {
        return Err(Failure::new(
            Exit::Usage,
            "no_terminal",
            "signing in with a browser needs a terminal",
        )
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

/// The sign-in of the service's own client, if the service knows it.
fn take_over(context: &CommandContext<'_>, scope: &Scope) -> Result<Reply, Failure> {
    let home = context.environment.home.as_deref().ok_or_else(homeless)?;
    let path = import::path(home);
    let imported = import::read(&path)?;
    let mut credentials = Credentials {
        api_url: scope.shown_url(),
        kind: TokenKind::User,
        token: imported.token,
        organization: imported.organization,
        // What can't be renewed can't be spent either.
        shared: imported.refresh.is_some(),
        refresh: imported.refresh,
    };
    if token::runs_out(&credentials) {
        credentials = renewed(context, scope, credentials)?;
    }
    let kept = Credentials {
        kind: kind_of(context, scope, &credentials.token)?,
        ..credentials
    };
    let mut reply = signed_in(context, scope, &kept)?;
    if kept.shared {
        context.warn(&format!(
            "bot-cli and the client of `{}` share one sign-in now: when bot-cli renews it, the other client has to sign in again; when the other client renews it, bot-cli takes over the result (`bot-cli cloud auth login` makes a sign-in of its own)",
            path.display()
        ));
    }
    reply.data["shared"] = json!(kept.shared);
    Ok(reply)
}

/// Renews an imported sign-in that is about to expire. The new one is stored at once, because the other client's is then invalid.
fn renewed(
    context: &CommandContext<'_>,
    scope: &Scope,
    imported: Credentials,
) -> Result<Credentials, Failure> {
    let place = context.credentials()?;
    let _lock = credentials::lock(place.path(), context)?;
    let still = token::holds(&imported).then(|| imported.clone());
    match (token::exchange(context, scope, &place, imported), still) {
        (Err(failure), Some(still)) if !token::is_stop(&failure) => Ok(still),
        (exchanged, _) => exchanged,
    }
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
        organization: None,
        // It is not kept yet, so there is nothing to renew.
        from_environment: true,
    };
    let client = kind::client(context, scope, &access)?;
    let probed = access::probe(&client)?;
    Ok(probed.kind)
}

/// Keeps what signing in gave; nobody renews an earlier sign-in meanwhile.
fn keep(
    context: &CommandContext<'_>,
    scope: &Scope,
    credentials: &Credentials,
) -> Result<Storage, Failure> {
    let place = context.credentials()?;
    let _lock = credentials::lock(place.path(), context)?;
    credentials::keep(&place, credentials, scope.keyring.value)
}

/// Keeps what signing in gave, and says so.
fn signed_in(
    context: &CommandContext<'_>,
    scope: &Scope,
    credentials: &Credentials,
) -> Result<Reply, Failure> {
    let kept = keep(context, scope, credentials)?;
    let place = context.credentials()?;
    if context.environment.token.is_some() {
        context.warn("BOT_CLI_TOKEN is set and wins over this sign-in");
    }
    let backend = open::scope(context, &Wanted::default())?.backend;
    if backend.value != BackendName::HOSTED {
        let (name, source) = (&backend.value, backend.source.words());
        let kind = kind::of(&context.environment, &backend);
        let keeper = kind.map_or_else(|_| format!("`{name}`"), |kind| kind.profile().keeper);
        context.warn(&format!(
            "secrets still go to {keeper}: the backend is `{name}`{source}"
        ));
    }
    Ok(Reply::text(format!(
        "Signed in to {} with {} (kept in {})\n",
        credentials.api_url,
        kind_words(credentials.kind),
        kept.words(place.path())
    ))
    .data(json!({
        "signed_in": true,
        "api_url": credentials.api_url,
        "kind": credentials.kind,
        "credentials": place.path(),
        "source": kept.name(),
    }))
    .next("bot-cli cloud secrets list"))
}

pub(super) fn status(context: &CommandContext<'_>) -> Result<Reply, Failure> {
    let configured = open::scope(context, &Wanted::default())?;
    if kind::of(&context.environment, &configured.backend)?.signs_in_itself() {
        return status_of_its_own(context, configured);
    }
    let mut scope = hosted(context)?;
    let access = token::access(context, &scope)?;
    let client = kind::client(context, &scope, &access)?;
    let probed = access::probe(&client)?;
    let (kind, user) = (probed.kind, user(&client, probed.kind));
    if let Some(all) = &probed.organizations {
        kind::settle_organization(&mut scope, &access, all);
    }
    let (from, source) = if access.from_environment {
        ("environment", "BOT_CLI_TOKEN".to_owned())
    } else {
        let place = context.credentials()?;
        let kept = place.place();
        (kept.name(), kept.words(place.path()))
    };
    let of = match &user {
        Some(user) => format!(" as {}", theirs(user)),
        None => String::new(),
    };
    // An API key's organization is the service's secret.
    let organization = scope
        .organization
        .as_ref()
        .filter(|_| kind == TokenKind::User);
    let (line, organization) = told(organization);
    Ok(Reply::text(format!(
        "Signed in to {}{of} with {} ({source})\n{line}",
        scope.shown_url(),
        kind_words(kind)
    ))
    .data(json!({
        "signed_in": true,
        "api_url": scope.shown_url(),
        "kind": kind,
        "source": from,
        "user": user.as_deref().map(theirs),
        "organization": organization,
    })))
}

/// Whether a backend that signs in by itself opens.
fn status_of_its_own(context: &CommandContext<'_>, scope: Scope) -> Result<Reply, Failure> {
    let opened = open::open_scope(context, scope)?;
    let (place, keeper) = (opened.place(), &opened.profile().keeper);
    let scope = &opened.scope;
    let (line, organization) = told(scope.organization.as_ref());
    let text = format!("Using {place} with {keeper}, which signs in by itself\n{line}");
    Ok(Reply::text(text).data(json!({
        "signed_in": true,
        "backend": scope.backend.value.as_str(),
        "place": place,
        "organization": organization,
    })))
}

/// The organization, for people and for programs.
fn told(organization: Option<&Setting<Organization>>) -> (String, Value) {
    let Some(Setting { value, source }) = organization else {
        return (String::new(), Value::Null);
    };
    let source = source.name();
    let data = json!({ "value": value.as_str(), "source": source });
    (format!("Organization: {value} ({source})\n"), data)
}

/// The person whose token it is. Nobody is worse off without the name.
fn user(client: &Client<'_>, kind: TokenKind) -> Option<String> {
    match kind {
        TokenKind::User => access::user(client).ok(),
        TokenKind::ApiKey => None,
    }
}

/// The scope of the service, whatever keeps secrets otherwise.
fn hosted(context: &CommandContext<'_>) -> Result<Scope, Failure> {
    open::scope(context, &Wanted::of(BackendName::HOSTED.as_str(), None))
}

fn token_from_stdin(context: &CommandContext<'_>) -> Result<Secret, Failure> {
    let bytes = context.stdin()?;
    let wrong = |problem: &str| {
        let field = Field::new("token", problem).flag("--token-stdin");
        Failure::invalid_input(vec![field])
    };
    let text = String::from_utf8(bytes)
        .map(Secret::new)
        .map_err(|_| wrong("is not UTF-8"))?;
    if text.expose().trim().is_empty() {
        return Err(wrong("missing: stdin is empty"));
    }
    let token =
        parse_token(text.expose()).ok_or_else(|| wrong("has characters that no token has"))?;
    token::refuse_public(&token)?;
    Ok(token)
}

const fn kind_words(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::User => "a token of your own",
        TokenKind::ApiKey => "a private API key",
    }
}

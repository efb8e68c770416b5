//! `auth login` and `auth status`.

use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::secret::Secret;
use serde_json::json;

use super::context::CommandContext;
use super::open;
use super::token::{self, Access};
use crate::auth::credentials::{self, Credentials, TokenKind};
use crate::auth::{browser, import};
use crate::backend::hosted::access;
use crate::config::homeless;
use crate::input::invalid;
use crate::options::Login;
use crate::scope::{BackendKind, Scope, Wanted};
use crate::secret_file::Place;
use crate::words;

pub(super) fn login(context: &CommandContext<'_>, options: &Login) -> Result<Reply, Failure> {
    let scope = hosted(context)?;
    if options.token_stdin {
        let token = token_from_stdin(context)?;
        let credentials = known(context, &scope, token)?;
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
    let credentials = browser::sign_in(&scope.api_url.value, scope.pace, context, show)?;
    signed_in(context, &scope, &credentials)
}

fn open_browser(address: &str) -> std::io::Result<()> {
    ::open::that_detached(address)
}

/// The sign-in of the service's own client, if the service knows it.
fn take_over(context: &CommandContext<'_>, scope: &Scope) -> Result<Reply, Failure> {
    let home = context.environment.home.as_deref().ok_or_else(homeless)?;
    let imported = import::read(&import::path(home))?;
    let credentials = Credentials {
        api_url: scope.shown_url(),
        kind: TokenKind::User,
        token: imported.token,
        organization: imported.organization,
        refresh: imported.refresh,
    };
    let renewed = token::renewed(context, scope, &credentials)?;
    if let Some(renewed) = &renewed {
        // The other client's is spent now, so this one must not be lost, whatever comes.
        keep(context, scope, renewed)?;
    }
    let imported = renewed.unwrap_or(credentials);
    let checked = known(context, scope, imported.token.clone())?;
    let kept = Credentials {
        kind: checked.kind,
        ..imported
    };
    signed_in(context, scope, &kept)
}

/// A token that the service accepts.
fn known(
    context: &CommandContext<'_>,
    scope: &Scope,
    token: Secret,
) -> Result<Credentials, Failure> {
    let access = Access {
        token: token.clone(),
        kind: None,
        organization: None,
        from_environment: true,
    };
    let client = open::client(context, scope, &access)?;
    let probed = access::probe(&client).map_err(|error| words::failure(&error))?;
    Ok(Credentials {
        api_url: scope.shown_url(),
        kind: probed.kind,
        token,
        organization: None,
        refresh: None,
    })
}

/// Keeps what signing in gave; nobody renews an earlier sign-in meanwhile.
fn keep(
    context: &CommandContext<'_>,
    scope: &Scope,
    credentials: &Credentials,
) -> Result<Place, Failure> {
    let place = context.credentials()?;
    let _lock = credentials::lock(place.path())?;
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
    if backend.value == BackendKind::Local {
        let source = backend.source.words();
        context.warn(&format!(
            "secrets still go to the vault of this machine: the backend is `local`{source}"
        ));
    }
    Ok(Reply {
        text: format!(
            "Signed in to {} with {} (kept in {})\n",
            credentials.api_url,
            kind_words(credentials.kind),
            kept.words(place.path())
        ),
        data: json!({
            "signed_in": true,
            "api_url": credentials.api_url,
            "kind": credentials.kind,
            "credentials": place.path(),
            "source": kept.name(),
        }),
        next: vec!["bot-cli cloud secrets list".to_owned()],
    })
}

pub(super) fn status(context: &CommandContext<'_>) -> Result<Reply, Failure> {
    let scope = hosted(context)?;
    let access = token::access(context, &scope)?;
    let client = open::client(context, &scope, &access)?;
    let probed = access::probe(&client).map_err(|error| words::failure(&error))?;
    let kind = probed.kind;
    let (from, source) = if access.from_environment {
        ("environment", "BOT_CLI_TOKEN".to_owned())
    } else {
        let place = context.credentials()?;
        let kept = place.place();
        (kept.name(), kept.words(place.path()))
    };
    Ok(Reply {
        text: format!(
            "Signed in to {} with {} ({source})\n",
            scope.shown_url(),
            kind_words(kind)
        ),
        data: json!({
            "signed_in": true,
            "api_url": scope.shown_url(),
            "kind": kind,
            "source": from,
        }),
        next: Vec::new(),
    })
}

/// The scope of the service, whatever keeps secrets otherwise.
fn hosted(context: &CommandContext<'_>) -> Result<Scope, Failure> {
    let wanted = Wanted {
        backend: Some(BackendKind::Hosted.to_string()),
        ..Wanted::default()
    };
    open::scope(context, &wanted)
}

fn token_from_stdin(context: &CommandContext<'_>) -> Result<Secret, Failure> {
    let bytes = context.stdin()?;
    let wrong = |problem: &str| {
        invalid(vec![(
            "token".to_owned(),
            Some("--token-stdin"),
            problem.to_owned(),
        )])
    };
    let text = String::from_utf8(bytes)
        .map(Secret::new)
        .map_err(|_| wrong("is not UTF-8"))?;
    let token = text.expose().trim();
    if token.is_empty() {
        return Err(wrong("missing: stdin is empty"));
    }
    if token
        .chars()
        .any(|c| c.is_whitespace() || c.is_control() || !c.is_ascii())
    {
        return Err(wrong("has characters that no token has"));
    }
    let token = Secret::new(token.to_owned());
    token::refuse_public(&token)?;
    Ok(token)
}

const fn kind_words(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::User => "a token of your own",
        TokenKind::ApiKey => "a private API key",
    }
}

//! The token for requests to the service.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::secret::Secret;

use super::context::CommandContext;
use crate::auth::credentials::parse_token;
use crate::auth::sign_in::SignIn;
use crate::backend::hosted::{ServiceError, access};
use crate::domain::TokenKind;
use crate::scope::Scope;

pub struct Access {
    pub token: Secret,
    pub kind: Option<TokenKind>,
    /// Whether the token comes from `BOT_CLI_TOKEN`.
    pub from_environment: bool,
}

/// Returns the token from the environment or from the stored sign-in.
pub fn access(context: CommandContext<'_>, scope: &Scope) -> Result<Access, Failure> {
    let Some(token) = &context.environment.token else {
        let sign_in = SignIn::new(context.session, context.environment)?;
        let credentials = sign_in.usable(scope)?;
        return Ok(Access {
            token: credentials.token,
            kind: Some(credentials.kind),
            from_environment: false,
        });
    };
    let token = parse_token(token.expose()).ok_or_else(|| {
        let failure = ServiceError::InvalidToken.explain();
        failure
            .message("BOT_CLI_TOKEN has characters that no token has, so the service was not asked")
    })?;
    refuse_public(&token)?;
    Ok(Access {
        kind: access::kind_of(&token),
        token,
        from_environment: true,
    })
}

/// Returns a replacement for a rejected token, or `None` if no other token is available.
pub fn replacement(context: CommandContext<'_>, scope: &Scope, refused: &Secret) -> Option<Secret> {
    let sign_in = SignIn::new(context.session, context.environment).ok()?;
    match sign_in.renewed(scope, refused) {
        Ok(renewed) => Some(renewed.token).filter(|token| token != refused),
        Err(failure) => {
            let line = format!("your sign-in is not renewed: {}", failure.message);
            // A later attempt may succeed, so this is worth a warning.
            if failure.exit == Exit::Unavailable {
                context.session.warn(&line);
            } else {
                context.session.info(&line);
            }
            None
        }
    }
}

/// Fails for a public API key, which can't manage secrets.
pub fn refuse_public(token: &Secret) -> Result<(), Failure> {
    if token.expose().starts_with("pk_") {
        let message = "this is a public API key, which can't manage secrets";
        return Err(Failure::new(Exit::NotAllowed, "not_allowed", message)
            .hint("use a personal access token or a private API key"));
    }
    Ok(())
}

//! The `secrets image-pull-secret` command.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::Question;
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::Session;
use serde_json::json;

use super::ask::ask_all_or;
use super::change::{Change, Work, check_credentials};
use super::context::CommandContext;
use super::open;
use super::target::target;
use crate::domain::{SetKind, SetName, registry};
use crate::input::{both, text, wrong};
use crate::options::ImagePullSecret;

pub(super) fn put(
    context: CommandContext<'_>,
    options: &ImagePullSecret,
) -> Result<Reply, Failure> {
    let name = SetName::parse(&options.name).map_err(|problem| wrong("name", problem));
    let host = registry(&options.host).map_err(|problem| wrong("host", problem));
    let input = both(both(name, host), given(context.session, options));
    let wanted = options.scope.in_region(options.region.as_ref());
    let (((name, host), given), mut opened) = open::open_with(context, &wanted, input)?;
    check_credentials(&opened, given.as_slice())?;
    // The listing contains sets of both kinds, and everything that is needed about credentials.
    let mut sets = opened.list()?.into_iter();
    let found = sets.find(|set| set.name == name.as_str());
    let target = target(&mut opened, &name, SetKind::ImagePullSecret, found)?;
    // Typed credentials are always encoded.
    let is_encoded = !options.no_encode || given.is_none();
    let mut manner = options.manner;
    let credentials = match given {
        Some(credentials) => credentials,
        None if manner.dry_run => Secret::new(String::new()),
        None => ask(context.session)?,
    };
    // A non-interactive caller has already given every argument, so it needs no confirmation.
    manner.skip |= !target.exists || !context.session.interactive();
    let work = Work::Credentials { host, credentials };
    let change = Change { name, target, work };
    let mut reply = change.make(context, &opened, manner)?;
    reply.data["encoded"] = json!(is_encoded);
    Ok(reply)
}

/// Returns the credentials from the arguments or standard input, in encoded form. Returns `None` if the user must enter them.
fn given(session: &Session, options: &ImagePullSecret) -> Result<Option<Secret>, Failure> {
    let wrong = |problem: String| wrong("credentials", problem);
    if !options.rest.is_empty() {
        let problem = "are one word: quote them if they have a blank";
        return Err(wrong(problem.to_owned()));
    }
    let text = match options.credentials.as_deref() {
        None => return Ok(None),
        Some("-") => {
            let text = text(session.stdin()?);
            text.map_err(|problem| wrong(problem.replacen("is ", "are ", 1)))?
        }
        Some(text) => Secret::new(text.to_owned()),
    };
    let text = text.expose().trim_end_matches(['\n', '\r']);
    let credentials = if options.no_encode {
        already_encoded(text)
    } else {
        encoded(text)
    };
    credentials.map(Some).map_err(wrong)
}

/// Checks base64-encoded credentials. The error never quotes the credentials.
fn already_encoded(given: &str) -> Result<Secret, String> {
    match STANDARD.decode(given).map(zeroize::Zeroizing::new) {
        Ok(decoded) if decoded.contains(&b':') => Ok(Secret::new(given.to_owned())),
        Ok(_) | Err(_) => Err("are not the base64 of `USER:TOKEN`".to_owned()),
    }
}

/// Encodes credentials for storage. The error never quotes the credentials.
fn encoded(given: &str) -> Result<Secret, String> {
    match given.split_once(':') {
        Some((user, token)) if !user.is_empty() && !token.is_empty() => {
            if given.chars().any(char::is_control) {
                return Err("have a control character in them".to_owned());
            }
            Ok(Secret::new(STANDARD.encode(given)))
        }
        _ => Err("are not `USER:TOKEN`".to_owned()),
    }
}

/// Prompts for the user name and the token, and returns both in encoded form. Input of the token is hidden.
fn ask(session: &Session) -> Result<Secret, Failure> {
    let user = Question::text("username", "User name at the registry");
    let token = Question::password("token", "Token or password");
    let instead = "give `USER:TOKEN` behind the host, or `-` there and `USER:TOKEN` on stdin";
    let parts = ask_all_or(session, &[user, token], instead, |_, answer| {
        match (answer.as_text(), answer.as_secret()) {
            (Some(user), _) if user.contains(':') => Err("a user name has no colon".to_owned()),
            (Some(user), _) => Ok(Secret::new(user.to_owned())),
            (None, token) => token.cloned().ok_or("must be a text".to_owned()),
        }
    })?;
    let parts: Vec<&str> = parts.iter().map(Secret::expose).collect();
    let pair = Secret::new(parts.join(":"));
    encoded(pair.expose()).map_err(|problem| wrong("credentials", problem))
}

#[cfg(test)]
mod tests {
    use super::{already_encoded, encoded};

    #[test]
    fn credentials_are_encoded_unless_they_are_already() {
        assert_eq!(encoded("user:p:w").unwrap().expose(), "dXNlcjpwOnc=");
        let kept = already_encoded("dXNlcjpwOnc=").unwrap();
        assert_eq!(kept.expose(), "dXNlcjpwOnc=");
        let wrong = ["user", ":pw", "user:", "us\ner:pw"].map(encoded);
        let not_encoded = ["user:pw", "dXNlcg=="].map(already_encoded);
        for result in wrong.into_iter().chain(not_encoded) {
            let problem = result.unwrap_err();
            assert!(!problem.contains("pw"), "{problem}");
        }
    }
}

//! `secrets image-pull-secret`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::Question;
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;
use serde_json::json;

use super::change::{Change, Work, check_credentials};
use super::context::CommandContext;
use super::open;
use super::target::target;
use crate::backend::{Details, Keys};
use crate::domain::{RegistryHost, SetKind, SetName};
use crate::input::{text, wrong};
use crate::options::ImagePullSecret;

/// Whether credentials are still to be encoded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Base64,
    AsTheyAre,
}

pub(super) fn put(
    context: &CommandContext<'_>,
    options: &ImagePullSecret,
) -> Result<Reply, Failure> {
    let encoding = if options.no_encode {
        Encoding::AsTheyAre
    } else {
        Encoding::Base64
    };
    let name = SetName::parse(&options.name).map_err(|problem| wrong("name", problem))?;
    let host = RegistryHost::parse(&options.host).map_err(|problem| wrong("host", problem))?;
    let given = given(context, options, encoding)?;
    let wanted = options.scope.in_region(options.region.as_ref());
    let mut opened = open::open(context, &wanted)?;
    check_credentials(&opened, given.as_slice())?;
    // The listing shows all there is to know of credentials, whatever kind of set has the name.
    let mut sets = opened.backend.list(None)?.into_iter();
    let found = sets.find(|set| set.name == name.as_str());
    let existing = found.map(|summary| Details {
        summary,
        keys: Keys::None,
    });
    let target = target(&mut opened, &name, SetKind::ImagePullSecret, existing)?;
    // What is typed is always encoded.
    let is_encoded = encoding == Encoding::Base64 || given.is_none();
    let mut manner = options.manner;
    let credentials = match given {
        Some(credentials) => credentials,
        None if manner.dry_run => Secret::new(String::new()),
        None => ask(context)?,
    };
    // A script that gives everything means it.
    manner.skip |= !target.exists || !context.interactive();
    let work = Work::Credentials { host, credentials };
    let change = Change { name, target, work };
    let mut reply = change.make(context, &opened, manner)?;
    reply.data["encoded"] = json!(is_encoded);
    Ok(reply)
}

/// Returns the credentials as far as they are given.
fn given(
    context: &CommandContext<'_>,
    options: &ImagePullSecret,
    encoding: Encoding,
) -> Result<Option<Secret>, Failure> {
    let wrong = |problem: String| wrong("credentials", problem);
    if !options.rest.is_empty() {
        let problem = "are one word: quote them if they have a blank";
        return Err(wrong(problem.to_owned()));
    }
    let text = match options.credentials.as_deref() {
        None => return Ok(None),
        Some("-") => {
            let text = text(context.stdin()?);
            text.map_err(|problem| wrong(problem.replacen("is ", "are ", 1)))?
        }
        Some(text) => Secret::new(text.to_owned()),
    };
    let text = text.expose().trim_end_matches(['\n', '\r']);
    checked(text, encoding).map(Some).map_err(wrong)
}

/// Returns credentials in the form they are stored in; the error never quotes them.
fn checked(given: &str, encoding: Encoding) -> Result<Secret, String> {
    if encoding == Encoding::AsTheyAre {
        let decoded = STANDARD.decode(given).map(zeroize::Zeroizing::new);
        return match decoded {
            Ok(decoded) if decoded.contains(&b':') => Ok(Secret::new(given.to_owned())),
            Ok(_) | Err(_) => Err("are not the base64 of `USER:TOKEN`".to_owned()),
        };
    }
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

/// Asks for user name and token, the token hidden. What is typed is always encoded.
fn ask(context: &CommandContext<'_>) -> Result<Secret, Failure> {
    let user = Question::text("username", "User name at the registry");
    let token = Question::password("token", "Token or password");
    let instead = "give `USER:TOKEN` behind the host, or `-` there and `USER:TOKEN` on stdin";
    let parts = context.ask_all_or(&[user, token], instead, |_, answer| {
        match (answer.as_text(), answer.as_secret()) {
            (Some(user), _) if user.contains(':') => Err("a user name has no colon".to_owned()),
            (Some(user), _) => Ok(Secret::new(user.to_owned())),
            (None, token) => token.cloned().ok_or("must be a text".to_owned()),
        }
    })?;
    let parts: Vec<&str> = parts.iter().map(Secret::expose).collect();
    let pair = Secret::new(parts.join(":"));
    let pair = checked(pair.expose(), Encoding::Base64);
    pair.map_err(|problem| wrong("credentials", problem))
}

#[cfg(test)]
mod tests {
    use super::{Encoding, checked};

    #[test]
    fn credentials_are_encoded_unless_they_are_already() {
        let encoded =
            |text: &str, encoding| checked(text, encoding).map(|secret| secret.expose().to_owned());
        assert_eq!(
            encoded("user:p:w", Encoding::Base64).unwrap(),
            "dXNlcjpwOnc="
        );
        assert_eq!(
            encoded("dXNlcjpwOnc=", Encoding::AsTheyAre).unwrap(),
            "dXNlcjpwOnc="
        );
        for (text, encoding) in [
            ("user", Encoding::Base64),
            (":pw", Encoding::Base64),
            ("user:", Encoding::Base64),
            ("us\ner:pw", Encoding::Base64),
            ("user:pw", Encoding::AsTheyAre),
            ("dXNlcg==", Encoding::AsTheyAre),
        ] {
            let problem = encoded(text, encoding).unwrap_err();
            assert!(!problem.contains("pw"), "{problem}");
        }
    }
}

//! `secrets image-pull-secret`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_protocol::question::Question;
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;
use serde_json::json;

use super::change::{Change, Manner, Work, check_credentials};
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
    let (name, host, given) = parsed(context, options, encoding)?;
    let wanted = options.scope.wanted(options.region.region.as_deref());
    let mut opened = open::open(context, &wanted)?;
    check_credentials(&opened)?;
    opened.backend.conceal(given.as_slice());
    // The listing shows all there is to know of credentials, whatever kind of set has the name.
    let mut sets = opened.backend.list(None)?.into_iter();
    let found = sets.find(|set| set.name == name.as_str());
    let existing = found.map(|summary| Details {
        summary,
        keys: Keys::None,
    });
    let kind = SetKind::ImagePullSecret;
    let target = target(&mut opened, &name, kind, existing)?;
    // What is typed is always encoded.
    let is_encoded = encoding == Encoding::Base64 || given.is_none();
    let credentials = match given {
        Some(credentials) => credentials,
        None if options.dry_run => Secret::new(String::new()),
        None => ask(context)?,
    };
    let manner = Manner {
        // A script that gives everything means it.
        asks: target.exists && context.interactive() && !options.skip,
        dry_run: options.dry_run,
        wait: options.wait,
    };
    let change = Change {
        name,
        target,
        work: Work::Credentials { host, credentials },
    };
    let mut reply = change.make(context, &opened, manner)?;
    reply.data["encoded"] = json!(is_encoded);
    Ok(reply)
}

/// Returns name, address and credentials as far as they are given; all problems at once.
fn parsed(
    context: &CommandContext<'_>,
    options: &ImagePullSecret,
    encoding: Encoding,
) -> Result<(SetName, RegistryHost, Option<Secret>), Failure> {
    let mut wrong = Vec::new();
    let mut problem = |field: &str, problem: String| wrong.push(Field::new(field, problem));
    let name = SetName::parse(&options.name).map_err(|wrong| problem("name", wrong));
    let host = RegistryHost::parse(&options.host).map_err(|wrong| problem("host", wrong));
    let given = match options.credentials.as_deref() {
        None => None,
        Some("-") => Some(text(context.stdin()?)),
        Some(text) => Some(Ok(Secret::new(text.to_owned()))),
    };
    let checked = given.map(|given| {
        let given = given.map_err(|problem| problem.replacen("is ", "are ", 1))?;
        let given = given.expose().trim_end_matches(['\n', '\r']);
        checked(given, encoding)
    });
    let credentials = checked.transpose();
    let credentials = credentials.map_err(|wrong| problem("credentials", wrong));
    if !options.rest.is_empty() {
        let one_word = "are one word: quote them if they have a blank";
        problem("credentials", one_word.to_owned());
    }
    match (name, host, credentials) {
        (Ok(name), Ok(host), Ok(credentials)) if wrong.is_empty() => Ok((name, host, credentials)),
        _ => Err(Failure::invalid_input(wrong)),
    }
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

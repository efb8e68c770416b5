//! `secrets unset`.

use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use serde_json::json;

use super::context::CommandContext;
use super::open::{self, Opened};
use super::plan::{referenced, where_is, wrong_type};
use super::{confirm, ready};
use crate::backend::Keys;
use crate::config::nearest;
use crate::domain::{Key, SetKind, SetName};
use crate::input::{invalid, looks_like_a_key};
use crate::options::Unset;
use crate::scope::BackendKind;
use crate::words::{self, theirs};

pub(super) fn unset(context: &CommandContext<'_>, options: &Unset) -> Result<Reply, Failure> {
    let (name, key) = parsed(options)?;
    let opened = open::open(context, &options.scope.wanted(None))?;
    let details = opened.existing(&name)?;
    let keys = match details.keys {
        Keys::Known(keys) => keys,
        Keys::Referenced => return Err(referenced(&name)),
        Keys::None => return Err(wrong_type(&name, SetKind::ImagePullSecret)),
    };
    if !keys.iter().any(|known| known == key.as_str()) {
        return Err(no_such_key(&opened, &name, &key, &keys));
    }
    let place = where_is(&opened, &details.summary);
    if !options.skip {
        let message = format!("Remove `{key}` from `{name}`?");
        let details =
            format!("Remove a key from the secret set `{name}` in {place}\n  - remove  {key}\n");
        confirm::yes(context, message, details)?;
    }
    let removed = opened.backend.unset(&name, &key);
    if !removed.map_err(|error| words::failure(&error))? {
        return Err(no_such_key(&opened, &name, &key, &[]));
    }
    let status = ready::status(context, &opened, &name, false)?;
    let mut text = format!("Removed `{key}` from `{name}` ({place})\n");
    if opened.scope.backend.value == BackendKind::Hosted {
        text += "Agents that are running keep the old values until they are deployed again\n";
    }
    Ok(Reply {
        text,
        data: json!({
            "name": name.as_str(),
            "key": key.as_str(),
            "status": status.map(|seen| seen.status.name()),
            "scope": opened.scope.json(),
        }),
        next: vec![opened.scope.command(&format!("secrets list {name}"))],
    })
}

fn parsed(options: &Unset) -> Result<(SetName, Key), Failure> {
    match (
        SetName::parse_existing(&options.name),
        Key::parse(&options.secret_key),
    ) {
        (Ok(name), Ok(key)) => Ok((name, key)),
        (name, key) => {
            let problem = |field: &str, problem| (field.to_owned(), None, problem);
            let wrong = name.err().map(|wrong| problem("name", wrong));
            Err(invalid(
                wrong
                    .into_iter()
                    .chain(key.err().map(|wrong| problem("secret_key", wrong)))
                    .collect(),
            ))
        }
    }
}

fn no_such_key(opened: &Opened<'_>, name: &SetName, key: &Key, keys: &[String]) -> Failure {
    // Who gives a value instead of a key should not see it again.
    let shown = if looks_like_a_key(key.as_str()) {
        format!("no key `{key}`")
    } else {
        "no such key".to_owned()
    };
    let failure = Failure::new(
        Exit::Failed,
        "not_found",
        format!("there is {shown} in `{name}`"),
    );
    match nearest(key.as_str(), keys.iter().map(String::as_str)) {
        Some(near) => failure.hint(format!("did you mean `{}`?", theirs(near))),
        None => failure.hint(opened.scope.command(&format!("secrets list {name}"))),
    }
}

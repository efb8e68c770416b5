//! `secrets unset`.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::suggest::{did_you_mean, nearest};
use bot_cli_protocol::wording::count;
use bot_cli_sdk::plugin::Reply;
use serde_json::json;

use super::confirm;
use super::context::CommandContext;
use super::open::{self, Opened};
use super::target::{referenced, wrong_type};
use crate::backend::{Ability, Keys};
use crate::domain::{Key, SetKind, SetName};
use crate::input::{invalid, looks_like_a_key};
use crate::options::Unset;
use crate::text::theirs;
use crate::words::change::Deed;

pub(super) fn unset(context: &CommandContext<'_>, options: &Unset) -> Result<Reply, Failure> {
    let (name, keys) = parsed(options)?;
    let mut opened = open::open(context, &options.scope.wanted(None))?;
    let details = opened.existing(&name)?;
    opened.found(&details.summary);
    let known = match details.keys {
        Keys::Known(known) => known,
        Keys::Referenced => return Err(referenced(&name)),
        Keys::None => return Err(wrong_type(&name, SetKind::ImagePullSecret)),
    };
    let missing: Vec<&Key> = keys
        .iter()
        .filter(|key| !known.iter().any(|known| known == key.as_str()))
        .collect();
    if !missing.is_empty() {
        return Err(no_such_keys(&opened, &name, &missing, &known));
    }
    let place = opened.whereabouts(details.summary.region.as_deref());
    let what = match keys.as_slice() {
        [key] => format!("`{}`", theirs(key.as_str())),
        several => count(several.len(), "key"),
    };
    if !options.skip {
        let message = format!("Remove {what} from `{name}`?");
        let number = count(keys.len(), "key");
        let plan = format!("Remove {number} from the secret set `{name}` in {place}\n");
        let line = |key: &Key| format!("  - remove  {}\n", theirs(key.as_str()));
        let lines: String = keys.iter().map(line).collect();
        confirm::yes(context, message, plan + &lines, false)?;
    }
    context.progress(&format!("Removing {what}"));
    let gone = opened
        .backend
        .unset(&name, &keys, Some(&known))
        .map_err(|error| opened.change_failure(Deed::Change, &name, &error))?;
    if gone.len() == keys.len() {
        return Err(Failure::new(
            Exit::Failed,
            "not_found",
            format!(
                "{what} {} not in `{name}` any more",
                if keys.len() == 1 { "is" } else { "are" }
            ),
        )
        .hint(opened.scope.command(&format!("secrets list {name}"))));
    }
    let mut text = format!("Removed {what} from `{name}` ({place})\n");
    if opened.profile().can(Ability::Agents) {
        text += "Agents that are running keep the old values until they are deployed again\n";
    }
    Ok(Reply::text(text)
        .data(json!({
            "name": name.as_str(),
            "key": keys.first().map(|key| theirs(key.as_str())),
            "keys": keys.iter().map(|key| theirs(key.as_str())).collect::<Vec<_>>(),
            "scope": opened.scope.json(),
        }))
        .next(opened.scope.command(&format!("secrets list {name}"))))
}

/// The set and its keys; all problems at once, and none quotes a key.
fn parsed(options: &Unset) -> Result<(SetName, Vec<Key>), Failure> {
    let mut wrong = Vec::new();
    let name = SetName::parse_existing(&options.name)
        .map_err(|problem| wrong.push(("name".to_owned(), None, problem)))
        .ok();
    let mut keys: Vec<Key> = Vec::new();
    for (index, text) in options.secret_key.iter().enumerate() {
        match Key::parse_existing(text) {
            // Twice is as good as once.
            Ok(key) if keys.contains(&key) => {}
            Ok(key) => keys.push(key),
            Err(problem) => wrong.push((format!("key {}", index + 1), None, problem)),
        }
    }
    match name {
        Some(name) if wrong.is_empty() => Ok((name, keys)),
        _ => Err(invalid(wrong)),
    }
}

fn no_such_keys(
    opened: &Opened<'_>,
    name: &SetName,
    missing: &[&Key],
    known: &[String],
) -> Failure {
    // Who gives a value instead of a key should not see it again.
    let shown: Vec<String> = missing
        .iter()
        .filter(|key| looks_like_a_key(key.as_str()))
        .map(|key| format!("`{key}`"))
        .collect();
    let what = match (shown.len() == missing.len(), missing.len()) {
        (true, 1) => format!("no key {}", shown.concat()),
        (true, _) => format!("no keys {}", shown.join(", ")),
        (false, 1) => "no such key".to_owned(),
        (false, _) => "no such keys".to_owned(),
    };
    let is = if missing.len() == 1 { "is" } else { "are" };
    let failure = Failure::new(
        Exit::Failed,
        "not_found",
        format!("there {is} {what} in `{name}`; nothing was removed"),
    );
    let near = missing
        .iter()
        .find_map(|key| nearest(key.as_str(), known.iter().map(String::as_str)));
    match near {
        Some(near) => failure.hint(did_you_mean(&[theirs(near)])),
        None => failure.hint(opened.scope.command(&format!("secrets list {name}"))),
    }
}

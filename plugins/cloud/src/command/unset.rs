//! `secrets unset`.

use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_protocol::suggest::{did_you_mean, nearest};
use bot_cli_sdk::plugin::Reply;

use super::change::target::{Target, referenced, wrong_type};
use super::change::{Change, Manner, Work};
use super::context::CommandContext;
use super::open::{self, Opened};
use crate::backend::Keys;
use crate::domain::{Key, SetKind, SetName};
use crate::input::looks_like_a_key;
use crate::options::Unset;
use crate::text::theirs;
use crate::words::failed;

pub(super) fn unset(context: &CommandContext<'_>, options: &Unset) -> Result<Reply, Failure> {
    let (name, keys) = parsed(options)?;
    let mut opened = open::open(context, &options.scope.wanted(None))?;
    let details = opened.existing(&name)?;
    opened.found(&details.summary);
    match details.keys {
        Keys::Known(_) => {}
        Keys::Referenced => return Err(referenced(&name)),
        Keys::None => return Err(wrong_type(&name, SetKind::ImagePullSecret)),
    }
    let target = Target::existing(details);
    let missing: Vec<&Key> = keys
        .iter()
        .filter(|key| !target.has(key.as_str()))
        .collect();
    if !missing.is_empty() {
        return Err(no_such_keys(&opened, &name, &missing, target.known()));
    }
    let change = Change {
        name,
        target,
        work: Work::Remove(keys),
    };
    change.make(context, &opened, Manner::unless_skipped(options.skip))
}

/// The set and its keys; all problems at once, and none quotes a key.
fn parsed(options: &Unset) -> Result<(SetName, Vec<Key>), Failure> {
    let mut wrong = Vec::new();
    let name = SetName::parse_existing(&options.name)
        .map_err(|problem| wrong.push(Field::new("name", problem)))
        .ok();
    let mut keys: Vec<Key> = Vec::new();
    for (index, text) in options.secret_key.iter().enumerate() {
        match Key::parse_existing(text) {
            // Twice is as good as once.
            Ok(key) if keys.contains(&key) => {}
            Ok(key) => keys.push(key),
            Err(problem) => wrong.push(Field::new(format!("key {}", index + 1), problem)),
        }
    }
    match name {
        Some(name) if wrong.is_empty() => Ok((name, keys)),
        _ => Err(Failure::invalid_input(wrong)),
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
    let message = format!("there {is} {what} in `{name}`; nothing was removed");
    let failure = failed("not_found", message);
    let near = missing
        .iter()
        .find_map(|key| nearest(key.as_str(), known.iter().map(String::as_str)));
    match near {
        Some(near) => failure.hint(did_you_mean(&[theirs(near)])),
        None => failure.hint(opened.scope.command(&format!("secrets list {name}"))),
    }
}

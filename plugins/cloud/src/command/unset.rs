//! `secrets unset` and `secrets delete`.

use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_sdk::plugin::Reply;

use super::change::{Change, Manner, Work};
use super::context::CommandContext;
use super::open::{self, Opened};
use super::target::{Target, referenced, wrong_type};
use crate::backend::Keys;
use crate::domain::{Key, SetName};
use crate::input::{looks_like_a_key, wrong};
use crate::options::{Delete, Unset};
use crate::words::{failed, near_or};

pub(super) fn unset(context: &CommandContext<'_>, options: &Unset) -> Result<Reply, Failure> {
    let (name, keys) = parsed(options)?;
    let mut opened = open::open(context, &options.scope.wanted(None))?;
    let details = opened.existing(&name)?;
    match details.keys {
        Keys::Known(_) => {}
        Keys::Referenced => return Err(referenced(&name)),
        Keys::None => return Err(wrong_type(&name, details.summary.kind)),
    }
    let target = Target::existing(&mut opened, details);
    if let Some(missing) = keys.iter().find(|key| !target.has(key.as_str())) {
        return Err(no_such_key(&opened, &name, missing, target.known()));
    }
    let change = Change {
        name,
        target,
        work: Work::Remove(keys),
    };
    change.make(context, &opened, Manner::unless_skipped(options.skip))
}

pub(super) fn delete(context: &CommandContext<'_>, options: &Delete) -> Result<Reply, Failure> {
    let name = SetName::parse_existing(&options.name);
    let name = name.map_err(|problem| wrong("name", problem))?;
    let mut opened = open::open(context, &options.scope.wanted(None))?;
    let details = opened.existing(&name)?;
    let kind = details.summary.kind;
    let change = Change {
        name,
        target: Target::existing(&mut opened, details),
        work: Work::Delete(kind),
    };
    change.make(context, &opened, Manner::unless_skipped(options.skip))
}

/// Returns the set and its keys; all problems at once, and none quotes a key.
fn parsed(options: &Unset) -> Result<(SetName, Vec<Key>), Failure> {
    let mut wrong = Vec::new();
    let name = SetName::parse_existing(&options.name)
        .map_err(|problem| wrong.push(Field::new("name", problem)));
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
        Ok(name) if wrong.is_empty() => Ok((name, keys)),
        _ => Err(Failure::invalid_input(wrong)),
    }
}

fn no_such_key(opened: &Opened<'_>, name: &SetName, missing: &Key, known: &[String]) -> Failure {
    // A value in the place of a key is not shown.
    let what = if looks_like_a_key(missing.as_str()) {
        format!("no key `{missing}`")
    } else {
        "no such key".to_owned()
    };
    let message = format!("there is {what} in `{name}`; nothing was removed");
    let known = known.iter().map(String::as_str);
    let list = opened.scope.command(&format!("secrets list {name}"));
    near_or(failed("not_found", message), missing.as_str(), known, list)
}

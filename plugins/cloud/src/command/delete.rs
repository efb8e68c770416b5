//! `secrets delete`.

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::wording::count;
use bot_cli_sdk::plugin::Reply;
use serde_json::json;

use super::context::CommandContext;
use super::{confirm, open};
use crate::backend::Keys;
use crate::domain::SetName;
use crate::input::invalid;
use crate::options::Delete;
use crate::words::change::Deed;

pub(super) fn delete(context: &CommandContext<'_>, options: &Delete) -> Result<Reply, Failure> {
    let name = SetName::parse_existing(&options.name)
        .map_err(|problem| invalid(vec![("name".to_owned(), None, problem)]))?;
    let mut opened = open::open(context, &options.scope.wanted(None))?;
    let details = opened.existing(&name)?;
    opened.found(&details.summary);
    let kind = details.summary.kind;
    let place = opened.whereabouts(details.summary.region.as_deref());
    if !options.skip {
        let keys = match &details.keys {
            Keys::Known(keys) => format!(" with {}", count(keys.len(), "key")),
            Keys::Referenced | Keys::None => String::new(),
        };
        let about = format!(
            "Delete the {} `{name}`{keys} in {place}\nThis can't be undone; agents that use it can't be deployed any more\n",
            kind.words(),
        );
        confirm::by_name(
            context,
            name.as_str(),
            format!("Type `{name}` to delete it:"),
            about,
        )?;
    }
    context.progress(&format!("Deleting `{name}`"));
    let seen = match &details.keys {
        Keys::Known(keys) => Some(keys.as_slice()),
        Keys::Referenced | Keys::None => None,
    };
    let deleted = opened.backend.delete(&name, seen);
    if !deleted.map_err(|error| opened.change_failure(Deed::Delete, &name, &error))? {
        return Err(opened.not_found(&name));
    }
    Ok(
        Reply::text(format!("Deleted the {} `{name}` ({place})\n", kind.words())).data(
            json!({ "name": name.as_str(), "type": kind.name(), "scope": opened.scope.json() }),
        ),
    )
}

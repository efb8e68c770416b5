//! `regions list`.

use bot_cli_protocol::failure::Failure;
use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::table;
use serde_json::json;

use super::context::CommandContext;
use super::open;
use crate::options::ScopeOptions;
use crate::text::theirs;

pub(super) fn list(context: &CommandContext<'_>, options: &ScopeOptions) -> Result<Reply, Failure> {
    let opened = open::open(context, &options.wanted(None))?;
    let regions = opened.backend.regions()?;
    let header = ["CODE", "NAME", ""].map(str::to_owned).to_vec();
    let rows = regions.all.iter().map(|(code, name)| {
        let default = if regions.default.as_ref() == Some(code) {
            "default"
        } else {
            ""
        };
        vec![theirs(code), theirs(name), default.to_owned()]
    });
    Ok(Reply::text(table(&[header].into_iter().chain(rows).collect::<Vec<_>>())).data(json!({
            "regions": regions.all.iter().map(|(code, name)| json!({ "code": theirs(code), "name": theirs(name) })).collect::<Vec<_>>(),
            "default": regions.default.as_deref().map(theirs),
            "scope": opened.scope.json(),
        })))
}

//! `regions list`.

use bot_cli_sdk::failure::Failure;
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::terminal::table;
use serde_json::json;

use super::desk::Desk;
use super::open;
use crate::options::ScopeOptions;
use crate::words::{self, theirs};

pub(super) async fn list(desk: &Desk<'_>, options: &ScopeOptions) -> Result<Reply, Failure> {
    let opened = open::open(desk, &options.wanted(None)).await?;
    let regions = opened
        .backend
        .regions()
        .await
        .map_err(|error| words::failure(&error))?;
    let header = ["CODE", "NAME", ""].map(str::to_owned).to_vec();
    let rows = regions.all.iter().map(|(code, name)| {
        let default = if regions.default.as_ref() == Some(code) {
            "default"
        } else {
            ""
        };
        vec![theirs(code), theirs(name), default.to_owned()]
    });
    Ok(Reply {
        text: table(&[header].into_iter().chain(rows).collect::<Vec<_>>()),
        data: json!({
            "regions": regions.all.iter().map(|(code, name)| json!({ "code": theirs(code), "name": theirs(name) })).collect::<Vec<_>>(),
            "default": regions.default.as_deref().map(theirs),
            "scope": opened.scope.json(),
        }),
        next: Vec::new(),
    })
}

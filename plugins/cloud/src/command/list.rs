//! `secrets list` and `regions list`.

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Format;
use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::table;
use serde_json::{Value, json};

use super::context::CommandContext;
use super::open::{self, Opened};
use super::target::{settle, wrong_type};
use crate::backend::{Details, Keys, Summary};
use crate::domain::{SetKind, SetName, Status};
use crate::input::wrong;
use crate::options::{List, ScopeOptions};
use crate::source::Source;
use crate::text::theirs;
use crate::words::failed;

pub(super) fn list(context: &CommandContext<'_>, options: &List) -> Result<Reply, Failure> {
    let name = options.name.as_deref().map(SetName::parse_existing);
    let name = name.transpose();
    let name = name.map_err(|problem| wrong("name", problem))?;
    let wanted = options.scope.wanted(options.region.as_deref());
    let mut scope = open::scope(context, &wanted)?;
    // All regions, unless the user wants one here and now.
    scope.region = scope.region.filter(|region| region.source == Source::Flag);
    let mut opened = open::open_scope(context, scope)?;
    let reply = match name {
        Some(name) => one(&mut opened, options, &name),
        None => all(&mut opened, options),
    }?;
    let format = context.session().context().format;
    if format == Format::Text {
        let region = opened.scope.region.as_ref();
        let region = region.map(|region| region.value.as_str());
        context.note(&opened.whereabouts(region));
    }
    Ok(reply)
}

fn all(opened: &mut Opened<'_>, options: &List) -> Result<Reply, Failure> {
    let region = opened.scope.region.as_ref();
    let region = region.map(|region| region.value.clone());
    let mut sets = opened.backend.list(region.as_ref())?;
    if sets.is_empty() && region.is_some() {
        // Nothing there, or no such region?
        settle(opened)?;
    }
    let mut kind = "secrets";
    if options.sets {
        kind = "secret sets";
        sets.retain(|set| set.kind == SetKind::Secret);
    }
    let text = if sets.is_empty() {
        let region = region.map_or(String::new(), |region| format!(", region {region}"));
        format!("No {kind} in {}{region}\n", opened.place())
    } else {
        rows(&sets)
    };
    Ok(Reply::text(text).data(json!({
        "sets": sets.iter().map(set_json).collect::<Vec<_>>(),
        "scope": opened.scope.json(),
    })))
}

fn one(opened: &mut Opened<'_>, options: &List, name: &SetName) -> Result<Reply, Failure> {
    let Details { summary, keys } = opened.existing(name)?;
    if options.sets && summary.kind != SetKind::Secret {
        return Err(wrong_type(name, summary.kind));
    }
    let wanted = opened.scope.region.as_ref();
    let wanted = wanted.map(|region| region.value.as_str());
    if wanted.is_some_and(|wanted| Some(wanted) != summary.region.as_deref())
        && let Some(wanted) = settle(opened)?
    {
        let place = opened.place();
        let message = format!("`{name}` is not in the region {wanted} of {place}");
        let failure = failed("not_found", message);
        return Err(match &summary.region {
            Some(region) => failure.hint(format!("it is in {}", theirs(region))),
            None => failure,
        });
    }
    let mut data = set_json(&summary);
    data["keys"] = Value::Null;
    data["referenced"] = json!(keys == Keys::Referenced);
    let below = match keys {
        Keys::Known(keys) => {
            let keys: Vec<String> = keys.iter().map(|key| theirs(key)).collect();
            let hidden = keys.iter().map(|key| [key.as_str(), "(hidden)"]);
            let below = match keys.as_slice() {
                [] => "It has no keys\n".to_owned(),
                _ => table_of(["KEY", "VALUE"], hidden),
            };
            data["keys"] = json!(keys);
            below
        }
        Keys::Referenced => {
            "It is in your own cluster: its keys can be seen and changed only there\n".to_owned()
        }
        Keys::None if summary.kind == SetKind::ImagePullSecret => {
            "It has credentials for an image registry, which are never shown\n".to_owned()
        }
        Keys::None => {
            "It is of a type that this version does not know: a newer one may show its keys\n"
                .to_owned()
        }
    };
    data["scope"] = opened.scope.json();
    let text = format!("{}\n{below}", rows(std::slice::from_ref(&summary)));
    Ok(Reply::text(text).data(data))
}

/// Returns a table with a header.
pub fn table_of<const N: usize, T: ToString>(
    header: [&str; N],
    rows: impl Iterator<Item = [T; N]>,
) -> String {
    let header = header.map(str::to_owned).to_vec();
    let rows = rows.map(|row| row.map(|cell| cell.to_string()).to_vec());
    table(&[header].into_iter().chain(rows).collect::<Vec<_>>())
}

/// Returns a row for each set, one word a column for `awk`, and below them why a set failed.
fn rows(sets: &[Summary]) -> String {
    let cells = sets.iter().map(|set| {
        [
            theirs(&set.name),
            set.kind.name().to_owned(),
            set.region.as_deref().map_or_else(|| "-".to_owned(), theirs),
            set.status.name().to_owned(),
        ]
    });
    let mut text = table_of(["NAME", "TYPE", "REGION", "STATUS"], cells);
    let reasons: Vec<String> = sets.iter().filter_map(reason).collect();
    if !reasons.is_empty() {
        text.push('\n');
        text.extend(reasons);
    }
    text
}

/// Returns "`prod` has failed: no such region".
fn reason(set: &Summary) -> Option<String> {
    let error = theirs(set.error.as_deref()?);
    let status = match set.status {
        Status::Failed => "has failed",
        Status::Pending => "is pending",
        Status::Ready => "is ready",
    };
    Some(format!("`{}` {status}: {error}\n", theirs(&set.name)))
}

fn set_json(set: &Summary) -> Value {
    let mut json = json!({
        "name": theirs(&set.name),
        "type": set.kind.name(),
        "region": set.region.as_deref().map(theirs),
        "status": set.status.name(),
    });
    if let Some(error) = &set.error {
        json["error"] = json!(theirs(error));
    }
    json
}

pub(super) fn regions(
    context: &CommandContext<'_>,
    options: &ScopeOptions,
) -> Result<Reply, Failure> {
    let opened = open::open(context, &options.wanted(None))?;
    let regions = opened.backend.regions()?;
    let rows = regions.all.iter().map(|(code, name)| {
        let is_default = regions.default.as_ref() == Some(code);
        let mark = if is_default { "default" } else { "" };
        [theirs(code), theirs(name), mark.to_owned()]
    });
    let all = regions.all.iter();
    let all = all.map(|(code, name)| json!({ "code": theirs(code), "name": theirs(name) }));
    Ok(
        Reply::text(table_of(["CODE", "NAME", ""], rows)).data(json!({
            "regions": all.collect::<Vec<_>>(),
            "default": regions.default.as_deref().map(theirs),
            "scope": opened.scope.json(),
        })),
    )
}

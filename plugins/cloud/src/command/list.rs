//! `secrets list`.

mod rows;

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Format;
use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::table;
use serde_json::{Value, json};

use super::context::CommandContext;
use super::open::{self, Opened};
use super::project;
use super::region;
use crate::backend::{Details, Keys, Summary};
use crate::domain::{SetKind, SetName, with_article};
use crate::input::wrong;
use crate::options::List;
use crate::source::Source;
use crate::text::theirs;
use crate::words::failed;

pub(super) fn list(context: &CommandContext<'_>, options: &List) -> Result<Reply, Failure> {
    let name = options
        .name
        .as_deref()
        .map(SetName::parse_existing)
        .transpose();
    let name = name.map_err(|problem| wrong("name", problem))?;
    let wanted = options.scope.wanted(options.region.as_deref());
    let mut scope = open::scope(context, &wanted)?;
    // All regions, unless the user wants one here and now.
    scope.region = scope.region.filter(|region| region.source == Source::Flag);
    let mut opened = open::open_scope(context, scope)?;
    let reply = match name {
        Some(name) => one(context, &mut opened, options, &name),
        None => all(context, &mut opened, options),
    }?;
    if context.format() == Format::Text {
        let region = opened.scope.region.as_ref();
        let region = region.map(|region| region.value.as_str());
        context.note(&opened.whereabouts(region));
    }
    Ok(reply)
}

fn all(
    context: &CommandContext<'_>,
    opened: &mut Opened<'_>,
    options: &List,
) -> Result<Reply, Failure> {
    let region = opened
        .scope
        .region
        .as_ref()
        .map(|region| region.value.clone());
    let mut sets = opened.backend.list(region.as_ref())?;
    if sets.is_empty() && region.is_some() {
        // Nothing there, or no such region?
        region::settle(opened)?;
    }
    if options.sets {
        sets.retain(|set| set.kind == SetKind::Secret);
    }
    let next = of_the_project(context, opened, &sets);
    let text = if sets.is_empty() {
        format!(
            "No {} in {}{}\n",
            if options.sets {
                "secret sets"
            } else {
                "secrets"
            },
            opened.place(),
            region.map_or(String::new(), |region| format!(", region {region}")),
        )
    } else {
        rows::rows(&sets, context.columns())
    };
    Ok(Reply::text(text)
        .data(json!({
            "sets": sets.iter().map(set_json).collect::<Vec<_>>(),
            "scope": opened.scope.json(),
        }))
        .next_all(next))
}

/// Returns the next step in a project: show the keys of its set, or create the set.
fn of_the_project(
    context: &CommandContext<'_>,
    opened: &Opened<'_>,
    sets: &[Summary],
) -> Vec<String> {
    // A file that can't be used keeps nobody from seeing the list.
    let Ok(Some(deploy)) = project::find(&context.cwd(), "list") else {
        return Vec::new();
    };
    let name = &deploy.secret_set;
    if sets.iter().any(|set| set.name == name.as_str()) {
        return vec![opened.scope.command(&format!("secrets list {name}"))];
    }
    let template = deploy.template(&context.cwd());
    template
        .map(|template| project::filled(&template, &opened.scope))
        .into_iter()
        .collect()
}

fn one(
    context: &CommandContext<'_>,
    opened: &mut Opened<'_>,
    options: &List,
    name: &SetName,
) -> Result<Reply, Failure> {
    let Details { summary, keys } = opened.existing(name)?;
    if options.sets && summary.kind != SetKind::Secret {
        let kind = with_article(summary.kind);
        let message = format!("`{name}` is {kind}, not a secret set");
        let look = opened.scope.command(&format!("secrets list {name}"));
        return Err(failed("wrong_type", message).hint(look));
    }
    let wanted = opened.scope.region.as_ref();
    let wanted = wanted.map(|region| region.value.as_str());
    if wanted.is_some_and(|wanted| Some(wanted) != summary.region.as_deref())
        && let Some(wanted) = region::settle(opened)?
    {
        // It is in another region, and not in one that there is not.
        let place = opened.place();
        let message = format!("`{name}` is not in the region {wanted} of {place}");
        let failure = failed("not_found", message);
        return Err(match &summary.region {
            Some(region) => failure.hint(format!("it is in {}", theirs(region))),
            None => failure,
        });
    }
    let mut text = rows::rows(std::slice::from_ref(&summary), context.columns());
    text.push('\n');
    let mut data = set_json(&summary);
    data["keys"] = Value::Null;
    data["referenced"] = json!(keys == Keys::Referenced);
    match keys {
        Keys::Known(keys) if keys.is_empty() => {
            text.push_str("It has no keys\n");
            data["keys"] = json!([]);
        }
        Keys::Known(keys) => {
            let header = vec!["KEY".to_owned(), "VALUE".to_owned()];
            let keys: Vec<String> = keys.iter().map(|key| theirs(key)).collect();
            let rows = keys
                .iter()
                .map(|key| vec![key.clone(), "(hidden)".to_owned()]);
            text.push_str(&table(
                &[header].into_iter().chain(rows).collect::<Vec<_>>(),
            ));
            data["keys"] = json!(keys);
        }
        Keys::Referenced => text
            .push_str("It is in your own cluster: its keys can be seen and changed only there\n"),
        Keys::None => text.push_str(match summary.kind {
            SetKind::ImagePullSecret => {
                "It has credentials for an image registry, which are never shown\n"
            }
            SetKind::Secret | SetKind::Unknown => {
                "It is of a type that this version does not know: a newer one may show its keys\n"
            }
        }),
    }
    data["scope"] = opened.scope.json();
    Ok(Reply::text(text).data(data))
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

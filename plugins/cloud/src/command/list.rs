//! The `secrets list`, `secrets reference`, `regions list`, `organizations list`, `organizations use` and `organizations default-region`
//! commands.

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Format;
use bot_cli_sdk::plugin::Reply;
use bot_cli_secrets::messages::SetInfo;
use bot_cli_terminal::{short_line, table};
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::context::CommandContext;
use super::kind::{Kind, Named};
use super::open::{self, Opened};
use super::project;
use super::target::{settle, wrong_type};
use crate::config::Configuration;
use crate::domain::{Organization, Region, SetKind, SetName};
use crate::input::{both, wrong};
use crate::options::{Account, List, Reference};
use crate::scope::{Scope, Wanted};
use crate::service::Unclear;
use crate::source::Source;
use crate::text::theirs;
use crate::words::{failed, near_or};

pub(super) fn list(context: CommandContext<'_>, options: &List) -> Result<Reply, Failure> {
    let given = options.name.is_some() || options.of.environment.is_some();
    let name = || {
        let (name, parse) = (options.name.as_ref(), SetName::parse_existing);
        Ok(project::set(context.session, name, &options.of, parse, "list")?.name)
    };
    let name = given.then(name).transpose();
    let wanted = options.scope.in_region(options.region.as_ref());
    let (name, mut scope) = both(name, open::usable_scope(context, &wanted))?;
    // Show all regions, unless an option selects one.
    scope.region = scope.region.filter(|region| region.source == Source::Flag);
    let mut opened = open::open_scope(context, scope)?;
    let reply = match name {
        Some(name) => one(&mut opened, options, &name),
        None => all(&mut opened, options),
    }?;
    if context.session.context().format == Format::Text {
        let region = opened.scope.region.as_ref();
        let region = region.map(|region| region.value.as_str());
        context.session.note(&opened.whereabouts(region));
    }
    Ok(reply)
}

fn all(opened: &mut Opened<'_>, options: &List) -> Result<Reply, Failure> {
    let region = opened.scope.region.as_ref();
    let region = region.map(|region| region.value.clone());
    let mut sets = opened.store.list(region.as_ref(), opened.session)?;
    if sets.is_empty() && region.is_some() {
        // The region may not exist.
        settle(opened)?;
    }
    sets.retain(|set| !options.sets || set.kind == SetKind::Secret);
    let kind = ["secrets", "secret sets"][usize::from(options.sets)];
    let text = if sets.is_empty() {
        let region = region.map_or(String::new(), |region| format!(", region {region}"));
        format!("No {kind} in {}{region}\n", opened.place())
    } else {
        rows(&sets)
    };
    let mut data = json!({ "sets": null, "scope": opened.scope.json() });
    data["sets"] = sets.iter().map(set_json).collect();
    Ok(Reply::text(text).data(data))
}

fn one(opened: &mut Opened<'_>, options: &List, name: &SetName) -> Result<Reply, Failure> {
    let summary = opened.existing(name)?;
    if options.sets && summary.kind != SetKind::Secret {
        return Err(wrong_type(name, summary.kind));
    }
    let wanted = opened.scope.region.as_ref();
    let is_elsewhere =
        wanted.is_some_and(|it| Some(it.value.as_str()) != summary.region.as_deref());
    if is_elsewhere && let Some(wanted) = settle(opened)? {
        let place = opened.place();
        let message = format!("`{name}` is not in the region {wanted} of {place}");
        let is = summary.region.as_deref();
        let is = is.map_or("no region".to_owned(), theirs);
        return Err(failed("not_found", message).hint(format!("it is in {is}")));
    }
    let mut data = set_json(&summary);
    data["keys"] = Value::Null;
    data["referenced"] = json!(summary.is_referenced());
    let below = match &summary.keys {
        Some(keys) => {
            let keys: Vec<String> = keys.iter().map(|key| theirs(key)).collect();
            data["keys"] = json!(keys);
            if keys.is_empty() {
                "It has no keys\n".to_owned()
            } else {
                let hidden = keys.iter().map(|key| [key.as_str(), "(hidden)"]);
                table_of(["KEY", "VALUE"], hidden)
            }
        }
        None if summary.is_referenced() => {
            "It is in your own cluster: its keys can be seen and changed only there\n".to_owned()
        }
        None if summary.kind == SetKind::ImagePullSecret => {
            "It has credentials for an image registry, which are never shown\n".to_owned()
        }
        None => "It is of a type that this version does not know: a newer one may show its keys\n"
            .to_owned(),
    };
    data["scope"] = opened.scope.json();
    let text = format!("{}\n{below}", rows(std::slice::from_ref(&summary)));
    Ok(Reply::text(text).data(data))
}

pub fn table_of<const N: usize, T: ToString>(
    header: [&str; N],
    rows: impl Iterator<Item = [T; N]>,
) -> String {
    let header = header.map(str::to_owned).to_vec();
    let rows = rows.map(|row| row.map(|cell| cell.to_string()).to_vec());
    table(&[header].into_iter().chain(rows).collect::<Vec<_>>())
}

/// Formats the sets as a table, followed by the error of each failed set. Every cell is a single word, for use with `awk`.
fn rows(sets: &[SetInfo]) -> String {
    let cells = sets.iter().map(|set| {
        [
            theirs(&set.name),
            set.kind.name().to_owned(),
            set.region.as_deref().map_or_else(|| "-".to_owned(), theirs),
            set.status.name().to_owned(),
        ]
    });
    let mut text = table_of(["NAME", "TYPE", "REGION", "STATUS"], cells);
    let reasons: String = sets.iter().filter_map(reason).collect();
    if !reasons.is_empty() {
        text.extend(["\n", &reasons]);
    }
    text
}

/// Formats a set's error, such as "`prod` is failed: no such region".
fn reason(set: &SetInfo) -> Option<String> {
    let error = theirs(set.error.as_deref()?);
    let (name, status) = (theirs(&set.name), set.status.name());
    Some(format!("`{name}` is {status}: {error}\n"))
}

fn set_json(set: &SetInfo) -> Value {
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

pub(super) fn regions(context: CommandContext<'_>, options: &Wanted) -> Result<Reply, Failure> {
    let opened = open::open(context, options)?;
    let regions = opened.store.regions(opened.session)?;
    let default = opened.store.default_region(opened.session)?;
    let rows = regions.iter().map(|region| {
        let is_default = default.as_ref() == Some(&region.code);
        let mark = if is_default { "default" } else { "" };
        [theirs(&region.code), theirs(&region.name), mark.to_owned()]
    });
    let all = regions
        .iter()
        .map(|region| json!({ "code": theirs(&region.code), "name": theirs(&region.name) }));
    let data = json!({
        "regions": all.collect::<Vec<_>>(),
        "default": default.as_deref().map(theirs),
        "scope": opened.scope.json(),
    });
    Ok(Reply::text(table_of(["CODE", "NAME", ""], rows)).data(data))
}

pub(super) fn organizations(
    context: CommandContext<'_>,
    options: &Wanted,
) -> Result<Reply, Failure> {
    let (_, scope, all, _) = all_organizations(context, options)?;
    let current = scope.organization_name();
    let rows = all.iter().map(|(name, title)| {
        let is_current = Some(name.as_str()) == current;
        let mark = if is_current { "in use" } else { "" };
        [theirs(name), theirs(title), mark.to_owned()]
    });
    let text = table_of(["NAME", "TITLE", ""], rows);
    let all = all.iter().map(|(name, title)| {
        json!({
            "name": theirs(name),
            "title": theirs(title),
            "current": Some(name.as_str()) == current,
        })
    });
    let all: Vec<_> = all.collect();
    Ok(Reply::text(text).data(json!({ "organizations": all, "scope": scope.json() })))
}

pub(super) fn use_organization(context: CommandContext<'_>, name: &str) -> Result<Reply, Failure> {
    let session = context.session;
    let wanted = Organization::parse(name).map_err(|problem| wrong("name", problem))?;
    let (kind, scope, all, is_complete) = all_organizations(context, &Wanted::default())?;
    let is_known = all.iter().any(|(known, _)| known == wanted.as_str());
    if is_complete && !is_known {
        let message = format!("you don't belong to an organization `{wanted}`");
        let known = all.iter().map(|(name, _)| name.as_str());
        let list = "bot-cli cloud organizations list";
        return Err(near_or(failed("not_found", message), name, known, list));
    }
    if !is_complete && !is_known && kind.profile().is_here() {
        session.warn(&format!(
            "the vault has nothing of `{wanted}` yet; an organization of the hosting service can be checked only when you are signed in"
        ));
    }
    let mut settings = Configuration::of(context.environment, &scope.backend.value)?;
    settings.set("organization", Some(wanted.as_str()))?;
    if scope.organization.map(|one| one.source) == Some(Source::Environment) {
        session.warn("BOT_CLI_ORGANIZATION is set and wins over the configuration");
    }
    let path = settings.path;
    let shown = path.display();
    let text = format!("Using the organization {wanted} from now on ({shown})\n");
    Ok(Reply::text(text).data(json!({ "organization": wanted.as_str(), "config": path })))
}

/// Returns the backend, the scope with the current organization, the known organizations, and whether the list is complete.
fn all_organizations(
    context: CommandContext<'_>,
    wanted: &Wanted,
) -> Result<(Kind, Scope, Vec<Named>, bool), Failure> {
    let mut scope = open::scope(context, wanted)?;
    let kind = Kind::of(context.environment, &scope.backend)?;
    let (all, is_complete) = kind.organizations(context, &mut scope)?;
    Ok((kind, scope, all, is_complete))
}

/// A column of a listing: its header, its member in JSON output, and the path of its value in a row of the service. A column without a
/// header is only in JSON output.
pub type Column = (&'static str, &'static str, &'static str);

/// Formats rows from the service as a table and as JSON.
pub fn listing(what: &str, columns: &[Column], rows: &[Value]) -> Reply {
    let value = |row: &Value, path: &str| match row.pointer(path) {
        Some(Value::String(text)) => json!(short_line(text, 1000)),
        found => found.cloned().unwrap_or_default(),
    };
    let cell = |row: &Value, path: &str| {
        let value = value(row, path);
        let text = value.as_str().map(str::to_owned);
        let other = (!value.is_null()).then(|| value.to_string());
        text.or(other).unwrap_or("-".to_owned())
    };
    let shown: Vec<&Column> = columns.iter().filter(|it| !it.0.is_empty()).collect();
    let header = shown.iter().map(|it| it.0.to_owned()).collect();
    let cells = rows
        .iter()
        .map(|row| shown.iter().map(|it| cell(row, it.2)).collect());
    let text = if rows.is_empty() {
        format!("No {what}\n")
    } else {
        table(&[header].into_iter().chain(cells).collect::<Vec<_>>())
    };
    let data = rows.iter().map(|row| {
        let members = columns.iter();
        let members = members.map(|(_, name, path)| ((*name).to_owned(), value(row, path)));
        members.collect::<Map<_, _>>()
    });
    let member = what.rsplit(' ').next().unwrap_or(what);
    Reply::text(text).data(json!({ member: data.collect::<Vec<_>>() }))
}

/// Changes the region of new agents and secret sets.
pub(super) fn default_region(
    context: CommandContext<'_>,
    region: &str,
    account: &Account,
) -> Result<Reply, Failure> {
    let wanted = Region::parse(region).map_err(|problem| wrong("region", problem));
    let (wanted, service) = open::service(context, account, wanted)?;
    let done = format!("the default region was changed to {wanted}");
    let look = service.scope.command("regions list");
    let change = Unclear::new(done, look);
    let body = json!({ "defaultRegion": wanted.as_str() });
    let parts = ["properties"];
    service.change(&Method::PATCH, &parts, Some(&body), &change, || {
        let default = service.default_region().ok()?;
        Some(default.as_deref() == Some(wanted.as_str()))
    })?;
    let text = format!("New agents and secret sets go to {wanted} by default\n");
    Ok(Reply::text(text).data(json!({ "default_region": wanted.as_str() })))
}

/// Registers a Kubernetes Secret in a self-hosted region's cluster as a secret set.
pub(super) fn reference(
    context: CommandContext<'_>,
    options: &Reference,
) -> Result<Reply, Failure> {
    let name = SetName::parse_existing(&options.name).map_err(|it| wrong("name", it));
    let region = Region::parse(&options.region).map_err(|it| wrong("region", it));
    let place = both(name, region);
    let ((name, region), service) = open::service(context, &options.account, place)?;
    let look = service.scope.command(&format!("secrets list {name}"));
    let change = Unclear::new(format!("`{name}` was made a secret set"), look.clone());
    let body = json!({ "name": name.as_str(), "region": region.as_str() });
    let parts = ["secrets", "references"];
    service.change(&Method::POST, &parts, Some(&body), &change, || {
        let found: Value = service.get(&["secrets", name.as_str()], &[]).ok()?;
        Some(found["source"] == "referenced")
    })?;
    let text = format!("The secret set `{name}` refers to the Secret in the cluster of {region}\n");
    let data = json!({ "name": name.as_str(), "region": region.as_str(), "referenced": true });
    Ok(Reply::text(text).data(data).next(look))
}

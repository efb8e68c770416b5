//! The `secrets copy` command.

use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::CredentialsResult;
use serde_json::json;

use super::change::{Change, Keys, Work, check_credentials, conceal};
use super::context::CommandContext;
use super::open::{self, Opened};
use super::project;
use super::target::{Target, target, wrong_type};
use crate::domain::{Entry, Key, Region, SetKind, SetName, registry};
use crate::input::{both, refused};
use crate::options::Copy;
use crate::scope::{Scope, Setting, Wanted};
use crate::source::Source;
use crate::text::theirs;
use crate::words::failed;

struct Original {
    name: SetName,
    region: Option<String>,
    scope: Scope,
    work: Work,
}

pub(super) fn copy(context: CommandContext<'_>, options: &Copy) -> Result<Reply, Failure> {
    let wanted = Wanted::of(&options.to, options.to_organization.as_deref());
    let there = open::usable_scope(context, &wanted.in_region(options.region.as_ref()));
    let names = names(context.session, options);
    let region = names
        .as_ref()
        .ok()
        .and_then(|(_, _, region)| region.clone());
    let names = names.map(|(from, to, _)| (from, to));
    let (to, mut there, original) = read(context, options, both(names, there))?;
    there.prefer_region(region);
    let mut opened = open::open_scope(context, there)?;
    let (there, here) = (&opened.scope, &original.scope);
    let is_same_place = there.backend.value == here.backend.value
        && there.place == here.place
        && there.organization_name() == here.organization_name();
    if is_same_place && original.name == to {
        let problem = format!("`{to}` is the set itself; a copy needs another name");
        refused(vec![Field::new("to_name", problem).flag("--to-name")])?;
    }
    let from = json!({
        "name": original.name.as_str(),
        "region": original.region,
        "organization": here.organization_name(),
        "backend": here.backend.value.as_str(),
    });
    let target = place_of_copy(&mut opened, &original, &to)?;
    let change = Change {
        name: to,
        target,
        work: original.work,
    };
    let mut reply = change.make(context, &opened, options.manner)?;
    reply.data["from"] = from;
    Ok(reply)
}

/// Parses the names of the original and the copy. Reports all problems together. Also returns the region in the deployment file.
fn names(session: &Session, options: &Copy) -> Result<(SetName, SetName, Option<String>), Failure> {
    let (name, parse) = (options.name.as_ref(), SetName::parse_existing);
    let from = project::set(session, name, &options.of, parse, "copy");
    let to = options.to_name.as_deref().map(parse).transpose();
    let to = to.map_err(|problem| {
        let field = Field::new("to_name", problem).flag("--to-name");
        Failure::invalid_input(vec![field])
    });
    let (from, to) = both(from, to)?;
    Ok((from.name.clone(), to.unwrap_or(from.name), from.region))
}

/// Reads the original. Returns the name and the scope of the copy with it.
fn read(
    context: CommandContext<'_>,
    options: &Copy,
    input: Result<((SetName, SetName), Scope), Failure>,
) -> Result<(SetName, Scope, Original), Failure> {
    let so = "nothing can be copied from it";
    let wanted = Wanted::of(&options.from, options.organization.as_deref());
    let (((name, to), there), opened) = open::open_readable(context, &wanted, input, so)?;
    let details = opened.existing(&name)?;
    let work = match details.kind {
        SetKind::Secret => opened.values(&name)?.map(|entries| {
            Work::Save(Keys {
                entries,
                ..Keys::default()
            })
        }),
        SetKind::ImagePullSecret => match opened.credentials(&name)? {
            Some(CredentialsResult { host, credentials }) => {
                let host = registry(&host).map_err(|problem| {
                    let message = format!("the address of the registry of `{name}` {problem}");
                    failed("invalid_response", message)
                })?;
                Some(Work::Credentials { host, credentials })
            }
            None => None,
        },
        SetKind::Unknown => return Err(wrong_type(&name, SetKind::Unknown)),
    };
    let work = work.ok_or_else(|| opened.not_found(&name))?;
    let original = Original {
        name,
        region: details.region,
        scope: opened.scope,
        work,
    };
    Ok((to, there, original))
}

/// Checks the copy and returns its target. By default, a new copy is created in the region of the original.
fn place_of_copy(
    opened: &mut Opened<'_>,
    original: &Original,
    to: &SetName,
) -> Result<Target, Failure> {
    let kind = match &original.work {
        Work::Credentials { credentials, .. } => {
            check_credentials(opened, std::slice::from_ref(credentials))?;
            SetKind::ImagePullSecret
        }
        Work::Save(keys) => {
            let unset = format!("`bot-cli cloud secrets unset {}`", original.name);
            let hint = format!("give them values, or remove them with {unset}");
            conceal(opened, &keys.entries);
            refused(opened.profile.empty(&keys.entries)).map_err(|failure| failure.hint(hint))?;
            check_keys(&original.name, &keys.entries)?;
            SetKind::Secret
        }
        Work::Remove(_) | Work::Delete(_) => SetKind::Secret,
    };
    let existing = opened.get(to)?;
    if existing.is_none() {
        let checked = SetName::parse(to.as_str());
        let checked = checked.and_then(|name| opened.profile.check_name(&name));
        checked.map_err(|problem| {
            let field = Field::new("name", problem).flag("--to-name");
            Failure::invalid_input(vec![field]).hint("`--to-name NAME` gives the copy another name")
        })?;
        if opened.scope.region.is_none() {
            let region = original.region.as_deref().map(Region::parse);
            let region = region.and_then(Result::ok);
            opened.scope.region = region.map(|value| Setting::new(value, Source::Existing));
        }
    }
    target(opened, to, kind, existing)
}

/// Fails if the set has no keys, or has keys that are not allowed in a new set.
fn check_keys(name: &SetName, entries: &[Entry]) -> Result<(), Failure> {
    if entries.is_empty() {
        let message = format!("`{name}` has no keys, so there is nothing to copy");
        return Err(failed("empty_set", message));
    }
    let wrong = entries.iter().filter_map(|entry| {
        let key = entry.key.as_str();
        Some(Field::new(theirs(key), Key::parse(key).err()?))
    });
    refused(wrong.collect())
        .map_err(|failure| failure.hint("rename or remove these keys where the set was made"))
}

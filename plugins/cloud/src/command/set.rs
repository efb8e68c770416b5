//! `secrets set`.

mod ask;
mod bare;
mod read;

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;

use super::change::target::{Target, target};
use super::change::{Change, Keys, Manner, Work, check_size, names, refused};
use super::context::CommandContext;
use super::open::Opened;
use super::{choose, kind, open};
use crate::domain::{Entry, Key, Region, SetKind, SetName};
use crate::input::given::Given;
use crate::input::template::TemplateKey;
use crate::input::wrong;
use crate::options::Set;
use crate::scope::{Scope, Setting};
use crate::source::Source;
use read::{Read, read};

pub(super) fn set(context: &CommandContext<'_>, options: Set) -> Result<Reply, Failure> {
    let Read {
        options,
        name,
        region,
        mut given,
        template,
    } = read(context, options)?;
    for warning in &given.warnings {
        context.warn(warning);
    }
    let wanted = options.scope.wanted(options.region.region.as_deref());
    let mut scope = open::scope(context, &wanted)?;
    prefer(&mut scope, region);
    check_empty(
        context,
        &scope,
        &given.entries,
        "`--empty skip` leaves them out",
    )?;
    let mut opened = open::open_scope(context, scope)?;
    let name = match name {
        Some(name) => name,
        None => choose::target(context, &opened)?,
    };
    let values: Vec<Secret> = given.entries.iter().map(|one| one.value.clone()).collect();
    opened.backend.conceal(&values);
    let existing = opened.backend.get(&name)?;
    let target = target(&mut opened, &name, SetKind::Secret, existing, context)?;
    let bare = std::mem::take(&mut given.bare);
    given
        .open
        .extend(bare::keys(context, bare, target.known())?);
    let mut missing = missing(&template, &given, &target);
    if given.entries.is_empty() && given.open.is_empty() {
        // Nothing but a template: its missing keys are what this is about.
        if missing.is_empty() {
            return Ok(nothing_missing(&opened, name, target));
        }
        given.open.clone_from(&missing);
    }
    let asked = ask::ask(context, &given.open, &template, options.dry_run)?;
    if given.entries.is_empty() && asked.is_empty() && !options.prune {
        return Err(wrong("secrets", "no key was given a value"));
    }
    missing.retain(|key| !asked.iter().any(|entry| entry.key == *key));
    let removed = options.prune.then(|| removed(&given, &target));
    let keys = Keys {
        removed: removed.transpose()?,
        missing,
        entries: [given.entries, asked].concat(),
        skipped: given.skipped,
    };
    check_size(&opened, &keys.entries, &target)?;
    if !keys.missing.is_empty() && !options.dry_run {
        let missing = names(&keys.missing);
        context.warn(&format!("still missing in `{name}`: {missing}"));
    }
    let change = Change {
        name,
        target,
        work: Work::Save(keys),
    };
    if options.skip && options.prune && !options.dry_run {
        context.output(&change.plan(&opened));
    }
    let manner = Manner {
        asks: !options.skip,
        dry_run: options.dry_run,
        wait: options.wait,
    };
    change.make(context, &opened, manner)
}

/// Reports that a set has every key of a template.
fn nothing_missing(opened: &Opened<'_>, name: SetName, target: Target) -> Reply {
    let text = format!("Nothing to do: `{name}` has every key of the template\n");
    let change = Change {
        name,
        target,
        work: Work::Save(Keys::default()),
    };
    Reply::text(text).data(change.data(opened, None, false))
}

/// The project's region, where nothing on the command line or in the environment says otherwise.
fn prefer(scope: &mut Scope, region: Option<Region>) {
    let said_here = |source| matches!(source, Source::Flag | Source::Environment);
    let said = scope.region.as_ref();
    if let Some(region) = region
        && !said.is_some_and(|region| said_here(region.source))
    {
        scope.region = Some(Setting::new(region, Source::DeployFile));
    }
}

/// Refuses empty values for a backend that does not take them, before it is opened; `hint` is what to do about them.
pub(super) fn check_empty(
    context: &CommandContext<'_>,
    scope: &Scope,
    entries: &[Entry],
    hint: &str,
) -> Result<(), Failure> {
    let kind = kind::of(&context.environment, &scope.backend)?;
    refused(kind.profile().empty(entries)).map_err(|failure| failure.hint(hint))
}

/// The keys of the template that nothing gives a value to.
fn missing(template: &[TemplateKey], given: &Given, target: &Target) -> Vec<Key> {
    let is_given =
        |key: &Key| given.entries.iter().any(|entry| entry.key == *key) || given.open.contains(key);
    let keys = template.iter().map(|named| &named.key);
    keys.filter(|key| !is_given(key) && !target.has(key.as_str()))
        .cloned()
        .collect()
}

/// The keys of the set that are not given. One that is given without a value stays.
fn removed(given: &Given, target: &Target) -> Result<Vec<Key>, Failure> {
    let keys = target.known().iter().map(|known| {
        Key::parse_existing(known).map_err(|problem| wrong("key", format!("of the set {problem}")))
    });
    keys.filter(|key| !key.as_ref().is_ok_and(|key| given.has(key)))
        .collect()
}

//! `secrets set`.

mod ask;
mod bare;
pub(super) mod carry_out;
pub(super) mod plan;
mod read;
pub(super) mod report;

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;

use super::context::CommandContext;
use super::open::Opened;
use super::target::target;
use super::{choose, confirm, kind, open};
use crate::domain::{Entry, Key, Region, SetKind};
use crate::input::given::Given;
use crate::input::invalid;
use crate::input::template::TemplateKey;
use crate::options::Set;
use crate::scope::{Scope, Setting};
use crate::source::Source;
use carry_out::carry_out;
use plan::{Plan, names};
use read::{Read, read};
use report::{Progress, nothing_missing, reply};

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
    let existing = opened.get(&name)?;
    let warn = |line: &str| context.warn(line);
    let target = target(&mut opened, &name, SetKind::Secret, existing, &warn)?;
    let bare = std::mem::take(&mut given.bare);
    given.open.extend(bare::keys(context, bare, &target.known)?);
    let missing = missing(&template, &given, &target.known);
    if given.entries.is_empty() && given.open.is_empty() {
        // Nothing but a template: its missing keys are what this is about.
        if missing.is_empty() {
            return Ok(nothing_missing(&opened, &name));
        }
        given.open.clone_from(&missing);
    }
    let asked = ask::ask(context, &given.open, &template, options.dry_run)?;
    if given.entries.is_empty() && asked.is_empty() && !options.prune {
        let problem = "no key was given a value";
        return Err(invalid(vec![(
            "secrets".to_owned(),
            None,
            problem.to_owned(),
        )]));
    }
    let plan = Plan {
        removed: options
            .prune
            .then(|| removed(&given, &target.known))
            .transpose()?,
        missing: missing
            .into_iter()
            .filter(|key| !asked.iter().any(|entry| entry.key == *key))
            .collect(),
        name,
        target,
        entries: [given.entries, asked].concat(),
        skipped: given.skipped,
    };
    check_size(&opened, &plan.entries, &plan.target.known)?;
    finish(context, &opened, &plan, &options)
}

/// Shows the plan, asks for consent, and carries it out.
fn finish(
    context: &CommandContext<'_>,
    opened: &Opened<'_>,
    plan: &Plan,
    options: &Set,
) -> Result<Reply, Failure> {
    if options.dry_run {
        return Ok(reply(context, opened, plan, Progress::Shown));
    }
    if !plan.missing.is_empty() {
        let missing = names(&plan.missing);
        context.warn(&format!("still missing in `{}`: {missing}", plan.name));
    }
    if !options.skip {
        confirm::yes(
            context,
            plan.question(),
            plan.words(opened),
            !plan.target.exists,
        )?;
    } else if options.prune {
        context.output(&plan.words(opened));
    }
    let status = carry_out(context, opened, plan, options.wait)?;
    Ok(reply(context, opened, plan, Progress::Done(status)))
}

/// The project's region, where nothing on the command line or in the environment says otherwise.
fn prefer(scope: &mut Scope, region: Option<Region>) {
    let said_here = |source| matches!(source, Source::Flag | Source::Environment);
    let said = scope.region.as_ref();
    if let Some(region) = region
        && !said.is_some_and(|region| said_here(region.source))
    {
        scope.region = Some(Setting {
            value: region,
            source: Source::DeployFile,
        });
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

/// Refuses what is too much for a backend, before anything is sent.
pub(super) fn check_size(
    opened: &Opened<'_>,
    entries: &[Entry],
    known: &[String],
) -> Result<(), Failure> {
    let profile = opened.profile();
    refused(profile.too_much(entries, known))
}

fn refused(problems: Vec<(String, String)>) -> Result<(), Failure> {
    if problems.is_empty() {
        return Ok(());
    }
    let wrong = problems.into_iter();
    Err(invalid(
        wrong
            .map(|(field, problem)| (field, None, problem))
            .collect(),
    ))
}

/// The keys of the template that nothing gives a value to.
fn missing(template: &[TemplateKey], given: &Given, known: &[String]) -> Vec<Key> {
    template
        .iter()
        .map(|named| &named.key)
        .filter(|key| {
            !given.entries.iter().any(|entry| entry.key == **key)
                && !given.open.contains(key)
                && !known.iter().any(|known| known == key.as_str())
        })
        .cloned()
        .collect()
}

/// The keys of the set that are not given. One that is given without a value stays.
fn removed(given: &Given, known: &[String]) -> Result<Vec<Key>, Failure> {
    known
        .iter()
        .map(|known| {
            Key::parse_existing(known).map_err(|problem| {
                invalid(vec![(
                    "key".to_owned(),
                    None,
                    format!("of the set {problem}"),
                )])
            })
        })
        .filter(|key| !key.as_ref().is_ok_and(|key| given.has(key)))
        .collect()
}

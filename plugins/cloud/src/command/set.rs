//! `secrets set`.

mod read;

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::Question;
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;

use super::change::{Change, Keys, Manner, Work, check_empty, check_size, names};
use super::context::CommandContext;
use super::open;
use super::target::{Target, target};
use crate::domain::{Entry, Key, Region, SetKind};
use crate::input::given::{Given, TemplateKey};
use crate::input::{advice, looks_like_a_key, wrong};
use crate::options::Set;
use crate::scope::{Scope, Setting};
use crate::source::Source;
use read::{Input, read};

pub(super) fn set(context: &CommandContext<'_>, mut options: Set) -> Result<Reply, Failure> {
    // A first word that can only be a pair or a key is no name.
    let is_no_name =
        |word: &mut String| word.contains('=') || (word.contains('_') && looks_like_a_key(word));
    if let Some(first) = options.name.take_if(is_no_name) {
        options.secrets.insert(0, first);
    }
    let Input {
        name,
        region,
        mut given,
        template,
    } = read(context, &options)?;
    let wanted = options.scope.wanted(options.region.region.as_deref());
    let mut scope = open::scope(context, &wanted)?;
    prefer(&mut scope, region);
    let mut opened = open::open_scope(context, scope)?;
    check_empty(&opened, &given.entries, "`--empty skip` leaves them out")?;
    let values: Vec<Secret> = given.entries.iter().map(|one| one.value.clone()).collect();
    opened.backend.conceal(&values);
    let existing = opened.backend.get(&name)?;
    let target = target(&mut opened, &name, SetKind::Secret, existing)?;
    let mut missing = missing(&template, &given, &target);
    if given.entries.is_empty() && given.open.is_empty() {
        // Nothing but a template: its missing keys are what this is about.
        given.open.clone_from(&missing);
    }
    let is_complete = given.entries.is_empty() && given.open.is_empty();
    let asked = ask(context, &given.open, &template)?;
    if given.entries.is_empty() && asked.is_empty() && !is_complete {
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
    for Entry { key, value } in &keys.entries {
        if let Some(odd) = advice::odd(value.expose()) {
            context.warn(&format!("the value of `{key}` {odd}"));
        }
    }
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
    if is_complete {
        let name = &change.name;
        let text = format!("Nothing to do: `{name}` has every key of the template\n");
        return Ok(Reply::text(text).data(change.data(&opened, None, false)));
    }
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

/// Takes the project's region, unless an option or the environment has one.
fn prefer(scope: &mut Scope, region: Option<Region>) {
    let said = scope.region.as_ref().map(|region| region.source);
    if let Some(region) = region
        && !matches!(said, Some(Source::Flag | Source::Environment))
    {
        scope.region = Some(Setting::new(region, Source::DeployFile));
    }
}

/// Returns the keys of the template that have no value.
fn missing(template: &[TemplateKey], given: &Given, target: &Target) -> Vec<Key> {
    let keys = template.iter().map(|named| &named.key);
    keys.filter(|key| {
        let is_skipped = given.skipped.contains(key);
        (is_skipped || !given.has(key)) && !target.has(key.as_str())
    })
    .cloned()
    .collect()
}

/// Returns the keys of the set that are not given. One that is given without a value stays.
fn removed(given: &Given, target: &Target) -> Result<Vec<Key>, Failure> {
    let keys = target.known().iter().map(|known| {
        Key::parse_existing(known).map_err(|problem| wrong("key", format!("of the set {problem}")))
    });
    keys.filter(|key| !key.as_ref().is_ok_and(|key| given.has(key)))
        .collect()
}

/// Asks for the values of these keys, hidden, with what the template says about them. A key of the template may be left out.
fn ask(
    context: &CommandContext<'_>,
    open: &[Key],
    template: &[TemplateKey],
) -> Result<Vec<Entry>, Failure> {
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let question = |key: &Key| {
        let mut question = Question::password(&format!("value_{key}"), format!("Value of {key}"));
        if let Some(named) = template.iter().find(|named| named.key == *key) {
            question = question.help("Enter alone leaves it out");
            question.details = Some(named.comment.join("\n")).filter(|text| !text.is_empty());
        }
        question
    };
    let questions: Vec<Question> = open.iter().map(question).collect();
    let instead = "give them as `KEY=VALUE`, or in a file with `--file`";
    let values = context.ask_all_or(&questions, instead, |question, answer| {
        let value = answer.as_secret().ok_or("must be a text")?;
        match value.expose() {
            "" if question.help.is_some() => Ok(None),
            "" => Err("a value can't be empty".to_owned()),
            text if text.contains('\0') => Err("a value can't have a NUL character".to_owned()),
            _ => Ok(Some(value.clone())),
        }
    })?;
    let given = |(key, value): (Key, Option<Secret>)| value.map(|value| Entry { key, value });
    Ok(open.iter().cloned().zip(values).filter_map(given).collect())
}

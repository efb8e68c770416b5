//! The `secrets set`, `secrets unset` and `secrets delete` commands.

mod read;

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::Question;
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::Session;
use serde_json::Value;

use super::ask::ask_all_or;
use super::change::{Change, Keys, Work, conceal};
use super::context::CommandContext;
use super::open::{self, Opened};
use super::project;
use super::target::{Target, referenced, target, wrong_type};
use crate::domain::{Entry, Key, SetKind, SetName};
use crate::input::given::{Given, TemplateKey};
use crate::input::{advice, both, keys, looks_like_a_key, wrong};
use crate::options::{Delete, Manner, Of, Set, Unset};
use read::{Input, read};

pub(super) fn set(context: CommandContext<'_>, mut options: Set) -> Result<Reply, Failure> {
    let session = context.session;
    // If the first argument can only be a pair or a key, the name is missing.
    let has_other = options.of.environment.is_some();
    let is_no_name = |word: &mut String| {
        word.contains('=') || ((has_other || word.contains('_')) && looks_like_a_key(word))
    };
    if let Some(first) = options.name.take_if(is_no_name) {
        options.secrets.insert(0, first);
    }
    if has_other && options.name.is_some() {
        return Err(wrong("name", "can't be used with `--environment`"));
    }
    let wanted = options.scope.in_region(options.region.as_ref());
    let (input, mut scope) = both(
        read(session, &options),
        open::usable_scope(context, &wanted),
    )?;
    let Input {
        name,
        region,
        mut given,
        template,
    } = input;
    scope.prefer_region(region);
    let mut opened = open::open_scope(context, scope)?;
    conceal(&opened, &given.entries);
    let existing = opened.get(&name)?;
    let target = target(&mut opened, &name, SetKind::Secret, existing)?;
    let mut missing = missing(&template, &given, &target);
    if !given.open.is_empty() {
        // Whoever names keys wants no others.
        missing.retain(|key| given.open.contains(key));
    }
    if given.entries.is_empty() && given.open.is_empty() {
        // With only a template, prompt for its missing keys.
        given.open.clone_from(&missing);
        if missing.is_empty() {
            let text = if template.is_empty() {
                "Nothing to do: the template has no key that must be set\n".to_owned()
            } else {
                format!("Nothing to do: `{name}` has every key of the template\n")
            };
            return Ok(Reply::text(text).data(unchanged(&opened, name, target)));
        }
    }
    let asked = ask(session, &given.open, &template)?;
    if given.entries.is_empty() && asked.is_empty() {
        let text = format!("Nothing to do: no key of `{name}` was given a value\n");
        return Ok(Reply::text(text).data(unchanged(&opened, name, target)));
    }
    missing.retain(|key| !asked.iter().any(|entry| entry.key == *key));
    let keys = Keys {
        missing,
        entries: [given.entries, asked].concat(),
        skipped: given.skipped,
    };
    for entry in &keys.entries {
        let too_long = advice::is_too_long(entry).then_some(advice::TOO_LONG);
        let odd = advice::odd(entry.value.expose());
        for problem in too_long.into_iter().chain(odd) {
            session.warn(&format!("the value of `{}` {problem}", entry.key));
        }
    }
    let reserved = advice::reserved(&keys.entries);
    if !reserved.is_empty() {
        let reserved = reserved.join(", ");
        let replaces = "the set replaces variables of the system or of bot-cli";
        session.warn(&format!(
            "{replaces}: {reserved}; programs started with it may fail"
        ));
    }
    let work = Work::Save(keys);
    Change { name, target, work }.make(context, &opened, options.manner)
}

fn unchanged(opened: &Opened<'_>, name: SetName, target: Target) -> Value {
    let work = Work::Save(Keys::default());
    Change { name, target, work }.data(opened, None, false)
}

/// Returns the template keys that have a value neither in the input nor in the set.
fn missing(template: &[TemplateKey], given: &Given, target: &Target) -> Vec<Key> {
    let keys = template.iter().map(|named| &named.key);
    keys.filter(|key| !given.has_value(key) && !target.has(key.as_str()))
        .cloned()
        .collect()
}

/// Prompts for the values of these keys with hidden input, and shows the template's comments. Template keys may be skipped.
fn ask(session: &Session, open: &[Key], template: &[TemplateKey]) -> Result<Vec<Entry>, Failure> {
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
    let values = ask_all_or(session, &questions, instead, |question, answer| {
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

pub(super) fn unset(context: CommandContext<'_>, mut options: Unset) -> Result<Reply, Failure> {
    if options.of.environment.is_some() {
        options.secret_key.splice(0..0, options.name.take());
    }
    let words = Some(&options.secret_key).filter(|keys| !keys.is_empty());
    let words = words.ok_or_else(|| wrong("secret_key", "missing"));
    let name = existing(context.session, options.name.as_ref(), &options.of, "unset");
    let input = both(name, words.and_then(|words| keys(words, None)));
    let ((name, keys), mut opened) = open::open_with(context, &options.scope, input)?;
    let details = opened.existing(&name)?;
    if details.is_referenced() {
        return Err(referenced(&name));
    }
    if details.kind != SetKind::Secret {
        return Err(wrong_type(&name, details.kind));
    }
    let target = Target::existing(&mut opened, details);
    if let Some(missing) = keys.iter().find(|key| !target.has(key.as_str())) {
        let known = target.known.iter().flatten().map(String::as_str);
        let failure = opened.no_such_key(missing, &[name.as_str()], known);
        let message = format!("{}; nothing was removed", failure.message);
        return Err(failure.message(message));
    }
    let work = Work::Remove(keys);
    Change { name, target, work }.make(context, &opened, skipping(options.skip))
}

pub(super) fn delete(context: CommandContext<'_>, options: &Delete) -> Result<Reply, Failure> {
    let name = existing(
        context.session,
        options.name.as_ref(),
        &options.of,
        "delete",
    );
    let (name, mut opened) = open::open_with(context, &options.scope, name)?;
    let details = opened.existing(&name)?;
    let work = Work::Delete(details.kind);
    let target = Target::existing(&mut opened, details);
    Change { name, target, work }.make(context, &opened, skipping(options.skip))
}

fn skipping(skip: bool) -> Manner {
    Manner {
        skip,
        ..Manner::default()
    }
}

fn existing(
    session: &Session,
    name: Option<&String>,
    of: &Of,
    command: &str,
) -> Result<SetName, Failure> {
    Ok(project::set(session, name, of, SetName::parse_existing, command)?.name)
}

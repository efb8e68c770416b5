//! `secrets set`.

use std::path::Path;

use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::question::{Answer, Question, QuestionKind};
use serde_json::json;

use super::context::CommandContext;
use super::open::Opened;
use super::plan::{Plan, target, where_to};
use super::{confirm, open, project, ready};
use crate::domain::{Entry, Key, Region, SetKind, SetName};
use crate::input::given::{self, Given, Wrong};
use crate::input::{advice, invalid, looks_like_a_key};
use crate::options::Set;
use crate::scope::{BackendKind, Setting, Source};
use crate::words::{count, put_failure};

pub(super) fn set(context: &CommandContext<'_>, options: Set) -> Result<Reply, Failure> {
    let read = read(context, options)?;
    let Read {
        options,
        name,
        region,
        mut given,
        template,
    } = read;
    for warning in &given.warnings {
        context.warn(warning);
    }
    let wanted = options.scope.wanted(options.region.region.as_deref());
    let mut scope = open::scope(context, &wanted)?;
    let said_here = |source| matches!(source, Source::Flag | Source::Environment);
    if let Some(region) = region
        && !scope
            .region
            .as_ref()
            .is_some_and(|region| said_here(region.source))
    {
        scope.region = Some(Setting {
            value: region,
            source: Source::DeployFile,
        });
    }
    let mut opened = open::open_scope(context, scope)?;
    let existing = opened.get(&name)?;
    let target = target(&mut opened, &name, SetKind::Secret, existing, &|line| {
        context.warn(line);
    })
    ?;
    let missing = missing(&template, &given, &target.known);
    if given.entries.is_empty() && given.open.is_empty() {
        // Nothing but a template: its missing keys are what this is about.
        if missing.is_empty() {
            return Ok(nothing_missing(&opened, &name));
        }
        given.open.clone_from(&missing);
    }
    let asked = ask(context, &given.open, options.dry_run)?;
    let missing: Vec<String> = missing
        .iter()
        .filter(|key| !asked.iter().any(|entry| entry.key == **key))
        .map(ToString::to_string)
        .collect();
    let plan = Plan {
        name,
        region: target.region,
        entries: [given.entries, asked].concat(),
        exists: target.exists,
        known: target.known,
    };
    if !missing.is_empty() && !options.dry_run {
        context.warn(&format!(
            "still missing in `{}`: {}",
            plan.name,
            missing.join(", ")
        ));
    }
    if !options.dry_run {
        if !options.skip {
            let message = format!(
                "Save {} in `{}`?",
                count(plan.entries.len(), "key"),
                plan.name
            );
            confirm::yes(context, message, plan.words(&opened))?;
        }
        context.progress(&format!("Saving {}", count(plan.entries.len(), "key")));
        let region = (!plan.exists).then_some(&plan.region);
        let put = opened.backend.put(&plan.name, &plan.entries, region);
        put.map_err(|error| put_failure(&plan.name, &error))?;
    }
    let status = if options.dry_run {
        None
    } else {
        ready::status(context, &opened, &plan.name, options.wait)?
    };
    Ok(reply(&opened, &plan, status, &missing, options.dry_run))
}

/// What the command line, the files and the project say.
struct Read {
    options: Set,
    name: SetName,
    region: Option<Region>,
    given: Given,
    template: Vec<Key>,
}

/// Reads all of it; all problems at once.
fn read(context: &CommandContext<'_>, mut options: Set) -> Result<Read, Failure> {
    let mut wrong: Vec<Wrong> = Vec::new();
    // A first word that is a pair is no name.
    if let Some(first) = options.name.take_if(|name| name.contains('=')) {
        options.secrets.insert(0, first);
    }
    let (name, region) = name(context, options.name.as_deref(), &mut wrong)?;
    let given = match (&options.file, options.secrets.as_slice()) {
        (Some(_), [_, ..]) => {
            let problem = "can't be used together with pairs";
            wrong.push(("file".to_owned(), Some("--file"), problem.to_owned()));
            Given::default()
        }
        (None, []) if options.from_template.is_none() => {
            let problem = "missing: give `KEY=value`, or a file with `--file`";
            wrong.push(("secrets".to_owned(), None, problem.to_owned()));
            Given::default()
        }
        (None, words) => collect(given::from_words(words), &mut wrong),
        (Some(path), []) => file(context, path, "--file", &mut wrong, given::from_file)?,
    };
    let template = match &options.from_template {
        Some(path) => file(
            context,
            path,
            "--from-template",
            &mut wrong,
            given::keys_of_template,
        )?,
        None => Vec::new(),
    };
    if !context.interactive() && !context.has_answers() {
        // What looks like a value in the place of a key must not be repeated.
        for (index, word) in options.secrets.iter().enumerate() {
            if !word.contains('=') && !looks_like_a_key(word) && Key::parse(word).is_ok() {
                wrong.push((
                    format!("pair {}", index + 1),
                    None,
                    "is not `KEY=value`".to_owned(),
                ));
            }
        }
    }
    match name {
        Some(name) if wrong.is_empty() => Ok(Read {
            options,
            name,
            region,
            given,
            template,
        }),
        _ => Err(invalid(wrong)),
    }
}

/// The name, or that of the project that the user is in.
fn name(
    context: &CommandContext<'_>,
    given: Option<&str>,
    wrong: &mut Vec<Wrong>,
) -> Result<(Option<SetName>, Option<Region>), Failure> {
    let mut parsed = |name: &str| match SetName::parse(name) {
        Ok(name) => Some(name),
        Err(problem) => {
            wrong.push(("name".to_owned(), None, problem));
            None
        }
    };
    if let Some(name) = given {
        return Ok((parsed(name), None));
    }
    let Some(deploy) = project::find(&context.cwd())? else {
        let problem = "missing: there is no server/cloud-deploy.toml here that names one";
        wrong.push(("name".to_owned(), None, problem.to_owned()));
        return Ok((None, None));
    };
    let name = parsed(&deploy.secret_set);
    if let Some(name) = &name {
        context.warn(&format!(
            "using the set `{name}` of {}",
            deploy.path.display()
        ));
    }
    Ok((
        name,
        deploy.region.and_then(|region| Region::parse(&region).ok()),
    ))
}

fn file<T: Default>(
    context: &CommandContext<'_>,
    path: &Path,
    flag: &'static str,
    wrong: &mut Vec<Wrong>,
    parse: impl Fn(&str, &[u8]) -> Result<T, Vec<Wrong>>,
) -> Result<T, Failure> {
    let shown = path.display().to_string();
    if path.as_os_str() == "-" {
        return Ok(collect(parse("stdin", &context.stdin()?), wrong));
    }
    match given::read(&context.cwd().join(path)) {
        Ok(bytes) => Ok(collect(parse(&shown, &bytes), wrong)),
        Err(problem) => {
            wrong.push((shown, Some(flag), problem));
            Ok(T::default())
        }
    }
}

fn collect<T: Default>(result: Result<T, Vec<Wrong>>, wrong: &mut Vec<Wrong>) -> T {
    result.unwrap_or_else(|more| {
        wrong.extend(more);
        T::default()
    })
}

/// The keys of the template that nothing gives a value to.
fn missing(template: &[Key], given: &Given, known: &[String]) -> Vec<Key> {
    template
        .iter()
        .filter(|key| {
            !given.entries.iter().any(|entry| entry.key == **key)
                && !given.open.contains(key)
                && !known.iter().any(|known| known == key.as_str())
        })
        .cloned()
        .collect()
}

/// The values of keys that came without, hidden.
fn ask(context: &CommandContext<'_>, open: &[Key], dry_run: bool) -> Result<Vec<Entry>, Failure> {
    if open.is_empty() {
        return Ok(Vec::new());
    }
    if dry_run && !context.interactive() && !context.has_answers() {
        let missing = open
            .iter()
            .map(|key| (key.to_string(), None, "has no value".to_owned()));
        return Err(invalid(missing.collect()));
    }
    let questions: Vec<Question> = open
        .iter()
        .map(|key| {
            Question::new(
                QuestionKind::Password,
                &format!("value_{key}"),
                format!("Value of {key}"),
            )
        })
        .collect();
    let value = |answer: &Answer| match answer {
        Answer::Secret(value) if value.expose().is_empty() => {
            Err("a value can't be empty".to_owned())
        }
        Answer::Secret(value) if value.expose().contains('\0') => {
            Err("a value can't have a NUL character".to_owned())
        }
        Answer::Secret(value) => Ok(value.clone()),
        Answer::Text(_) | Answer::Confirm(_) | Answer::Many(_) | Answer::Back => {
            Err("must be a text".to_owned())
        }
    };
    let mut values = Vec::new();
    if context.interactive() {
        for question in &questions {
            values.push(context.ask_until(question, value)?);
        }
    } else {
        let instead = "give them as `KEY=value`, or in a file with `--file`";
        for (answer, key) in context.ask_all_or(&questions, instead)?.iter().zip(open) {
            values.push(
                value(answer).map_err(|problem| invalid(vec![(key.to_string(), None, problem)]))?,
            );
        }
    }
    let entries = open.iter().cloned().zip(values);
    let entries: Vec<Entry> = entries.map(|(key, value)| Entry { key, value }).collect();
    for entry in &entries {
        if let Some(odd) = advice::odd(entry.value.expose()) {
            context.warn(&format!("the value of `{}` {odd}", entry.key));
        }
    }
    Ok(entries)
}

fn nothing_missing(opened: &Opened<'_>, name: &SetName) -> Reply {
    Reply {
        text: format!("Nothing to do: `{name}` has every key of the template\n"),
        data: json!({
            "name": name.as_str(),
            "region": opened.scope.region.as_ref().map(|region| region.value.as_str()),
            "created": [],
            "overwritten": [],
            "missing": [],
            "status": null,
            "dry_run": false,
            "scope": opened.scope.json(),
        }),
        next: Vec::new(),
    }
}

fn reply(
    opened: &Opened<'_>,
    plan: &Plan,
    status: Option<ready::Seen>,
    missing: &[String],
    dry_run: bool,
) -> Reply {
    let (created, overwritten) = plan.changes();
    let status = status.map(|seen| seen.status.name());
    let text = if dry_run {
        let mut text = plan.words(opened);
        if !missing.is_empty() {
            text.extend(["Still missing: ", &missing.join(", "), "\n"]);
        }
        text + "Nothing was changed\n"
    } else {
        let mut text = format!(
            "Saved {} in `{}`: {} created, {} overwritten ({}; {})\n",
            count(plan.entries.len(), "key"),
            plan.name,
            created.len(),
            overwritten.len(),
            where_to(opened, &plan.region),
            status.unwrap_or("status unknown"),
        );
        if plan.exists && opened.scope.backend.value == BackendKind::Hosted {
            text += "Agents that are running keep the old values until they are deployed again\n";
        }
        text
    };
    let next = if dry_run {
        Vec::new()
    } else {
        vec![opened.scope.command(&format!("secrets list {}", plan.name))]
    };
    Reply {
        text,
        data: json!({
            "name": plan.name.as_str(),
            "region": plan.region.as_str(),
            "created": created,
            "overwritten": overwritten,
            "missing": missing,
            "status": status,
            "dry_run": dry_run,
            "scope": opened.scope.json(),
        }),
        next,
    }
}

/// The set is stored, and could not be made ready.
pub(super) fn provisioning_failed(
    opened: &Opened<'_>,
    name: &SetName,
    why: Option<&str>,
) -> Failure {
    let why = why.map_or(String::new(), |why| format!(": {why}"));
    Failure::new(
        Exit::Failed,
        "provisioning_failed",
        format!("`{name}` is saved but could not be made ready for agents{why}"),
    )
    .hint(opened.scope.command(&format!("secrets list {name}")))
}

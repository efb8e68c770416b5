//! What `set` is given: the command line, files, the project, and answers.

use std::path::Path;

use bot_cli_sdk::failure::Failure;
use bot_cli_sdk::question::{Answer, Question, QuestionKind};

use crate::command::context::CommandContext;
use crate::command::project;
use crate::domain::{Entry, Key, Region, SetName};
use crate::input::given::{self, Given, Wrong};
use crate::input::{advice, invalid, looks_like_a_key};
use crate::options::Set;

/// What the command line, the files and the project say.
pub struct Read {
    /// The options that remain.
    pub options: Set,
    /// The set.
    pub name: SetName,
    /// The region that the project names.
    pub region: Option<Region>,
    /// Keys with values, and keys that have none yet.
    pub given: Given,
    /// The keys that a template names.
    pub template: Vec<Key>,
}

/// Reads all of it; all problems at once.
pub fn read(context: &CommandContext<'_>, mut options: Set) -> Result<Read, Failure> {
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

/// The values of keys that came without, hidden.
pub fn ask(
    context: &CommandContext<'_>,
    open: &[Key],
    dry_run: bool,
) -> Result<Vec<Entry>, Failure> {
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

//! The input of `set`: the command line, files and the project.

use std::path::Path;

use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_terminal::standard_input;

use crate::command::context::{CommandContext, NO_FILE};
use crate::command::project;
use crate::domain::{Key, Region, SetName};
use crate::input::given::{Given, REFUSED, TemplateKey, from_file, from_template};
use crate::input::{looks_like_a_key, pairs, text};
use crate::options::Set;

/// The input from the command line, the files and the project.
pub struct Input {
    pub name: SetName,
    /// The region that the project names.
    pub region: Option<Region>,
    pub given: Given,
    /// The keys that a template names.
    pub template: Vec<TemplateKey>,
}

/// Reads all of it; all problems at once.
pub fn read(context: &CommandContext<'_>, options: &Set) -> Result<Input, Failure> {
    let mut wrong: Vec<Field> = Vec::new();
    let (name, region) = name(context, options.name.as_deref(), &mut wrong)?;
    if reads_stdin(options) > 1 {
        let problem = "can be read only once: `-` is given several times";
        wrong.push(Field::new("standard input", problem));
        return Err(Failure::invalid_input(wrong));
    }
    let mut given = keys(context, options, &mut wrong)?;
    values_from(context, options, &mut given, &mut wrong)?;
    let template = match &options.from_template {
        Some(path) => file(context, path, "--from-template", &mut wrong, from_template)?,
        None => Vec::new(),
    };
    let nothing = given.entries.is_empty() && given.open.is_empty();
    if wrong.is_empty() && nothing && options.from_template.is_none() {
        wrong.push(Field::new("secrets", "no key has a value"));
    }
    match name {
        Some(name) if wrong.is_empty() => Ok(Input {
            name,
            region,
            given,
            template,
        }),
        _ => {
            let is_empty = wrong.iter().any(|wrong| wrong.problem.ends_with(REFUSED));
            let failure = Failure::invalid_input(wrong);
            Err(if is_empty {
                failure.hint("`--empty skip` leaves keys without a value out")
            } else {
                failure
            })
        }
    }
}

/// Counts the options that read standard input.
fn reads_stdin(options: &Set) -> usize {
    let files = [&options.file, &options.from_template];
    let values = options.value_from.iter();
    let values = values.filter_map(|word| Some(Path::new(word.split_once('=')?.1)));
    let paths = files.into_iter().flatten().map(AsRef::as_ref).chain(values);
    paths
        .filter(|path| standard_input::is_named_by(path))
        .count()
}

/// Returns the given name, or that of the project with its region.
fn name(
    context: &CommandContext<'_>,
    given: Option<&str>,
    wrong: &mut Vec<Field>,
) -> Result<(Option<SetName>, Option<Region>), Failure> {
    if let Some(name) = given {
        let name = SetName::parse(name).map_err(|problem| wrong.push(Field::new("name", problem)));
        return Ok((name.ok(), None));
    }
    match project::here(context, "set") {
        Ok(deploy) => {
            let region = deploy.region.as_deref().map(Region::parse);
            Ok((Some(deploy.secret_set), region.and_then(Result::ok)))
        }
        Err(failure) if failure.fields.is_empty() => Err(failure),
        Err(failure) => {
            wrong.extend(failure.fields);
            Ok((None, None))
        }
    }
}

/// Reads the pairs, from words or from a file.
fn keys(
    context: &CommandContext<'_>,
    options: &Set,
    wrong: &mut Vec<Field>,
) -> Result<Given, Failure> {
    let empty = options.empty;
    let others = options.from_template.is_some() || !options.value_from.is_empty();
    let problem = match (&options.file, options.secrets.as_slice()) {
        (Some(_), [_, ..]) => {
            Field::new("file", "can't be used together with pairs").flag("--file")
        }
        (None, []) if !others => {
            let problem = "missing: give `KEY=VALUE`, or a file with `--file`";
            Field::new("secrets", problem)
        }
        (None, words) => return Ok(collect(pairs::parse(words, empty), wrong)),
        (Some(path), []) => {
            return file(context, path, "--file", wrong, |name, bytes| {
                from_file(name, bytes, empty)
            });
        }
    };
    wrong.push(problem);
    Ok(Given::default())
}

/// Reads the values that have a file of their own. No message quotes a path that may be a value.
fn values_from(
    context: &CommandContext<'_>,
    options: &Set,
    given: &mut Given,
    wrong: &mut Vec<Field>,
) -> Result<(), Failure> {
    for (index, word) in options.value_from.iter().enumerate() {
        let mut place = format!("file {}", index + 1);
        let added = match key_and_path(word) {
            Ok((key, path)) => {
                if looks_like_a_key(key.as_str()) {
                    place = key.to_string();
                }
                let value = match context.read(path)? {
                    Ok(bytes) => text(bytes).map_err(|problem| format!("the file {problem}")),
                    Err(problem) if problem == NO_FILE => Err(problem),
                    Err(problem) => Err(format!("the file {problem}")),
                };
                let add = |value| given.add(key, value, options.empty);
                value.and_then(|value| add(value).map_err(str::to_owned))
            }
            Err(problem) => Err(problem),
        };
        let problem = added.err();
        wrong.extend(problem.map(|problem| Field::new(place, problem).flag("--value-from")));
    }
    Ok(())
}

fn key_and_path(word: &str) -> Result<(Key, &Path), String> {
    match word.split_once('=') {
        Some((_, "")) => Err("names no file: write `KEY=PATH`".to_owned()),
        Some((key, path)) => match Key::parse(key) {
            Ok(key) => Ok((key, Path::new(path))),
            Err(problem) => Err(format!("the key {problem}")),
        },
        None => Err("is not `KEY=PATH`".to_owned()),
    }
}

fn file<T: Default>(
    context: &CommandContext<'_>,
    path: &Path,
    flag: &'static str,
    wrong: &mut Vec<Field>,
    parse: impl Fn(&str, &[u8]) -> Result<T, Vec<Field>>,
) -> Result<T, Failure> {
    let mut shown = path.display().to_string();
    if standard_input::is_named_by(path) {
        "stdin".clone_into(&mut shown);
    }
    let parsed = context.read(path)?.map_err(|problem| {
        let field = if problem == NO_FILE { "file" } else { &shown };
        vec![Field::new(field, problem).flag(flag)]
    });
    let parsed = parsed.and_then(|bytes| parse(&shown, &bytes));
    Ok(collect(parsed, wrong))
}

fn collect<T: Default>(result: Result<T, Vec<Field>>, wrong: &mut Vec<Field>) -> T {
    result.unwrap_or_else(|more| {
        wrong.extend(more);
        T::default()
    })
}

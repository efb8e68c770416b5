//! The input of `set`: the command line, files and the project.

use std::path::Path;

use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_terminal::standard_input;

use crate::command::context::CommandContext;
use crate::command::{choose, project};
use crate::domain::{Region, SetName};
use crate::input::empty::REFUSED;
use crate::input::given::{self, Given};
use crate::input::template::{self, TemplateKey};
use crate::input::{advice, looks_like_a_key, pairs, value_from};
use crate::options::Set;

/// The input from the command line, the files and the project.
pub struct Read {
    /// The options that remain.
    pub options: Set,
    /// The set; `None` where the user can be asked for it.
    pub name: Option<SetName>,
    /// The region that the project names.
    pub region: Option<Region>,
    /// Keys with values, and keys that have none yet.
    pub given: Given,
    /// The keys that a template names.
    pub template: Vec<TemplateKey>,
}

/// Reads all of it; all problems at once.
pub fn read(context: &CommandContext<'_>, mut options: Set) -> Result<Read, Failure> {
    let mut wrong: Vec<Field> = Vec::new();
    // A first word that can only be a pair or a key is no name.
    let is_no_name =
        |word: &mut String| word.contains('=') || (word.contains('_') && looks_like_a_key(word));
    if let Some(first) = options.name.take_if(is_no_name) {
        options.secrets.insert(0, first);
    }
    let (name, region) = name(context, options.name.as_deref(), &mut wrong)?;
    if reads_stdin(&options) > 1 {
        let problem = "can be read only once: `-` is given several times";
        wrong.push(Field::new("standard input", problem));
        return Err(Failure::invalid_input(wrong));
    }
    let mut given = keys(context, &options, &mut wrong)?;
    values_from(context, &options, &mut given, &mut wrong)?;
    let template = match &options.from_template {
        Some(path) => file(context, path, "--from-template", &mut wrong, template::keys)?,
        None => Vec::new(),
    };
    let nothing = given.entries.is_empty() && given.open.is_empty() && given.bare.is_empty();
    if wrong.is_empty() && nothing && options.from_template.is_none() {
        let problem = "no key has a value";
        wrong.push(Field::new("secrets", problem));
    }
    // Without a set there is none that could have such a key.
    let no_key = name.is_none()
        && given
            .bare
            .iter()
            .any(|bare| !super::bare::answered(context, bare));
    if !wrong.is_empty() || no_key {
        let empty = |wrong: &Field| wrong.problem.ends_with(REFUSED);
        let is_empty = wrong.iter().any(empty);
        let failure = super::bare::refused(wrong, &given.bare);
        return Err(if is_empty {
            failure.hint("`--empty skip` leaves keys without a value out")
        } else {
            failure
        });
    }
    given.warnings.extend(advice::warnings(&given.entries));
    Ok(Read {
        options,
        name,
        region,
        given,
        template,
    })
}

const NO_FILE: &str = "there is no such file (what is given is not shown: it may be a value)";

/// Counts the options that read standard input.
fn reads_stdin(options: &Set) -> usize {
    let files = [&options.file, &options.from_template];
    files
        .into_iter()
        .flatten()
        .filter(|path| standard_input::is_named_by(path))
        .count()
        + options
            .value_from
            .iter()
            .filter(|word| {
                word.split_once('=')
                    .is_some_and(|(_, path)| standard_input::is_named_by(Path::new(path)))
            })
            .count()
}

/// The name, or that of the project that the user is in.
fn name(
    context: &CommandContext<'_>,
    given: Option<&str>,
    wrong: &mut Vec<Field>,
) -> Result<(Option<SetName>, Option<Region>), Failure> {
    if let Some(name) = given {
        let name = SetName::parse(name).map_err(|problem| wrong.push(Field::new("name", problem)));
        return Ok((name.ok(), None));
    }
    let Some(deploy) = project::find(&context.cwd(), "set")? else {
        if !context.can_choose(choose::KEY) {
            wrong.push(project::no_name());
        }
        return Ok((None, None));
    };
    context.note(&deploy.used(&deploy.secret_set));
    Ok((
        Some(deploy.secret_set),
        deploy.region.and_then(|region| Region::parse(&region).ok()),
    ))
}

/// The pairs, from words or from a file.
fn keys(
    context: &CommandContext<'_>,
    options: &Set,
    wrong: &mut Vec<Field>,
) -> Result<Given, Failure> {
    let empty = options.empty;
    let others = options.from_template.is_some() || !options.value_from.is_empty();
    Ok(match (&options.file, options.secrets.as_slice()) {
        (Some(_), [_, ..]) => {
            let problem = "can't be used together with pairs";
            wrong.push(Field::new("file", problem).flag("--file"));
            Given::default()
        }
        (None, []) if !others => {
            let problem = "missing: give `KEY=VALUE`, or a file with `--file`";
            wrong.push(Field::new("secrets", problem));
            Given::default()
        }
        (None, words) => collect(pairs::parse(words, empty), wrong),
        (Some(path), []) => file(context, path, "--file", wrong, |name, bytes| {
            given::from_file(name, bytes, empty)
        })?,
    })
}

/// The values that have a file of their own.
fn values_from(
    context: &CommandContext<'_>,
    options: &Set,
    given: &mut Given,
    wrong: &mut Vec<Field>,
) -> Result<(), Failure> {
    let (found, problems) = value_from::parse(&options.value_from);
    wrong.extend(problems);
    for from in found {
        if given.has(&from.key) {
            wrong.push(from.problem("is given a second time"));
            continue;
        }
        let bytes = if from.is_stdin() {
            Ok(context.stdin()?)
        } else {
            given::read(&context.cwd().join(&from.path))
        };
        let entry = match bytes {
            Ok(bytes) => from.entry(bytes, options.empty),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(from.problem(NO_FILE))
            }
            Err(error) => {
                let why = given::unreadable(&error);
                Err(from.problem(format!("`{}` {why}", from.path.display())))
            }
        };
        match entry {
            Ok(Some(entry)) => given.entries.push(entry),
            Ok(None) => given.skipped.push(from.key),
            Err(problem) => wrong.push(problem),
        }
    }
    Ok(())
}

fn file<T: Default>(
    context: &CommandContext<'_>,
    path: &Path,
    flag: &'static str,
    wrong: &mut Vec<Field>,
    parse: impl Fn(&str, &[u8]) -> Result<T, Vec<Field>>,
) -> Result<T, Failure> {
    let shown = path.display().to_string();
    if standard_input::is_named_by(path) {
        return Ok(collect(parse("stdin", &context.stdin()?), wrong));
    }
    match given::read(&context.cwd().join(path)) {
        Ok(bytes) => Ok(collect(parse(&shown, &bytes), wrong)),
        Err(error) => {
            // What is no file may be a value.
            let is_missing = error.kind() == std::io::ErrorKind::NotFound;
            let (field, problem) = if is_missing {
                ("file".to_owned(), NO_FILE.to_owned())
            } else {
                (shown, given::unreadable(&error))
            };
            wrong.push(Field::new(field, problem).flag(flag));
            Ok(T::default())
        }
    }
}

fn collect<T: Default>(result: Result<T, Vec<Field>>, wrong: &mut Vec<Field>) -> T {
    result.unwrap_or_else(|more| {
        wrong.extend(more);
        T::default()
    })
}

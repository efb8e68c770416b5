//! Reads the input of `secrets set` from the command line, files and the project.

use std::ffi::OsStr;
use std::path::Path;

use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_sdk::session::Session;
use bot_cli_templates::project::ENV_TEMPLATE;
use bot_cli_terminal::shell::quoted;
use bot_cli_terminal::standard_input;

use crate::command::project;
use crate::domain::{Key, SetName};
use crate::input::given::{Given, REFUSED, TemplateKey, from_file, from_template};
use crate::input::{self, NO_FILE, both, looks_like_a_key, pairs, text, wrong};
use crate::options::Set;

const TEMPLATE: &str = "--from-template";

pub struct Input {
    pub name: SetName,
    /// The region in the project's deployment file.
    pub region: Option<String>,
    pub given: Given,
    pub template: Vec<TemplateKey>,
}

pub fn read(session: &Session, options: &Set) -> Result<Input, Failure> {
    if reads_stdin(options) > 1 {
        let problem = "can be read only once: `-` is given several times";
        return Err(wrong("standard input", problem));
    }
    let own = project::set(
        session,
        options.name.as_ref(),
        &options.of,
        SetName::parse,
        "set",
    );
    let (mut given, keys) = match keys(session, options) {
        Ok(given) => (given, Ok(())),
        Err(failure) => (Given::default(), Err(failure)),
    };
    let values = both(keys, values_from(session, options, &mut given));
    let template = match &options.from_template {
        Some(path) => file(session, path, TEMPLATE, from_template),
        None => Ok(Vec::new()),
    };
    let (own, (_, template)) = both(own, both(values, template))?;
    let nothing = given.entries.is_empty() && given.open.is_empty();
    if nothing && options.from_template.is_none() {
        let cwd = session.cwd();
        let has_template = cwd.join(ENV_TEMPLATE).is_file()
            || project::file_of_bot(cwd, Path::new(ENV_TEMPLATE)).is_some();
        let keys = if has_template {
            format!("{TEMPLATE} {ENV_TEMPLATE}")
        } else {
            "KEY".to_owned()
        };
        let backend = options.scope.backend.as_ref();
        let backend = backend.map_or(String::new(), |it| format!(" --backend {}", quoted(it)));
        let ask = format!("bot-cli cloud secrets set {} {keys}{backend}", own.name);
        return Err(wrong("secrets", "no key has a value").hint(format!("to be asked: {ask}")));
    }
    Ok(Input {
        name: own.name,
        region: own.region,
        given,
        template,
    })
}

/// Returns the number of options that read standard input.
fn reads_stdin(options: &Set) -> usize {
    let files = [&options.file, &options.from_template];
    let values = options.value_from.iter();
    let values = values.filter_map(|word| Some(Path::new(word.split_once('=')?.1)));
    let paths = files.into_iter().flatten().map(AsRef::as_ref).chain(values);
    paths
        .filter(|path| standard_input::is_named_by(path))
        .count()
}

fn keys(session: &Session, options: &Set) -> Result<Given, Failure> {
    let others = options.from_template.is_some() || !options.value_from.is_empty();
    match (&options.file, options.secrets.as_slice()) {
        (Some(_), [_, ..]) => {
            let problem = "can't be used together with pairs";
            let field = Field::new("file", problem).flag("--file");
            Err(Failure::invalid_input(vec![field]))
        }
        (None, []) if !others => {
            let problem = "missing: give `KEY=VALUE`, or a file with `--file`";
            Err(wrong("secrets", problem).hint("bot-cli cloud secrets set --help"))
        }
        (None, words) => pairs::parse(words, options.empty).map_err(invalid),
        (Some(path), []) => file(session, path, "--file", |name, bytes| {
            from_file(name, bytes, options.empty)
        }),
    }
}

/// Reads the values from the `--value-from` files. Messages never quote a path, because the path may be a misplaced value.
fn values_from(session: &Session, options: &Set, given: &mut Given) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    for (index, word) in options.value_from.iter().enumerate() {
        let mut place = format!("file {}", index + 1);
        let added = match key_and_path(word) {
            Ok((key, path)) => {
                if looks_like_a_key(key.as_str()) {
                    place = key.to_string();
                }
                let bytes = input::read(session, path)?;
                let value = bytes.and_then(|bytes| text(bytes).map_err(str::to_owned));
                let value = value.map_err(|problem| match problem.as_str() {
                    NO_FILE => problem,
                    _ => format!("the file {problem}"),
                });
                value.and_then(|value| given.add(key, value, options.empty))
            }
            Err(problem) => Err(problem),
        };
        let problem = added.err();
        wrong.extend(problem.map(|problem| Field::new(place, problem).flag("--value-from")));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(invalid(wrong))
}

fn key_and_path(word: &str) -> Result<(Key, &Path), String> {
    let (key, path) = word.split_once('=').ok_or("is not `KEY=PATH`")?;
    if path.is_empty() {
        return Err("names no file: write `KEY=PATH`".to_owned());
    }
    let key = Key::parse(key).map_err(|problem| format!("the key {problem}"))?;
    Ok((key, Path::new(path)))
}

fn file<T>(
    session: &Session,
    path: &Path,
    flag: &'static str,
    parse: impl Fn(&str, &[u8]) -> Result<T, Vec<Field>>,
) -> Result<T, Failure> {
    let beside_bot = project::file_of_bot(session.cwd(), path);
    let path = beside_bot.as_deref().unwrap_or(path);
    let mut shown = path.display().to_string();
    if standard_input::is_named_by(path) {
        "stdin".clone_into(&mut shown);
    } else if beside_bot.is_some() {
        session.note(&format!("reading `{shown}`"));
    }
    let bytes = input::read(session, path)?.map_err(|problem| {
        // The path is hidden if it may be a misplaced value.
        if problem != NO_FILE || (flag != TEMPLATE && !path.file_name().is_some_and(is_env_file)) {
            let field = if problem == NO_FILE { "file" } else { &shown };
            return Failure::invalid_input(vec![Field::new(field, problem).flag(flag)]);
        }
        let field = Field::new(&shown, "there is no such file").flag(flag);
        let failure = Failure::invalid_input(vec![field]);
        let template = Path::new(ENV_TEMPLATE);
        match project::file_of_bot(session.cwd(), template) {
            Some(file) => failure.hint(format!("the project's template is `{}`", file.display())),
            None => failure,
        }
    })?;
    parse(&shown, &bytes).map_err(invalid)
}

fn is_env_file(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(".env") || name.ends_with(".env")
}

fn invalid(fields: Vec<Field>) -> Failure {
    let is_empty = fields.iter().any(|wrong| wrong.problem.ends_with(REFUSED));
    let failure = Failure::invalid_input(fields);
    if is_empty {
        return failure.hint("`--empty skip` leaves keys without a value out");
    }
    failure
}

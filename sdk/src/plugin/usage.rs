//! What clap has to say, as outcomes: help is a reply, a mistake is a failure with the field and the way out.
//!
//! clap's own sentences quote the user's words, of which any may be a secret in the wrong place. Ours quote a word only where
//! it is almost a known name, or is made as names and paths are and does not follow the name of a variable.

#[cfg(test)]
mod tests;

use std::ffi::OsStr;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use serde_json::{Value, json};

use bot_cli_protocol::CommandSpec;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::{Format, Outcome, Reply};
use bot_cli_protocol::suggest;
use bot_cli_protocol::words;

/// The number of commands that are offered.
const MOST: usize = 3;

/// Word processors and web pages put such characters into commands.
const TYPOGRAPHIC: &str = "a word begins with a dash or a quotation mark that shells don't know; type `-` or `\"` in its place";

/// What the user has typed.
struct Line<'a> {
    /// The program, as the user calls it.
    name: &'a str,
    command: &'a clap::Command,
    /// The words behind the name; none where they are not known.
    words: Vec<String>,
}

impl Line<'_> {
    /// The whole line with `right` in the place of `wrong`. There is none if another of its words may be a secret.
    fn with(&self, wrong: &str, right: &str) -> Option<String> {
        let place = self.words.iter().position(|word| word == wrong)?;
        // What stands behind the name of a variable may be its value.
        let variable = self
            .words
            .iter()
            .position(|word| suggest::is_variable(word));
        if variable.is_some_and(|at| at + 1 < self.words.len()) {
            return None;
        }
        let mut line = self.name.to_owned();
        for (at, word) in self.words.iter().enumerate() {
            if at != place && (word.is_empty() || !self.may_be_shown(word)) {
                return None;
            }
            line.extend([" ", if at == place { right } else { word }]);
        }
        Some(line)
    }

    /// The line with each of `rights` in the place of `wrong`, or these behind `called`.
    fn each(&self, wrong: &str, rights: &[String], called: &str) -> Vec<String> {
        let lines: Option<Vec<String>> =
            rights.iter().map(|right| self.with(wrong, right)).collect();
        let alone = |right: &String| format!("{called}{right}");
        lines.unwrap_or_else(|| rights.iter().map(alone).collect())
    }

    fn may_be_shown(&self, word: &str) -> bool {
        let bare = word.trim_start_matches('-');
        let (name, value) = match bare.split_once('=') {
            Some(parts) if word.starts_with('-') => parts,
            Some(_) | None => (bare, ""),
        };
        [name, value].into_iter().all(|part| {
            part.is_empty()
                || suggest::is_plain_path(part)
                || suggest::is_variable(part)
                || is_known(self.command, part)
        })
    }

    /// The options in it, without their values.
    fn options(&self) -> Vec<&str> {
        let options = self.words.iter().filter(|word| word.starts_with("--"));
        options.filter_map(|word| word.split('=').next()).collect()
    }
}

/// Whether a word is a name or a value of `command` or below it.
fn is_known(command: &clap::Command, word: &str) -> bool {
    let of_argument = |argument: &clap::Arg| {
        argument.get_long() == Some(word)
            || argument
                .get_short()
                .is_some_and(|short| word == short.to_string())
            || argument
                .get_possible_values()
                .iter()
                .any(|value| value.matches(word, false))
    };
    command.get_name_and_visible_aliases().contains(&word)
        || command.get_arguments().any(of_argument)
        || command
            .get_subcommands()
            .any(|subcommand| is_known(subcommand, word))
}

/// The same for the command that `words` lead to from `root`, the tree of `command`.
pub fn outcome_of<W: AsRef<OsStr>>(
    error: &clap::Error,
    command: &clap::Command,
    name: &str,
    (root, words): (&CommandSpec, &[W]),
    color: bool,
) -> Outcome {
    let shown = |word: &W| word.as_ref().to_string_lossy().into_owned();
    let line = Line {
        name,
        command,
        words: words.iter().map(shown).collect(),
    };
    let (mut command, mut name) = (command, name.to_owned());
    for subcommand in words::take(root, words).path.iter().skip(1) {
        command = command.find_subcommand(&subcommand.name).unwrap_or(command);
        name.extend([" ", &subcommand.name]);
    }
    said(error, command, &name, &line, color)
}

/// Help and version as a reply, everything else as a failure of `command`, which the user calls `name`.
pub fn outcome(error: &clap::Error, command: &clap::Command, name: &str, color: bool) -> Outcome {
    let words = Vec::new();
    let line = Line {
        name,
        command,
        words,
    };
    said(error, command, name, &line, color)
}

fn said(
    error: &clap::Error,
    command: &clap::Command,
    name: &str,
    line: &Line<'_>,
    color: bool,
) -> Outcome {
    let plain = error.render().to_string();
    // A command that is nothing without a subcommand, and stands alone, is a question what there is.
    let is_help = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    let data = if is_help {
        json!({ "help": plain })
    } else if error.kind() == ErrorKind::DisplayVersion {
        version(name, &plain)
    } else {
        return Outcome::new(Err(failure_in(error, command, name, line)));
    };
    let text = if color {
        error.render().ansi().to_string()
    } else {
        plain
    };
    Outcome::new(Ok(Reply {
        text,
        data,
        next: Vec::new(),
    }))
}

/// clap's `bot-cli init 0.1.0` as a document, with the name as in the manifest.
fn version(name: &str, text: &str) -> Value {
    let version = text.trim();
    let version = version.strip_prefix(name).unwrap_or(version).trim();
    let name = name.rsplit(' ').next().unwrap_or(name);
    let name = name.strip_prefix("bot-cli-").unwrap_or(name);
    json!({ "name": name, "version": version })
}

/// A mistake in the words for `command`, which the user calls `name`.
pub fn failure(error: &clap::Error, command: &clap::Command, name: &str) -> Failure {
    let words = Vec::new();
    failure_in(
        error,
        command,
        name,
        &Line {
            name,
            command,
            words,
        },
    )
}

fn failure_in(
    error: &clap::Error,
    command: &clap::Command,
    name: &str,
    line: &Line<'_>,
) -> Failure {
    let value = text(error, ContextKind::InvalidValue);
    let argument =
        text(error, ContextKind::InvalidArg).map_or("an argument".to_owned(), |text| bare(&text));
    let called = called(error, name);
    let usage = |message: String| Failure::new(Exit::Usage, "usage", message);
    let target = target(command, name, &called);
    let meant = meant(error, command, (target, &called), line);
    let failure = match error.kind() {
        ErrorKind::UnknownArgument => usage(unexpected(&argument, command, target, &called)),
        ErrorKind::InvalidSubcommand => {
            let word = text(error, ContextKind::InvalidSubcommand).unwrap_or_default();
            usage(no_command(&called, &word, !meant.is_empty()))
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation if value.as_deref() == Some("") => {
            wrong(format!("`{argument}` needs a value"), &argument)
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let value = value.unwrap_or_default();
            let known = list(error, ContextKind::ValidValue);
            let near = suggest::slip(&value, known.iter().map(String::as_str));
            if near.is_some() || suggest::is_plain(&value) {
                wrong(
                    format!("`{value}` is not a value for `{argument}`"),
                    &argument,
                )
            } else {
                wrong(format!("the value of `{argument}` is not valid"), &argument)
            }
        }
        ErrorKind::MissingRequiredArgument => missing(error, target, line),
        ErrorKind::ArgumentConflict => usage(conflict(error, &argument)),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            usage(format!("`{called}` needs a command"))
        }
        ErrorKind::InvalidUtf8 => usage("an argument is not UTF-8".to_owned()),
        // An option that takes values shows a name for them.
        ErrorKind::TooManyValues => match text(error, ContextKind::InvalidArg) {
            Some(shown) if shown.contains('<') => usage(format!("`{argument}` takes fewer values")),
            _ => usage(format!("`{argument}` takes no value")),
        },
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            usage(format!("`{argument}` has the wrong number of values"))
        }
        ErrorKind::NoEquals => usage(format!("the value of `{argument}` belongs behind a `=`")),
        // These do not come from words; what they say in general is all there is to say.
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::Io
        | ErrorKind::Format
        | _ => usage("the arguments can't be used".to_owned()),
    };
    let failure = suggested(failure, error, &meant);
    let word = text(error, ContextKind::InvalidArg);
    let mut words = word.iter().chain(&line.words);
    let failure = if words.any(|word| suggest::is_typographic(word)) {
        failure.hint(TYPOGRAPHIC)
    } else {
        failure
    };
    failure.hint(format!("{called} --help"))
}

/// Says that a command has no subcommand `word`, which is shown if it is no secret.
pub fn no_command(called: &str, word: &str, is_near: bool) -> String {
    if is_near || suggest::is_plain(word) {
        format!("`{called}` has no command `{word}`")
    } else {
        format!("`{called}` has no such command")
    }
}

/// What a wrong command, option or value surely means: whole lines where they may be shown, names elsewhere.
fn meant(
    error: &clap::Error,
    command: &clap::Command,
    (target, called): (&clap::Command, &str),
    line: &Line<'_>,
) -> Vec<String> {
    let word = |kind| text(error, kind).unwrap_or_default();
    if error.kind() == ErrorKind::InvalidSubcommand {
        let word = word(ContextKind::InvalidSubcommand);
        let mut names = owned(suggest::meant(&word, subcommands(target).into_iter()));
        if names.is_empty() {
            elsewhere(target, &word, "", &mut names);
            names.truncate(MOST);
        }
        return line.each(&word, &names, &format!("{called} "));
    }
    if error.kind() == ErrorKind::UnknownArgument {
        let word = bare(&word(ContextKind::InvalidArg));
        if word.starts_with('-') {
            return meant_option(&word, [line.command, command, target], line);
        }
        let separated =
            target.get_positionals().any(clap::Arg::is_last_set) && suggest::is_plain_path(&word);
        let right = format!("-- {word}");
        return line
            .with(&word, &right)
            .filter(|_| separated)
            .into_iter()
            .collect();
    }
    let word = word(ContextKind::InvalidValue);
    let valid = list(error, ContextKind::ValidValue);
    let mut names = owned(suggest::meant(&word, valid.iter().map(String::as_str)));
    if names.is_empty() {
        let part = |name: &&String| name.split(['-', '_']).any(|part| part == word);
        names = valid.iter().filter(part).cloned().collect();
    }
    line.each(&word, &names, "")
}

fn meant_option(word: &str, commands: [&clap::Command; 3], line: &Line<'_>) -> Vec<String> {
    let known = options(&commands);
    // clap names a single letter of `-version`.
    let whole = line.words.iter().find(|whole| {
        let rest = whole.strip_prefix('-').unwrap_or_default();
        word.len() == 2 && known.contains(&rest)
    });
    let word = whole.map_or(word, String::as_str);
    let names = suggest::meant(word.trim_start_matches('-'), known.into_iter());
    let names: Vec<String> = names.into_iter().map(|name| format!("--{name}")).collect();
    line.each(word, &names, "")
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

/// The paths of the commands below `command` that are called `word` here or in other tools.
fn elsewhere(command: &clap::Command, word: &str, path: &str, found: &mut Vec<String>) {
    for subcommand in command.get_subcommands() {
        let path = format!("{path}{}", subcommand.get_name());
        let is_so = subcommand.get_name_and_visible_aliases().contains(&word);
        if is_so || suggest::is_alike(word, subcommand.get_name()) {
            found.push(path.clone());
        }
        elsewhere(subcommand, word, &format!("{path} "), found);
    }
}

/// The failure with what is `meant`, and with what is possible.
fn suggested(mut failure: Failure, error: &clap::Error, meant: &[String]) -> Failure {
    if !meant.is_empty() {
        failure = failure.hint(suggest::did_you_mean(meant));
    }
    let valid = list(error, ContextKind::ValidValue);
    if valid.is_empty() {
        return failure;
    }
    failure.hint(format!("possible values: {}", valid.join(", ")))
}

fn conflict(error: &clap::Error, argument: &str) -> String {
    let others: Vec<String> = list(error, ContextKind::PriorArg)
        .iter()
        .map(|text| bare(text))
        .collect();
    match others.as_slice() {
        [other] if other == argument => format!("`{argument}` can be given only once"),
        [] => format!("`{argument}` can't be used with what else is given"),
        others => format!("`{argument}` can't be used with `{}`", others.join("`, `")),
    }
}

/// Returns what is said of a word that has no place.
fn unexpected(word: &str, command: &clap::Command, target: &clap::Command, called: &str) -> String {
    if !word.starts_with('-') || word == "-" {
        return too_many(target, called, word);
    }
    let Some(long) = word.strip_prefix("--") else {
        // clap names a single letter.
        return format!("unexpected argument `{word}`");
    };
    let options = options(&[command, target]);
    if suggest::is_plain(long) || suggest::slip(long, options.iter().copied()).is_some() {
        return format!("unexpected argument `{word}`");
    }
    let joined = options
        .iter()
        .filter(|option| long.starts_with(**option))
        .max_by_key(|option| option.len());
    match joined {
        Some(option) => format!("unexpected argument `--{option}…`"),
        None => "unexpected option, which is not shown because it may hold a value".to_owned(),
    }
}

fn too_many(target: &clap::Command, called: &str, word: &str) -> String {
    let (last, free): (Vec<_>, Vec<_>) = target
        .get_positionals()
        .partition(|argument| argument.is_last_set());
    let before = if last.is_empty() { "" } else { " before `--`" };
    let takes = match free.len() {
        0 => format!("`{called}` takes no argument{before}"),
        1 => format!("`{called}` takes one argument{before}"),
        count => format!("`{called}` takes {count} arguments{before}"),
    };
    if suggest::is_plain_path(word) {
        format!("unexpected argument `{word}`: {takes}")
    } else if free.is_empty() {
        format!("{takes}, and one was given")
    } else {
        format!("{takes}, and more were given")
    }
}

/// The subcommand that is `called`.
fn target<'a>(command: &'a clap::Command, name: &str, called: &str) -> &'a clap::Command {
    let path = called.strip_prefix(name).unwrap_or_default();
    path.split_whitespace().fold(command, |command, word| {
        command.find_subcommand(word).unwrap_or(command)
    })
}

fn subcommands(command: &clap::Command) -> Vec<&str> {
    command
        .get_subcommands()
        .flat_map(|subcommand| {
            std::iter::once(subcommand.get_name()).chain(subcommand.get_all_aliases())
        })
        .collect()
}

/// The long options of these commands. Those of a root may be global.
fn options<'a>(commands: &[&'a clap::Command]) -> Vec<&'a str> {
    let mut options: Vec<&str> = commands
        .iter()
        .flat_map(|command| command.get_arguments())
        .filter_map(clap::Arg::get_long)
        .chain(["help", "version"])
        .collect();
    options.sort_unstable();
    options.dedup();
    options
}

/// The subcommand of `name` that the words lead to, as clap's line of usage has it: `bot-cli cloud secrets set`.
fn called(error: &clap::Error, name: &str) -> String {
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        // Whole help, and nothing of the user's.
        _ if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error.render().to_string()
        }
        _ => String::new(),
    };
    let line = usage.lines().find_map(|line| line.strip_prefix("Usage: "));
    let words = line.unwrap_or_default().split_whitespace();
    let path: Vec<&str> = words
        .take_while(|word| !word.starts_with(['[', '<', '-']))
        .collect();
    let path = path.join(" ");
    if path.starts_with(name) {
        path
    } else {
        name.to_owned()
    }
}

/// The form of the result that the words for `root` ask for, whether or not they can be parsed.
pub fn format_of<W: AsRef<OsStr>>(root: &CommandSpec, words: &[W]) -> Format {
    if words::take(root, words).json {
        Format::Json
    } else {
        Format::Text
    }
}

fn wrong(message: String, argument: &str) -> Failure {
    let (field, flag) = names(argument);
    Failure::new(Exit::Usage, "usage", &*message).field(&field, flag.as_deref(), message)
}

fn missing(error: &clap::Error, target: &clap::Command, line: &Line<'_>) -> Failure {
    let arguments: Vec<String> = list(error, ContextKind::InvalidArg)
        .iter()
        .map(|text| bare(text))
        .collect();
    let find = |name: &String| {
        let named = |argument: &&clap::Arg| {
            let values = argument.get_value_names().unwrap_or_default();
            let long = argument.get_long().map(|long| format!("--{long}"));
            long.map_or_else(
                || values.iter().any(|value| **value == **name),
                |long| long == *name,
            )
        };
        target.get_arguments().find(named)
    };
    // What is not required by itself is required by another option.
    let is_for_another = |name: &String| {
        name.starts_with('-') && !find(name).is_some_and(clap::Arg::is_required_set)
    };
    let message = match (arguments.as_slice(), line.options().as_slice()) {
        ([argument], [other]) if is_for_another(argument) => {
            format!("`{other}` works only with `{argument}`")
        }
        ([argument], _) => format!("`{argument}` is missing"),
        (arguments, _) => format!("`{}` are missing", arguments.join("`, `")),
    };
    let failure = arguments.iter().fold(
        Failure::new(Exit::Usage, "usage", message),
        |failure, argument| {
            let (field, flag) = names(argument);
            failure.field(&field, flag.as_deref(), "missing")
        },
    );
    let values = arguments
        .iter()
        .filter_map(find)
        .flat_map(clap::Arg::get_possible_values);
    let values: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
    if values.is_empty() || arguments.len() > 1 || values == ["true", "false"] {
        return failure;
    }
    failure.hint(format!("possible values: {}", values.join(", ")))
}

/// The name of an argument in `input`, and its flag, from clap's `--stt <SERVICE>` or `<TARGET_DIR>`.
fn names(argument: &str) -> (String, Option<String>) {
    let bare = argument
        .trim_start_matches('-')
        .trim_matches(['<', '>', '[', ']', '.']);
    let flag = argument.starts_with('-').then(|| argument.to_owned());
    (bare.to_lowercase().replace('-', "_"), flag)
}

/// clap's `--stt <SERVICE>` without the name of the value.
fn bare(argument: &str) -> String {
    match argument.split_once([' ', '=']) {
        Some((flag, _)) if flag.starts_with('-') => flag.to_owned(),
        // An option that counts ends with dots, and a positional argument stands in brackets.
        _ => argument
            .trim_end_matches("...")
            .trim_matches(['<', '>', '[', ']'])
            .to_owned(),
    }
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    list(error, kind).into_iter().next()
}

fn list(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

//! The plugin that a name means, or what it may have meant instead.

use std::collections::HashSet;

use bot_cli_engine::discovery::{
    HostFile, MANAGER, Named, Plugin, PluginFile, PluginName, RESERVED, SHIPPED, Standing,
};
use bot_cli_protocol::CommandSpec;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::suggest;
use bot_cli_protocol::words::{Reader, Word};
use bot_cli_terminal::Terminal;
use bot_cli_terminal::ui::{Level, Ui};

use crate::environment::Environment;
use crate::help;
use crate::roles;

/// The number of commands that are offered.
const MOST: usize = 3;

/// What other tools have as a command, and what is more than a name here.
const ELSEWHERE: [(&str, &[&str]); 4] = [
    ("init quickstart", &["demo", "example", "quickstart"]),
    ("init --update", &["update", "upgrade"]),
    (
        "init --list-options",
        &["services", "transports", "options"],
    ),
    ("plugin list", &["plugins", "extensions", "list", "ls"]),
];

/// The plugin that `name` names. `words` are those behind it.
pub fn plugin(
    name: &str,
    words: &[String],
    environment: &Environment,
    terminal: &Terminal,
) -> Result<Plugin, Failure> {
    let unknown = || match roles::folder(name, environment) {
        Some(failure) => failure,
        None => unknown(name, words, environment),
    };
    let Some(parsed) = PluginName::parse(name) else {
        return Err(unknown());
    };
    let Named {
        plugin, refused, ..
    } = environment.discovery.by_name(&parsed);
    if let Some(plugin) = plugin {
        for (file, unusable) in &refused {
            let line = format!("`{}` is not run: {}", file.display(), unusable.reason());
            terminal.clone().log(Level::Info, &line);
        }
        return Ok(plugin);
    }
    let Some((file, unusable)) = refused.first() else {
        return Err(unknown());
    };
    Err(unusable.failure(file))
}

fn unknown(name: &str, words: &[String], environment: &Environment) -> Failure {
    let found = environment.discovery.all();
    let plugins: Vec<&Plugin> = found.iter().filter_map(command).collect();
    let names: Vec<&str> = plugins
        .iter()
        .map(|plugin| plugin.name.as_str())
        .chain(RESERVED)
        .collect();
    let meant = meant(name, words, &names, &plugins);
    // A word that is no name at all may be a secret in the wrong place.
    let quotable = suggest::is_plain(name) || !meant.is_empty();
    let message = if quotable {
        format!("there is no command `{name}`")
    } else {
        "there is no such command".to_owned()
    };
    let failure = Failure::new(Exit::NotFound, "not_found", message);
    let failure = match PluginName::parse(name) {
        _ if !meant.is_empty() => failure.hint(suggest::did_you_mean(&meant)),
        Some(name) if quotable => ways_to(&name, environment)
            .into_iter()
            .fold(failure, Failure::hint),
        Some(_) | None => failure,
    };
    failure.hint("bot-cli --help")
}

/// Where the plugin was looked for, and how it gets there.
fn ways_to(name: &PluginName, environment: &Environment) -> [String; 2] {
    let file = name.file();
    let host = environment.discovery.trust.host.as_ref();
    let host = host.map(HostFile::folder);
    let host = host.map_or_else(
        || "the folder of bot-cli".to_owned(),
        |folder| format!("`{}`", folder.display()),
    );
    let own = environment.discovery.own_plugins.as_ref();
    let own = own.map_or_else(String::new, |folder| format!("`{}`, ", folder.display()));
    let looked = if name.as_str() == MANAGER {
        format!("there is no file `{file}` in {host}")
    } else {
        format!("there is no file `{file}` in {own}{host} or a folder of PATH")
    };
    if SHIPPED.contains(&name.as_str()) {
        return [
            looked,
            format!("it is released together with bot-cli: put it into {host}"),
        ];
    }
    [
        looked,
        "once you have the file: bot-cli plugin add FILE".to_owned(),
    ]
}

fn command(found: &PluginFile) -> Option<&Plugin> {
    match &found.standing {
        Standing::Usable(plugin) if help::is_command(plugin) => Some(plugin),
        Standing::Usable(_)
        | Standing::Shadowed(_)
        | Standing::Unusable(_)
        | Standing::Misnamed => None,
    }
}

/// The lines that were surely meant: of what other tools call so, or of what has that very name in another place, or else of
/// what it is but for a slip.
fn meant(name: &str, words: &[String], names: &[&str], plugins: &[&Plugin]) -> Vec<String> {
    let other_tools = ELSEWHERE
        .iter()
        .filter(|(_, others)| others.contains(&name))
        .map(|(ours, _)| *ours)
        .filter(|ours| names.contains(&ours.split(' ').next().unwrap_or(ours)));
    let mut lines: Vec<String> = names
        .iter()
        .copied()
        .filter(|ours| suggest::is_alike(name, ours))
        .chain(other_tools)
        .map(|ours| line(ours, words))
        .collect();
    lines.extend(elsewhere(words, plugins, |command| {
        command.name == name || command.aliases.iter().any(|alias| alias == name)
    }));
    if lines.is_empty() {
        let near = suggest::meant(name, names.iter().copied());
        lines.extend(near.into_iter().map(|near| line(near, words)));
    }
    if lines.is_empty() {
        lines = elsewhere(words, plugins, |command| {
            suggest::is_alike(name, &command.name)
                || suggest::slip(name, [&*command.name].into_iter()).is_some()
        });
    }
    let mut seen = HashSet::new();
    lines.retain(|line| seen.insert(line.clone()));
    lines.truncate(MOST);
    lines
}

/// `bot-cli` with `path` and the words behind it, unless one of them may be a secret.
fn line(path: &str, words: &[String]) -> String {
    let shown = |word: &String| suggest::is_plain_path(word.trim_start_matches('-'));
    let words: &[String] = if words.iter().all(shown) { words } else { &[] };
    let words = words.iter().flat_map(|word| [" ", word]);
    ["bot-cli ", path].into_iter().chain(words).collect()
}

/// The lines of the subcommands of plugins that are `wanted`. Those of which more of `words` name subcommands come first, then
/// the shorter ones.
fn elsewhere(
    words: &[String],
    plugins: &[&Plugin],
    wanted: impl Fn(&CommandSpec) -> bool,
) -> Vec<String> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for plugin in plugins {
        let Some(root) = plugin.manifest.as_ref().and_then(|m| m.command.as_ref()) else {
            continue;
        };
        let mut places = Vec::new();
        places_of(root, &wanted, &mut vec![plugin.name.as_str()], &mut places);
        found.extend(places.into_iter().map(|(path, command)| {
            let mut reader = Reader::new(command);
            let named = words
                .iter()
                .take_while(|word| matches!(reader.read(word), Word::Command(_)))
                .count();
            let (commands, mut rest) = words.split_at(named);
            let commands = commands.iter().map(String::as_str);
            let mut path: Vec<&str> = path.into_iter().chain(commands).collect();
            let below = &reader.command().commands;
            if let ([first, behind @ ..], false) = (rest, below.is_empty())
                && !first.starts_with('-')
            {
                let known = below.iter().map(|command| command.name.as_str());
                let right = suggest::meant(first, known).into_iter().next();
                rest = if right.is_some() { behind } else { &[] };
                path.extend(right);
            }
            // What stands behind `--` is not what it would be without.
            let arguments = &reader.command().arguments;
            let separated = arguments.iter().any(|argument| argument.last);
            let is_whole = !separated || rest.iter().any(|word| word == "--");
            (
                named,
                line(&path.join(" "), if is_whole { rest } else { &[] }),
            )
        }));
    }
    found.sort_by(|(a, one), (b, other)| b.cmp(a).then(one.len().cmp(&other.len())));
    found.into_iter().map(|(_, line)| line).collect()
}

fn places_of<'a>(
    command: &'a CommandSpec,
    wanted: &impl Fn(&CommandSpec) -> bool,
    path: &mut Vec<&'a str>,
    places: &mut Vec<(Vec<&'a str>, &'a CommandSpec)>,
) {
    for subcommand in command.commands.iter().filter(|command| !command.hidden) {
        path.push(&subcommand.name);
        if wanted(subcommand) {
            places.push((path.clone(), subcommand));
        }
        places_of(subcommand, wanted, path, places);
        path.pop();
    }
}

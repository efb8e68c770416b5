//! Suggestions for mistyped names.

use crate::CommandSpec;
use crate::failure::{Exit, Failure};

const MOST: usize = 3;

const LEAST: f64 = 0.8;

/// The score deduction for partial matches, which ranks full matches first.
const LESS_FOR_A_PART: f64 = 0.05;

/// The names that other tools use for this program's commands and options. Each line contains the name used here, followed by the other
/// names.
const ELSEWHERE: &str = include_str!("words_of_other_tools.txt");

/// Reports whether `typed` is another tool's name for the command or option `name`.
fn is_alike(typed: &str, name: &str) -> bool {
    ELSEWHERE
        .lines()
        .filter_map(|line| line.split_once(": "))
        .any(|(ours, others)| ours == name && others.split(' ').any(|other| other == typed))
}

/// Returns the names that the user most likely meant by `typed`. Tries names that are called `typed` in other tools, then a name that
/// differs by a typo or two, then names that start with `typed`.
pub fn meant<'a>(typed: &str, names: impl Iterator<Item = &'a str> + Clone) -> Vec<&'a str> {
    let typed = &typed.to_lowercase();
    let alike: Vec<&str> = names.clone().filter(|name| is_alike(typed, name)).collect();
    if !alike.is_empty() {
        return alike;
    }
    if let Some(name) = slip(typed, names.clone()) {
        return vec![name];
    }
    let begin = |name: &&str| typed.len() > 2 && name.starts_with(&**typed);
    names.filter(begin).take(MOST).collect()
}

/// Creates the failure for the unknown subcommand `word`. `called` is the command as the user typed it. The message quotes `word` only if
/// it is unlikely to be a misplaced secret.
pub fn no_such_command(command: &CommandSpec, called: &str, word: &str) -> Failure {
    let meant = commands(command, word);
    let message = if meant.is_empty() && !is_plain(word) {
        format!("`{called}` has no such command")
    } else {
        format!("`{called}` has no command `{word}`")
    };
    let failure = Failure::new(Exit::Usage, "usage", message);
    if meant.is_empty() {
        return failure;
    }
    let meant: Vec<String> = meant
        .iter()
        .map(|path| format!("{called} {path}"))
        .collect();
    failure.hint(did_you_mean(&meant))
}

/// Returns the paths of the commands below `root` that the user most likely meant by `typed`. Tries these candidates in order:
///
/// - subcommands that other tools call `typed`, and nested commands named `typed`
/// - subcommands similar to `typed`
/// - nested commands that other tools call `typed`
fn commands(root: &CommandSpec, typed: &str) -> Vec<String> {
    let own = || {
        let shown = root.commands.iter().filter(|command| !command.hidden);
        shown.map(|command| command.name.as_str())
    };
    let alike = own()
        .filter(|name| is_alike(typed, name))
        .map(str::to_owned);
    let mut paths: Vec<String> = alike.collect();
    further_down(root, "", &|name| name == typed, &mut paths);
    if paths.is_empty() {
        paths = meant(typed, own()).into_iter().map(str::to_owned).collect();
    }
    if paths.is_empty() {
        further_down(root, "", &|name| is_alike(typed, name), &mut paths);
    }
    // The nearest to the root first, and then in the order of the help.
    paths.sort_by_key(|path| path.matches(' ').count());
    paths.truncate(MOST);
    paths
}

fn further_down(
    command: &CommandSpec,
    above: &str,
    is_meant: &dyn Fn(&str) -> bool,
    paths: &mut Vec<String>,
) {
    for command in command.commands.iter().filter(|command| !command.hidden) {
        let path = format!("{above}{}", command.name);
        if is_meant(&command.name) {
            paths.push(path.clone());
        }
        further_down(command, &format!("{path} "), is_meant, paths);
    }
}

/// Returns the names most similar to `typed`, in descending order of similarity.
pub fn near<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut near: Vec<(f64, &str)> = names
        .map(|name| (likeness(typed, name), name))
        .filter(|(likeness, _)| *likeness >= LEAST)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup();
    near.into_iter().map(|(_, name)| name).take(MOST).collect()
}

/// Returns the name most similar to `typed`, if any is similar enough.
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    near(typed, names.into_iter()).into_iter().next()
}

/// Formats a suggestion, such as "did you mean `list`, `show` or `info`?".
pub fn did_you_mean<N: AsRef<str>>(names: &[N]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let (last, first) = names.split_last().unwrap_or((&"", &[]));
    if first.is_empty() {
        return format!("did you mean `{last}`?");
    }
    format!("did you mean `{}` or `{last}`?", first.join("`, `"))
}

/// Returns the closest name that differs from `typed` by no more than a typo or two. If such a name exists, messages may quote `typed`;
/// otherwise, `typed` may be a misplaced secret.
pub fn slip<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|name| (strsim::osa_distance(typed, name), name))
        .filter(|(slips, name)| *slips <= if name.len() > 4 { 2 } else { 1 })
        .min()
        .map(|(_, name)| name)
}

/// Reports whether a word looks like a name: short and in lowercase, with parts separated by hyphens or underscores.
pub fn is_plain(word: &str) -> bool {
    word.len() <= 24
        && word.split(['-', '_']).all(|part| {
            (1..=12).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_lowercase())
        })
}

/// Reports whether a word looks like a name or a path made up of names, such as `.env`, `./my-bot` or `bot.json`.
pub fn is_plain_path(word: &str) -> bool {
    let mut parts = word
        .split(['/', '.'])
        .filter(|part| !part.is_empty())
        .peekable();
    parts.peek().is_some() && parts.all(is_plain)
}

/// Reports whether a word starts with a typographic dash or quotation mark instead of `-` or `"`.
pub fn is_typographic(word: &str) -> bool {
    word.starts_with([
        '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}',
        '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{201e}',
    ])
}

/// Returns the similarity of two names. Parts of `name` also count, because users often type only part of a name such as `enable_eval` or
/// `deepgram_stt`. A single typo counts as similar even in a short name.
fn likeness(typed: &str, name: &str) -> f64 {
    let (typed, name) = (typed.replace('-', "_"), name.replace('-', "_"));
    let parts = [
        name.rsplit_once('_').map(|(first, _)| first),
        name.split_once('_').map(|(_, rest)| rest),
    ];
    let slip = typed.chars().count() > 2 && strsim::osa_distance(&typed, &name) == 1;
    parts
        .into_iter()
        .flatten()
        .map(|part| strsim::jaro_winkler(&typed, part) - LESS_FOR_A_PART)
        .chain(slip.then_some(LEAST))
        .fold(strsim::jaro_winkler(&typed, &name), f64::max)
}

#[cfg(test)]
mod tests {
    use super::{is_plain, is_plain_path, meant, near, slip};

    #[test]
    fn a_slip_leaves_little_that_is_not_known() {
        let names = ["secrets", "set", "--region"];
        for (typed, expected) in [
            ("secret", Some("secrets")),
            ("scerets", Some("secrets")),
            ("secrets", Some("secrets")),
            ("secrets123", None),
            ("sets", Some("set")),
            ("sekt", Some("set")),
            ("sektor", None),
            ("", None),
            ("--regoin", Some("--region")),
        ] {
            assert_eq!(slip(typed, names.into_iter()), expected, "{typed}");
        }
    }

    #[test]
    fn what_is_meant_is_sure_or_not_said() {
        let names = ["list", "set", "unset", "delete", "skip", "transport"];
        for (typed, expected) in [
            ("get", &["list"][..]),
            ("rm", &["unset", "delete"]),
            ("yes", &["skip"]),
            ("y", &["skip"]),
            ("lits", &["list"]),
            ("trans", &["transport"]),
            ("weather", &[]),
            ("interactive", &[]),
        ] {
            assert_eq!(meant(typed, names.into_iter()), expected, "{typed}");
        }
    }

    #[test]
    fn names_are_plain_and_values_are_not() {
        for (word, plain) in [
            ("slip", true),
            ("dry-run", true),
            ("", false),
            ("-", false),
            ("sk-live-1", false),
            ("Token", false),
            ("aaaaabbbbbccccc", false),
            ("key=value", false),
        ] {
            assert_eq!(is_plain(word), plain, "{word}");
            assert_eq!(is_plain_path(word), plain, "{word}");
        }
        for path in [".env", "./my-bot", "../a/b", "bot.json"] {
            assert!(is_plain_path(path), "{path}");
        }
    }

    #[test]
    fn suggests_only_what_is_near() {
        let names = ["init", "cloud", "plugin", "help"];
        for (typed, expected) in [
            ("ini", &["init"][..]),
            ("inti", &["init"]),
            ("clowd", &["cloud"]),
            ("plugins", &["plugin"]),
            ("hepl", &["help"]),
            ("yelp", &["help"]),
            ("weather", &[]),
            ("", &[]),
        ] {
            assert_eq!(near(typed, names.into_iter()), expected, "{typed}");
        }
    }
}

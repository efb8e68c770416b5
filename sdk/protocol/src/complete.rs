//! Completes the last argument of a command line using only the manifest.

use crate::words::{HostOption, Reader};
use crate::{ArgumentSpec, Candidate, CommandSpec, Completion};

/// The completions for an argument.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AtEnd {
    /// The matching commands, options and values in the manifest, each as a complete argument.
    pub candidates: Vec<Candidate>,
    /// The name of the argument, if the plugin must supply the completions.
    pub dynamic: Option<String>,
    /// The additional completions that the shell must supply: files, folders, or a program and its arguments.
    pub by_shell: Completion,
    /// The part of the argument before the value, such as `--stt=`.
    pub prefix: String,
}

impl AtEnd {
    /// Returns `word` without the [prefix](Self::prefix).
    pub fn typed<'a>(&self, word: &'a str) -> &'a str {
        word.strip_prefix(self.prefix.as_str()).unwrap_or(word)
    }
}

/// Returns the completions for the last word in `words`, or for an empty first argument if `words` is empty.
pub fn at_end(root: &CommandSpec, words: &[String]) -> AtEnd {
    let (before, word) = match words.split_last() {
        Some((last, before)) => (before, last.as_str()),
        None => (&[][..], ""),
    };
    let reader = Reader::after(root, before);
    if let Some(argument) = reader.value_of() {
        return values(argument, word, String::new());
    }
    if !reader.separated() && word.starts_with('-') {
        if let Some((name, value)) = word.split_once('=')
            && let Some(long) = name.strip_prefix("--")
            && let Some(argument) = reader.long(long)
        {
            return values(argument, value, format!("{name}="));
        }
        return AtEnd {
            candidates: options(&reader, word),
            ..AtEnd::default()
        };
    }
    let mut found = match reader.positional() {
        Some(argument) => values(argument, word, String::new()),
        None => AtEnd::default(),
    };
    if reader.may_name_command() {
        let mut candidates = commands(reader.command(), word);
        candidates.append(&mut found.candidates);
        found.candidates = candidates;
    }
    found
}

fn commands(command: &CommandSpec, word: &str) -> Vec<Candidate> {
    let shown = command.commands.iter().filter(|command| !command.hidden);
    shown
        .filter(|command| command.name.starts_with(word))
        .map(|command| Candidate {
            value: command.name.clone(),
            about: about(&command.about),
        })
        .collect()
}

fn options(reader: &Reader, word: &str) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let own = reader
        .options_here()
        .filter(|argument| !argument.hidden)
        .filter_map(|argument| {
            let long = argument.long.as_deref()?;
            Some((long, &*argument.about, HostOption::meant_by(argument)))
        });
    let common = reader
        .host_options()
        .map(|option| (option.long(), option.about(), Some(option)));
    let words = own.chain(common).flat_map(|(long, description, option)| {
        let plain = format!("--{long}");
        let value = option.and_then(HostOption::value);
        let valued = value.map(|value| format!("{plain}={value}"));
        let words = [Some(plain), valued].into_iter().flatten();
        words.map(move |word| (word, description))
    });
    for (value, description) in words {
        let known = candidates.iter().any(|candidate| candidate.value == value);
        if value.starts_with(word) && !known {
            candidates.push(Candidate {
                value,
                about: about(description),
            });
        }
    }
    candidates
}

fn values(argument: &ArgumentSpec, word: &str, prefix: String) -> AtEnd {
    let fitting = argument.values.iter();
    let fitting = fitting.filter(|value| value.value.starts_with(word));
    let candidates = fitting
        .map(|value| Candidate {
            value: format!("{prefix}{}", value.value),
            about: value.about.clone(),
        })
        .collect();
    let is_dynamic = argument.completion == Completion::Dynamic;
    AtEnd {
        candidates,
        dynamic: is_dynamic.then(|| argument.name.clone()),
        by_shell: if is_dynamic {
            Completion::None
        } else {
            argument.completion
        },
        prefix,
    }
}

fn about(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::at_end;
    use crate::{CommandSpec, Completion};

    fn tree() -> CommandSpec {
        serde_json::from_value(json!({
            "name": "cloud",
            "arguments": [
                { "name": "json", "kind": "flag", "long": "json", "global": true },
                { "name": "profile", "kind": "option", "long": "profile" },
            ],
            "commands": [
                { "name": "secrets", "aliases": ["s"], "commands": [
                    { "name": "set", "arguments": [
                        { "name": "name", "kind": "positional", "completion": "dynamic" },
                        { "name": "pairs", "kind": "positional", "repeatable": true, "values": [{ "value": "K=" }] },
                        { "name": "file", "kind": "option", "long": "file", "short": "f", "completion": "file" },
                        { "name": "region", "kind": "option", "long": "region",
                          "values": [{ "value": "us-west" }, { "value": "eu" }] },
                        { "name": "trick", "kind": "flag", "long": "trick", "hidden": true },
                        { "name": "speed", "kind": "option", "long": "speed",
                          "values": [{ "value": "fast" }, { "value": "slow" }] },
                    ] },
                    { "name": "list" },
                    { "name": "run", "arguments": [
                        { "name": "name", "kind": "positional", "completion": "dynamic" },
                        { "name": "program", "kind": "positional", "last": true, "repeatable": true, "completion": "command" },
                    ] },
                ] },
                { "name": "internal", "hidden": true },
            ],
        }))
        .unwrap()
    }

    #[test]
    fn words_are_completed_where_they_stand() {
        for (words, expected) in [
            ("", "secrets"),
            ("in", ""),
            (
                "--",
                "--json --json=lines --profile --verbose --quiet --help --version",
            ),
            ("--v", "--verbose --version"),
            ("--json --q", "--quiet"),
            ("--profile x ", "secrets"),
            ("--profile ", ""),
            ("secrets ", "set list run"),
            ("sec", "secrets"),
            ("s s", "set"),
            (
                "secrets set --",
                "--file --region --speed --json --json=lines --verbose --quiet --help",
            ),
            ("secrets set --speed ", "fast slow"),
            ("secrets run x ", ""),
            ("secrets run x -- ", "<program>"),
            ("secrets set --region ", "us-west eu"),
            ("secrets set --region=e", "--region=eu"),
            ("secrets set ", "<name>"),
            ("secrets set -f ", "<files>"),
            ("secrets set --file=x", "<files>"),
            ("secrets set prod ", "K="),
            ("secrets set prod K=1 ", "K="),
            ("secrets set -- --", "<name>"),
            ("secrets list x ", ""),
        ] {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            let found = at_end(&tree(), &words);
            let mut shown: Vec<String> = found
                .candidates
                .into_iter()
                .map(|candidate| candidate.value)
                .collect();
            shown.extend(found.dynamic.map(|argument| format!("<{argument}>")));
            shown.extend(match found.by_shell {
                Completion::File => Some("<files>".to_owned()),
                Completion::Folder => Some("<folders>".to_owned()),
                Completion::Command => Some("<program>".to_owned()),
                Completion::Dynamic | Completion::None => None,
            });
            assert_eq!(shown.join(" "), expected, "{words:?}");
        }
    }
}

//! What the last of the user's words may become, from a manifest alone.

use crate::protocol::{ArgumentKind, ArgumentSpec, Candidate, CommandSpec, Completion};

/// What a word may become.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AtEnd {
    /// Whole words, from the manifest.
    pub candidates: Vec<Candidate>,
    /// The argument whose values only the plugin knows.
    pub dynamic: Option<String>,
    /// Whether files or folders may follow too.
    pub paths: Option<Paths>,
    /// What stands before a value within the word: `--stt=`.
    pub prefix: String,
}

/// What kind of path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paths {
    /// Files and the folders on the way.
    Files,
    /// Folders.
    Folders,
}

impl AtEnd {
    /// The part of `word` that is a value.
    #[must_use]
    pub fn typed<'a>(&self, word: &'a str) -> &'a str {
        word.strip_prefix(self.prefix.as_str()).unwrap_or(word)
    }
}

/// What the last of `words` may become after those before it. Without words, what may stand first.
#[must_use]
pub fn at_end(root: &CommandSpec, words: &[String]) -> AtEnd {
    let (before, word) = match words.split_last() {
        Some((last, before)) => (before, last.as_str()),
        None => (&[][..], ""),
    };
    let place = Place::after(root, before);
    if let Some(argument) = place.value_of {
        return values(argument, word, String::new());
    }
    if !place.only_positionals && word.starts_with('-') {
        if let Some((name, value)) = word.split_once('=')
            && let Some(argument) = place.option(name)
        {
            return values(argument, value, format!("{name}="));
        }
        return AtEnd {
            candidates: place.options(word),
            ..AtEnd::default()
        };
    }
    let mut found = match place.positional() {
        Some(argument) => values(argument, word, String::new()),
        None => AtEnd::default(),
    };
    if !place.only_positionals && place.positionals == 0 {
        let commands = place
            .command
            .commands
            .iter()
            .filter(|command| !command.hidden);
        let matching = commands
            .filter(|command| command.name.starts_with(word))
            .map(|command| Candidate {
                value: command.name.clone(),
                about: about(&command.about),
            });
        found.candidates = matching
            .chain(std::mem::take(&mut found.candidates))
            .collect();
    }
    found
}

/// The command of the tree that `words` call.
#[must_use]
pub fn called<'a>(root: &'a CommandSpec, words: &[String]) -> &'a CommandSpec {
    Place::after(root, words).command
}

/// Where in the tree the words have led.
struct Place<'a> {
    command: &'a CommandSpec,
    path: Vec<&'a CommandSpec>,
    positionals: usize,
    only_positionals: bool,
    value_of: Option<&'a ArgumentSpec>,
}

impl<'a> Place<'a> {
    fn after(root: &'a CommandSpec, words: &[String]) -> Self {
        let mut place = Self {
            command: root,
            path: vec![root],
            positionals: 0,
            only_positionals: false,
            value_of: None,
        };
        for word in words {
            place.pass(word);
        }
        place
    }

    fn pass(&mut self, word: &str) {
        if self.value_of.take().is_some() {
            return;
        }
        if self.only_positionals {
            self.positionals += 1;
        } else if word == "--" {
            self.only_positionals = true;
        } else if word.len() > 1 && word.starts_with('-') {
            let takes_value = |argument: &&ArgumentSpec| argument.kind == ArgumentKind::Option;
            self.value_of = if word.contains('=') {
                None
            } else {
                self.option(word).filter(takes_value)
            };
        } else if let Some(command) = self.subcommand(word) {
            self.command = command;
            self.path.push(command);
        } else {
            self.positionals += 1;
        }
    }

    fn subcommand(&self, word: &str) -> Option<&'a CommandSpec> {
        let matches = |command: &&CommandSpec| {
            command.name == word || command.aliases.iter().any(|alias| alias == word)
        };
        if self.positionals > 0 {
            return None;
        }
        self.command.commands.iter().find(matches)
    }

    /// The options here: the command's own and the global ones above it.
    fn arguments(&self) -> impl Iterator<Item = &'a ArgumentSpec> {
        let own = self.command;
        self.path.iter().rev().flat_map(move |command| {
            let here = std::ptr::eq(*command, own);
            command
                .arguments
                .iter()
                .filter(move |argument| here || argument.global)
        })
    }

    /// The option that `word` names: `--stt`, `-t`, or the last of `-vt`.
    fn option(&self, word: &str) -> Option<&'a ArgumentSpec> {
        if let Some(long) = word.strip_prefix("--") {
            return self.arguments().find(|argument| {
                argument.long.as_deref() == Some(long)
                    || argument.aliases.iter().any(|alias| alias == long)
            });
        }
        let last = word.chars().last();
        self.arguments()
            .find(|argument| argument.short.is_some() && argument.short == last)
    }

    fn options(&self, word: &str) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = Vec::new();
        for argument in self.arguments().filter(|argument| !argument.hidden) {
            let Some(long) = &argument.long else {
                continue;
            };
            let value = format!("--{long}");
            let known = candidates.iter().any(|candidate| candidate.value == value);
            if value.starts_with(word) && !known {
                candidates.push(Candidate {
                    value,
                    about: about(&argument.about),
                });
            }
        }
        candidates
    }

    fn positional(&self) -> Option<&'a ArgumentSpec> {
        let positionals: Vec<_> = self
            .command
            .arguments
            .iter()
            .filter(|argument| argument.kind == ArgumentKind::Positional)
            .collect();
        positionals
            .get(self.positionals)
            .or_else(|| positionals.last().filter(|argument| argument.repeatable))
            .copied()
    }
}

fn values(argument: &ArgumentSpec, word: &str, prefix: String) -> AtEnd {
    let candidates = argument
        .values
        .iter()
        .filter(|value| value.value.starts_with(word))
        .map(|value| Candidate {
            value: format!("{prefix}{}", value.value),
            about: value.about.clone(),
        })
        .collect();
    let (dynamic, paths) = match argument.completion {
        Completion::Dynamic => (Some(argument.name.clone()), None),
        Completion::File => (None, Some(Paths::Files)),
        Completion::Folder => (None, Some(Paths::Folders)),
        Completion::None => (None, None),
    };
    AtEnd {
        candidates,
        dynamic,
        paths,
        prefix,
    }
}

fn about(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Paths, at_end};
    use crate::protocol::CommandSpec;

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
                    ] },
                    { "name": "list" },
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
            ("se", "secrets"),
            ("in", ""),
            ("--", "--json --profile"),
            ("--profile x ", "secrets"),
            ("--profile ", ""),
            ("secrets ", "set list"),
            ("s s", "set"),
            ("secrets set --", "--file --region --json"),
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
            shown.extend(found.paths.map(|paths| match paths {
                Paths::Files => "<files>".to_owned(),
                Paths::Folders => "<folders>".to_owned(),
            }));
            assert_eq!(shown.join(" "), expected, "{words:?}");
        }
    }
}

//! Parses a command line according to a command tree.
//!
//! Apart from the plugins' own parsers, this is the only command-line parser. It identifies the host's options, the command to complete or
//! show help for, and the commands that need the terminal.

mod taken;
#[cfg(test)]
mod tests;

use crate::outcome::Json;
use crate::{ArgumentKind, ArgumentSpec, CommandSpec};
pub use taken::{HelpForm, Taken, take};

/// An option that the host handles for every plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostOption {
    /// The `--json` option.
    Json,
    /// The `-v` or `--verbose` option.
    Verbose,
    /// The `-q` or `--quiet` option.
    Quiet,
    /// The `-h` or `--help` option.
    Help,
    /// The `-V` or `--version` option, recognized only before any command or positional argument.
    Version,
}

/// The role of a word on a command line.
#[derive(Debug, Clone, PartialEq)]
pub enum Word<'a> {
    /// A subcommand's name.
    Command(&'a CommandSpec),
    /// A long option, or a cluster of short options in the order given.
    Options(Vec<Given<'a>>),
    /// A positional argument, with its specification if the command declares the argument.
    Positional(Option<&'a ArgumentSpec>),
    /// An option's value, `--`, or an unknown option.
    Other,
}

/// An option in a word on the command line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Given<'a> {
    /// The option's specification, if the command tree declares the option.
    pub own: Option<&'a ArgumentSpec>,
    /// The corresponding host option, unless the plugin uses the name for something else.
    pub host: Option<HostOption>,
    /// Whether the same word contains the option's value.
    pub has_value: bool,
}

/// A parser that reads a command line word by word.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    path: Vec<&'a CommandSpec>,
    positionals: usize,
    separated: bool,
    value_of: Option<&'a ArgumentSpec>,
}

impl HostOption {
    const ALL: [Self; 5] = [
        Self::Json,
        Self::Verbose,
        Self::Quiet,
        Self::Help,
        Self::Version,
    ];

    /// Returns the long name, the short name and the help text, which are the same in the host and in all plugins.
    const fn row(self) -> (&'static str, Option<char>, &'static str) {
        match self {
            Self::Json => (
                "json",
                None,
                "Print the result as JSON, or each message as a line",
            ),
            Self::Verbose => ("verbose", Some('v'), "Show more details; twice shows all"),
            Self::Quiet => (
                "quiet",
                Some('q'),
                "Show only the outcome, warnings and errors",
            ),
            Self::Help => ("help", Some('h'), "Print help"),
            Self::Version => ("version", Some('V'), "Print version"),
        }
    }

    /// Returns the long name, such as `json` for `--json`.
    pub const fn long(self) -> &'static str {
        self.row().0
    }

    /// Returns the short name, such as `v` for `-v`.
    pub const fn short(self) -> Option<char> {
        self.row().1
    }

    /// Returns the help text.
    pub const fn about(self) -> &'static str {
        self.row().2
    }

    /// Returns the value that the option may have, as in `--json=lines`, if any.
    pub const fn value(self) -> Option<&'static str> {
        match self {
            Self::Json => Some(Json::LINES),
            Self::Verbose | Self::Quiet | Self::Help | Self::Version => None,
        }
    }

    /// Returns the host option with the same name and meaning as a plugin's flag. `--help` and `--version` are excluded, because a plugin
    /// that declares these flags handles them itself.
    pub fn meant_by(argument: &ArgumentSpec) -> Option<Self> {
        let flag = argument.kind == ArgumentKind::Flag;
        let long = argument.long.as_deref().filter(|_| flag)?;
        [Self::Json, Self::Verbose, Self::Quiet]
            .into_iter()
            .find(|option| option.long() == long)
    }
}

impl<'a> Reader<'a> {
    /// Creates a reader at the start of a command line. For a plugin without a command tree, pass an empty tree.
    pub fn new(root: &'a CommandSpec) -> Self {
        Self {
            path: vec![root],
            positionals: 0,
            separated: false,
            value_of: None,
        }
    }

    /// Creates a reader that has already read `words`.
    pub fn after(root: &'a CommandSpec, words: &[String]) -> Self {
        let mut reader = Self::new(root);
        for word in words {
            reader.read(word);
        }
        reader
    }

    /// Reads the next word.
    pub fn read(&mut self, word: &str) -> Word<'a> {
        if self.value_of.take().is_some() {
            return Word::Other;
        }
        if !self.separated {
            if word == "--" {
                self.separated = true;
                return Word::Other;
            }
            if word.len() > 1 && word.starts_with('-') {
                return self.options(word);
            }
            if let Some(command) = self.subcommand(word) {
                self.path.push(command);
                return Word::Command(command);
            }
        }
        let argument = self.positional();
        self.positionals += 1;
        Word::Positional(argument)
    }

    /// Returns the innermost command read so far.
    pub fn command(&self) -> &'a CommandSpec {
        // The path always contains the root.
        self.path[self.path.len() - 1]
    }

    /// Returns the commands read so far, starting with the root.
    pub fn path(&self) -> &[&'a CommandSpec] {
        &self.path
    }

    /// Returns the option that takes the next word as its value, if any.
    pub fn value_of(&self) -> Option<&'a ArgumentSpec> {
        self.value_of
    }

    /// Reports whether `--` has been read.
    pub fn separated(&self) -> bool {
        self.separated
    }

    /// Reports whether the next word may be a subcommand's name.
    pub fn may_name_command(&self) -> bool {
        self.positionals == 0 && !self.separated
    }

    /// Returns the options available at this position: the command's own options and its parents' global options.
    pub fn options_here(&self) -> impl Iterator<Item = &'a ArgumentSpec> {
        let own = self.path.len() - 1;
        let path = self.path.iter().enumerate().rev();
        path.flat_map(move |(depth, command)| {
            let in_scope = move |argument: &&ArgumentSpec| {
                argument.kind != ArgumentKind::Positional && (depth == own || argument.global)
            };
            command.arguments.iter().filter(in_scope)
        })
    }

    /// Returns the host options available at this position, except those whose names the command tree uses.
    pub fn host_options(&self) -> impl Iterator<Item = HostOption> {
        HostOption::ALL.into_iter().filter(|option| {
            self.given(self.long(option.long()), |other| other == option)
                .is_some_and(|given| given.own.is_none())
        })
    }

    /// Returns the available option with the long name or alias `long`, if any.
    pub fn long(&self, long: &str) -> Option<&'a ArgumentSpec> {
        self.options_here().find(|argument| {
            argument.long.as_deref() == Some(long)
                || argument.aliases.iter().any(|alias| alias == long)
        })
    }

    /// Returns the positional argument that the next word would fill, if any.
    pub fn positional(&self) -> Option<&'a ArgumentSpec> {
        let positionals = self.command().arguments.iter();
        let positionals = positionals.filter(|argument| argument.kind == ArgumentKind::Positional);
        let (behind, before): (Vec<_>, Vec<_>) = positionals.partition(|argument| argument.last);
        if self.separated
            && let Some(argument) = behind.first()
        {
            return Some(argument);
        }
        before
            .get(self.positionals)
            .or_else(|| before.last().filter(|argument| argument.repeatable))
            .copied()
    }

    fn subcommand(&self, word: &str) -> Option<&'a CommandSpec> {
        let named = |command: &&CommandSpec| {
            command.name == word || command.aliases.iter().any(|alias| alias == word)
        };
        let commands = &self.command().commands;
        commands
            .iter()
            .filter(|_| self.may_name_command())
            .find(named)
    }

    fn options(&mut self, word: &str) -> Word<'a> {
        let given = match word.strip_prefix("--") {
            Some(long) => self.long_option(long).map(|given| vec![given]),
            None => self.letters(&word[1..]),
        };
        let Some(given) = given else {
            return Word::Other;
        };
        self.value_of = given
            .last()
            .filter(|given| !given.has_value)
            .and_then(|given| given.own)
            .filter(|argument| argument.kind == ArgumentKind::Option);
        Word::Options(given)
    }

    fn long_option(&self, word: &str) -> Option<Given<'a>> {
        let (long, has_value) = match word.split_once('=') {
            Some((long, _)) => (long, true),
            None => (word, false),
        };
        let given = self.given(self.long(long), |option| option.long() == long)?;
        Some(Given { has_value, ..given })
    }

    /// Parses a cluster of short options. Returns `None` if a letter is unknown, because an unknown option may take the rest of the cluster
    /// as its value.
    fn letters(&self, letters: &str) -> Option<Vec<Given<'a>>> {
        let mut given = Vec::new();
        for (at, letter) in letters.char_indices() {
            let own = self
                .options_here()
                .find(|argument| argument.short == Some(letter));
            let mut next = self.given(own, |option| option.short() == Some(letter))?;
            let takes_value = own.is_some_and(|argument| argument.kind == ArgumentKind::Option);
            next.has_value = takes_value && at + letter.len_utf8() < letters.len();
            given.push(next);
            if takes_value {
                break;
            }
        }
        Some(given)
    }

    fn given(
        &self,
        own: Option<&'a ArgumentSpec>,
        named: impl Fn(&HostOption) -> bool,
    ) -> Option<Given<'a>> {
        let host = match own {
            Some(argument) => HostOption::meant_by(argument),
            None => Some(HostOption::ALL.into_iter().find(named)?),
        };
        let misplaced = self.path.len() > 1 || self.positionals > 0;
        if own.is_none() && host == Some(HostOption::Version) && misplaced {
            return None;
        }
        Some(Given {
            own,
            host,
            has_value: false,
        })
    }
}

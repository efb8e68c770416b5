//! Reads a user's words as a command tree means them.
//!
//! This is the only reader of words beside the plugins' own parsers: what the host takes, which command help and completion
//! are about, and which command wants the terminal, all follow from it.

mod taken;
#[cfg(test)]
mod tests;

use crate::{ArgumentKind, ArgumentSpec, CommandSpec};
pub use taken::{HelpForm, Taken, take};

/// An option that every plugin has, because the host takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostOption {
    /// `--json`
    Json,
    /// `-v`, `--verbose`
    Verbose,
    /// `-q`, `--quiet`
    Quiet,
    /// `-h`, `--help`
    Help,
    /// `-V`, `--version`; only in front of every command and positional argument
    Version,
}

/// The meaning of a word.
#[derive(Debug, Clone, PartialEq)]
pub enum Word<'a> {
    /// The name of a subcommand.
    Command(&'a CommandSpec),
    /// A long option, or one or several letters behind a hyphen, in their order.
    Options(Vec<Given<'a>>),
    /// A positional argument, if the command has one in this place.
    Positional(Option<&'a ArgumentSpec>),
    /// The value of the option before it, `--`, or something behind a hyphen that the tree does not know.
    Other,
}

/// An option in a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Given<'a> {
    /// The argument of the tree, if it has one of that name.
    pub own: Option<&'a ArgumentSpec>,
    /// The host's option of that name, unless the tree uses the name for something else.
    pub host: Option<HostOption>,
    /// Whether its value is in the same word.
    pub has_value: bool,
}

/// Reads one word after the other.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    /// The commands that the words have named, the root first.
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

    /// The long name, the letter, and what it does, in the words that the host and all plugins use.
    const fn row(self) -> (&'static str, Option<char>, &'static str) {
        match self {
            Self::Json => ("json", None, "Print the result as one JSON document"),
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

    /// `json` for `--json`.
    pub const fn long(self) -> &'static str {
        self.row().0
    }

    /// `v` for `-v`.
    pub const fn short(self) -> Option<char> {
        self.row().1
    }

    /// Returns what it does.
    pub const fn about(self) -> &'static str {
        self.row().2
    }

    /// A plugin that declares a flag by the name of one of these means the same by it. Help and version it then gives
    /// itself.
    pub fn meant_by(argument: &ArgumentSpec) -> Option<Self> {
        let flag = argument.kind == ArgumentKind::Flag;
        let long = argument.long.as_deref().filter(|_| flag)?;
        [Self::Json, Self::Verbose, Self::Quiet]
            .into_iter()
            .find(|option| option.long() == long)
    }
}

impl<'a> Reader<'a> {
    /// A reader that has read nothing. A plugin without a command tree is read as one with an empty tree.
    pub fn new(root: &'a CommandSpec) -> Self {
        Self {
            path: vec![root],
            positionals: 0,
            separated: false,
            value_of: None,
        }
    }

    /// A reader that has read `words`.
    pub fn after(root: &'a CommandSpec, words: &[String]) -> Self {
        let mut reader = Self::new(root);
        for word in words {
            reader.read(word);
        }
        reader
    }

    /// Returns what the next word is.
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

    /// The command that the words call.
    pub fn command(&self) -> &'a CommandSpec {
        // The root is always there.
        self.path[self.path.len() - 1]
    }

    /// The commands that the words have named, the root first.
    pub fn path(&self) -> &[&'a CommandSpec] {
        &self.path
    }

    /// The option whose value comes next.
    pub fn value_of(&self) -> Option<&'a ArgumentSpec> {
        self.value_of
    }

    /// Whether `--` has been read.
    pub fn separated(&self) -> bool {
        self.separated
    }

    /// Whether the name of a subcommand may come next.
    pub fn may_name_command(&self) -> bool {
        self.positionals == 0 && !self.separated
    }

    /// The options that may come next: the command's own and the global ones above it.
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

    /// The host's options that may come next, as far as the tree does not use their names.
    pub fn host_options(&self) -> impl Iterator<Item = HostOption> {
        HostOption::ALL.into_iter().filter(|option| {
            self.given(self.long(option.long()), |other| other == option)
                .is_some_and(|given| given.own.is_none())
        })
    }

    /// The option `--long`.
    pub fn long(&self, long: &str) -> Option<&'a ArgumentSpec> {
        self.options_here().find(|argument| {
            argument.long.as_deref() == Some(long)
                || argument.aliases.iter().any(|alias| alias == long)
        })
    }

    /// The positional argument that comes next.
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

    /// An unknown letter may take the rest as its value, so that all of them stay unknown.
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

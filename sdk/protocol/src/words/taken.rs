//! What the host takes out of the words for a plugin.

use std::ffi::{OsStr, OsString};

use super::{Given, HostOption, Reader, Word};
use crate::CommandSpec;

/// The words that the host takes for itself, and those that are left for the plugin.
#[derive(Debug, Clone, Default)]
pub struct Taken<'a> {
    /// `--json`
    pub json: bool,
    /// The number of `-v`.
    pub verbose: u8,
    /// `-q`
    pub quiet: bool,
    /// `-h` or `--help`
    pub help: Option<HelpForm>,
    /// `-V` or `--version`
    pub version: bool,
    /// The words for the plugin. `--version`, and every flag that it declares itself, is among them, also where the host
    /// heeds it, too.
    pub argv: Vec<OsString>,
    /// The commands that the words name, the root first.
    pub path: Vec<&'a CommandSpec>,
}

/// The way help was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelpForm {
    /// By `-h`.
    Short,
    /// By `--help`.
    Long,
}

/// Takes the host's options out of the words for the plugin whose tree is `root`, wherever they are options: neither out of
/// another option's value nor from behind a `--`.
pub fn take<'a, W: AsRef<OsStr>>(root: &'a CommandSpec, words: &[W]) -> Taken<'a> {
    let mut reader = Reader::new(root);
    let mut taken = Taken::default();
    for word in words.iter().map(AsRef::as_ref) {
        let text = word.to_string_lossy();
        if let Word::Options(given) = reader.read(&text) {
            taken.options(&text, word, &given);
        } else {
            taken.argv.push(word.to_owned());
        }
    }
    taken.path = reader.path().to_vec();
    taken
}

impl Taken<'_> {
    fn options(&mut self, text: &str, word: &OsStr, given: &[Given]) {
        let is_long = text.starts_with("--");
        for option in given {
            if let Some(host) = option.host.filter(|_| !option.has_value) {
                self.heed(host, is_long);
            }
        }
        if given.iter().all(stays) {
            self.argv.push(word.to_owned());
        } else if !is_long && given.iter().any(stays) {
            self.argv.push(remaining(text, given).into());
        }
    }

    fn heed(&mut self, option: HostOption, is_long: bool) {
        match option {
            HostOption::Json => self.json = true,
            HostOption::Verbose => self.verbose = self.verbose.saturating_add(1),
            HostOption::Quiet => self.quiet = true,
            HostOption::Help if is_long => self.help = Some(HelpForm::Long),
            HostOption::Help => self.help = self.help.or(Some(HelpForm::Short)),
            HostOption::Version => self.version = true,
        }
    }
}

/// Whether the plugin gets it. A plugin may know its version better than its manifest, and refuses a value that has no place.
fn stays(option: &Given) -> bool {
    option.own.is_some() || option.has_value || option.host == Some(HostOption::Version)
}

/// `-f` of `-qf`, and `-ofile` of `-qofile`.
fn remaining(cluster: &str, given: &[Given]) -> String {
    let mut letters = cluster.chars().skip(1);
    let mut remaining = "-".to_owned();
    for option in given {
        remaining.extend(letters.next().filter(|_| stays(option)));
    }
    // What is left is the value of the last.
    remaining.extend(letters);
    remaining
}

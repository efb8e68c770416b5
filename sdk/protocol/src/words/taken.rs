//! Separates the host's options from the plugin's arguments.

use std::ffi::{OsStr, OsString};

use super::{Given, HostOption, Reader, Word};
use crate::CommandSpec;
use crate::outcome::Json;

/// The host's options and the plugin's arguments.
#[derive(Debug, Clone, Default)]
pub struct Taken<'a> {
    /// The form of JSON to print, if `--json` was given.
    pub json: Option<Json>,
    /// The value of `--json`, if it is not one.
    pub wrong_json: Option<String>,
    /// The number of `-v` and `--verbose` options.
    pub verbose: u8,
    /// Whether `-q` or `--quiet` was given.
    pub quiet: bool,
    /// The kind of help requested with `-h` or `--help`, if any.
    pub help: Option<HelpForm>,
    /// Whether `-V` or `--version` was given.
    pub version: bool,
    /// The plugin's arguments, including `--version` and all flags that the plugin declares, even if the host also uses them.
    pub argv: Vec<OsString>,
    /// The commands found in the arguments, starting with the root.
    pub path: Vec<&'a CommandSpec>,
}

/// The kind of help requested by the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelpForm {
    /// Short help: `-h`.
    Short,
    /// Full help: `--help`.
    Long,
}

/// Separates the host's options from the arguments for the plugin with the command tree `root`. Values of other options and arguments after
/// `--` are never treated as host options.
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
        if let [json] = given
            && json.host == Some(HostOption::Json)
            && let Some((_, value)) = text.split_once('=')
        {
            if value == Json::LINES {
                self.json = Some(Json::Lines);
            } else if json.own.is_none() {
                self.wrong_json = Some(value.to_owned());
            }
            if json.own.is_some() || value != Json::LINES {
                self.argv.push(word.to_owned());
            }
            return;
        }
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
            HostOption::Json => self.json = self.json.max(Some(Json::Document)),
            HostOption::Verbose => self.verbose = self.verbose.saturating_add(1),
            HostOption::Quiet => self.quiet = true,
            HostOption::Help if is_long => self.help = Some(HelpForm::Long),
            HostOption::Help => self.help = self.help.or(Some(HelpForm::Short)),
            HostOption::Version => self.version = true,
        }
    }
}

/// Reports whether the option is passed on to the plugin. `--version` is passed on because the manifest may be outdated. Options with an
/// unexpected value are passed on so that the plugin rejects them.
fn stays(option: &Given) -> bool {
    option.own.is_some() || option.has_value || option.host == Some(HostOption::Version)
}

/// Removes the host's options from a cluster of short options: `-qf` becomes `-f`, and `-qofile` becomes `-ofile`.
fn remaining(cluster: &str, given: &[Given]) -> String {
    let mut letters = cluster.chars().skip(1);
    let mut remaining = "-".to_owned();
    for option in given {
        remaining.extend(letters.next().filter(|_| stays(option)));
    }
    // The remaining letters are the value of the last option.
    remaining.extend(letters);
    remaining
}

//! Finds the sources of the bot's keys. This process never sees the values in a secret set, because `secrets run` passes them to the
//! bot and to the program that evaluates it.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use bot_cli_engine::platform::folders;
use bot_cli_protocol::failure::{Exit, Failure, OrFail as _};
use bot_cli_templates::catalogue::Catalogue;
use bot_cli_templates::project::ENV_TEMPLATE;
use bot_cli_terminal::shell::quoted;
use serde::Deserialize;

use crate::programs::{cloud, wrapped};
use crate::project::{Project, shown_from};
use crate::shown::{Event, Shown};

/// The only backend that is checked for changes, because it is a file of this machine.
const VAULT: &str = "local";

#[derive(Debug)]
pub struct Keys {
    cwd: PathBuf,
    server: PathBuf,
    set: String,
    backend: String,
    /// The variables of transports that are not served.
    unused: BTreeSet<String>,
    cloud: Option<PathBuf>,
    /// The names of the keys in the set, or `None` if the set doesn't exist.
    stored: Option<Vec<String>>,
    /// The time of the vault's last change before the names were read.
    written: Option<SystemTime>,
}

/// The output of `secrets list` for one set.
#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    keys: Vec<String>,
    error: Option<ListError>,
}

#[derive(Deserialize)]
struct ListError {
    code: String,
    message: String,
    #[serde(default)]
    hints: Vec<String>,
}

impl Keys {
    /// Finds the project's secret set. If `can_ask` is true, prompts the user for the required keys that are missing. `unused` has the
    /// variables of transports that are not served.
    pub fn find(
        project: &Project,
        cwd: &Path,
        backend: &str,
        unused: BTreeSet<String>,
        can_ask: bool,
    ) -> Result<Self, Failure> {
        let mut keys = Self {
            cwd: cwd.to_owned(),
            server: project.server.clone(),
            set: project.secret_set.clone(),
            backend: backend.to_owned(),
            unused,
            cloud: cloud(),
            stored: None,
            written: None,
        };
        keys.load()?;
        if can_ask && keys.cloud.is_some() {
            let missing = keys.sources()?.missing;
            if !missing.is_empty() {
                keys.ask(&missing)?;
                keys.load()?;
            }
        }
        Ok(keys)
    }

    /// Reloads the key names if the local vault has changed, and reports whether they are others. Always returns `false` for other backends,
    /// which are not checked.
    pub fn renew(&mut self) -> bool {
        if self.backend != VAULT || self.written == written() {
            return false;
        }
        let before = self.stored.clone();
        self.load().is_ok() && self.stored != before
    }

    fn load(&mut self) -> Result<(), Failure> {
        let written = written();
        self.stored = self.list()?;
        self.written = written;
        Ok(())
    }

    /// Wraps a command so that it runs with the set's keys in its environment. Returns the command unchanged if the set doesn't exist.
    pub fn with(&self, command: Command) -> Command {
        match &self.cloud {
            Some(_) if self.stored.is_some() => {
                wrapped(self.secrets(&["run", &self.set]), &command)
            }
            _ => command,
        }
    }

    /// Returns the source of each key by its name, or nothing if it can't be read.
    pub fn by_name(&self) -> BTreeMap<String, String> {
        let sources = self.sources().unwrap_or_default();
        let named = self.named(&sources).into_iter();
        let pairs = named.flat_map(|(source, names)| {
            names.iter().map(move |name| (name.clone(), source.clone()))
        });
        pairs.collect()
    }

    fn named<'s>(&self, sources: &'s Sources) -> [(String, &'s Vec<String>); 3] {
        [
            (format!("the set {}", self.set), &sources.set),
            ("the environment".to_owned(), &sources.environment),
            (".env".to_owned(), &sources.file),
        ]
    }

    /// Shows the source of every key, the missing keys, and the keys that are in `.env` but overridden by the set.
    pub fn explain(&self, shown: &mut Shown<'_>) -> Result<(), Failure> {
        let sources = self.sources()?;
        for (source, names) in self.named(&sources) {
            if !names.is_empty() {
                let source = &format!("keys from {source}");
                shown.event(&Event::Keys { source, names });
            }
        }
        if !sources.hidden.is_empty() {
            let names = sources.hidden.join(", ");
            let message = format!("not used, because the set wins over `.env`: {names}");
            shown.event(&Event::Warning { message: &message });
        }
        if !sources.missing.is_empty() {
            shown.event(&Event::NotSet {
                names: &sources.missing,
                hint: &self.line(),
            });
        }
        Ok(())
    }

    /// Looks for each variable of the template where the bot would find it.
    fn sources(&self) -> Result<Sources, Failure> {
        let stored: BTreeSet<&String> = self.stored.iter().flatten().collect();
        let file = self.read(".env")?;
        let file = variables(&file).filter(|(_, value)| {
            let value = value.trim_matches(['"', '\'']);
            !value.is_empty() && !value.starts_with('#')
        });
        let file: BTreeSet<&str> = file.map(|(name, _)| name).collect();
        let mut sources = Sources::default();
        let wanted = Wanted::read(&self.read(ENV_TEMPLATE)?);
        for name in wanted.required.iter().chain(&wanted.optional) {
            let list = if stored.contains(name) {
                &mut sources.set
            } else if is_set(name) {
                &mut sources.environment
            } else if file.contains(name.as_str()) {
                &mut sources.file
            } else if wanted.required.contains(name) && !self.unused.contains(name) {
                &mut sources.missing
            } else {
                continue;
            };
            list.push(name.clone());
        }
        let has = |name: &String| {
            let found = [&sources.set, &sources.environment, &sources.file];
            found.into_iter().any(|names| names.contains(name))
        };
        let catalogue = Catalogue::get().providers();
        let ways = catalogue.flat_map(|it| &it.services).map(|it| &it.one_of);
        let met: BTreeSet<&String> = ways.filter(|it| it.iter().any(has)).flatten().collect();
        sources.missing.retain(|name| !met.contains(name));
        let hidden = stored.into_iter();
        let hidden = hidden.filter(|name| file.contains(name.as_str()));
        sources.hidden = hidden.cloned().collect();
        Ok(sources)
    }

    fn list(&self) -> Result<Option<Vec<String>>, Failure> {
        if self.cloud.is_none() {
            return Ok(None);
        }
        let listed = self.secrets(&["list", &self.set, "--json"]).output();
        let could_not = "could not look for the keys";
        let listed = listed.or_fail(could_not)?;
        let read: Listed = serde_json::from_slice(&listed.stdout).or_fail(could_not)?;
        match read.error {
            None => Ok(Some(read.keys)),
            Some(error) if error.code == "not_found" => Ok(None),
            Some(error) => {
                let message = format!("{could_not}: {}", error.message);
                let failure = Failure::new(Exit::Failed, &error.code, message);
                Err(error.hints.into_iter().fold(failure, Failure::hint))
            }
        }
    }

    /// Runs `secrets set` in the user's terminal to prompt for the keys.
    fn ask(&self, missing: &[String]) -> Result<(), Failure> {
        let mut command =
            self.secrets(&["set", "--quiet", &self.set, "--from-template", ENV_TEMPLATE]);
        let ended = command.args(missing).stdin(Stdio::inherit()).status();
        let ended = ended.or_fail("could not ask for the keys")?;
        match ended.code() {
            Some(0) => Ok(()),
            Some(130) | None => Err(Failure::cancelled()),
            Some(_) => Err(Failure::new(
                Exit::Failed,
                "no_keys",
                "the keys were not saved",
            )),
        }
    }

    /// Returns a hint for adding missing keys: a command, or the `.env` file if `bot-cli cloud` isn't installed.
    fn line(&self) -> String {
        let path = |name| shown_from(&self.cwd, &self.server.join(name));
        let template = path(ENV_TEMPLATE);
        if self.cloud.is_none() {
            return format!(
                "they go into {}, which starts as a copy of {template}",
                path(".env")
            );
        }
        format!(
            "bot-cli cloud secrets set {} --backend {} --from-template {template}",
            quoted(&self.set),
            quoted(&self.backend),
        )
    }

    fn secrets(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.cloud.as_deref().unwrap_or(Path::new("bot-cli-cloud")));
        command
            .arg("secrets")
            .args(words)
            .args(["--backend", &self.backend])
            .current_dir(&self.server)
            .stdin(Stdio::null());
        command
    }

    /// Returns the contents of a file in the bot's folder, or an empty string if the file doesn't exist.
    fn read(&self, name: &str) -> Result<String, Failure> {
        let path = self.server.join(name);
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            read => read.or_fail(format!("could not read `{}`", path.display())),
        }
    }
}

/// The names of variables, by where the bot finds them.
#[derive(Default)]
struct Sources {
    set: Vec<String>,
    environment: Vec<String>,
    file: Vec<String>,
    /// In `.env`, but overridden by the set.
    hidden: Vec<String>,
    /// Required, but not set anywhere.
    missing: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    required: Vec<String>,
    optional: Vec<String>,
}

impl Wanted {
    /// Parses the `.env.example` template, in which optional variables are commented out.
    fn read(template: &str) -> Self {
        let name = |(name, _): (&str, &str)| name.to_owned();
        let comments = template.lines().filter_map(|line| line.strip_prefix("# "));
        Self {
            required: variables(template).map(name).collect(),
            optional: comments.flat_map(variables).map(name).collect(),
        }
    }
}

/// Returns the names and unparsed values of the variables in a file.
fn variables(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let name = name.strip_prefix("export ").unwrap_or(name).trim();
        (!name.is_empty() && name.chars().all(is_name)).then_some((name, value.trim()))
    })
}

/// Returns the time of the local vault's last change.
fn written() -> Option<SystemTime> {
    let vault = folders::vault(&|name| env::var_os(name))?;
    fs::metadata(vault).ok()?.modified().ok()
}

fn is_set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::Wanted;

    #[test]
    fn reads_what_a_template_wants() {
        let text = "# Copy this file to `.env`.\n\n# Acme: https://acme.example/?a=b\n# API key\nACME_KEY=\n# Model\n# ACME_MODEL=large=2\n";
        assert_eq!(
            Wanted::read(text),
            Wanted {
                required: vec!["ACME_KEY".to_owned()],
                optional: vec!["ACME_MODEL".to_owned()],
            }
        );
    }
}

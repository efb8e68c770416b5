use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::Discovery;
use super::inspect::{Plugin, inspect};
use super::name::{PREFIX, PluginName};
use super::trust::HostFile;
use bot_cli_protocol::{Manifest, Role};

use crate::platform::files;
use crate::platform::folders::{program_files, program_name};
use crate::refused::Refused;

/// The names of the host's own commands, which plugins can't use.
pub const RESERVED: [&str; 3] = ["help", "completions", "version"];

/// The plugin that manages other plugins. It decides which files to trust, and removes bad plugins. The host therefore accepts this plugin
/// only from the host's own folder and only in the host's own version.
pub const MANAGER: &str = "plugin";

/// The plugins that are released with the host.
pub const SHIPPED: [&str; 4] = ["init", "dev", "cloud", MANAGER];

/// The host's version, which is also the version of this library.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The plugin that a name resolves to, and the files that were refused during the search.
#[derive(Debug, Clone)]
pub struct Named {
    /// The plugin, if any file is usable.
    pub plugin: Option<Plugin>,
    /// The files that were found before the plugin but are not run, with the reasons.
    pub refused: Vec<(PathBuf, Refused)>,
}

/// A file whose name marks it as a plugin.
#[derive(Debug, Clone)]
pub struct PluginFile {
    /// The plugin's name, derived from the file name.
    pub name: String,
    /// The path of the file.
    pub file: PathBuf,
    /// The status of the file.
    pub standing: Standing,
}

/// The status of a file whose name marks it as a plugin.
#[derive(Debug, Clone)]
pub enum Standing {
    /// The plugin's name resolves to this file.
    Usable(Box<Plugin>),
    /// The plugin's name resolves to this other file. `None` means that the name is reserved for the host.
    Shadowed(Option<PathBuf>),
    /// The file is not run, for this reason.
    Unusable(Refused),
    /// The file can't be run, because its name is invalid.
    Misnamed,
}

impl PluginFile {
    /// Returns the status `shadowed` or `refused`, the reason, and an optional remedy. Returns `None` if the plugin's name resolves to this
    /// file.
    pub fn unused(&self) -> Option<(&'static str, String, Option<String>)> {
        match &self.standing {
            Standing::Usable(_) => None,
            Standing::Shadowed(None) if self.name == MANAGER => {
                let reason = "`plugin` is taken only from the folder of bot-cli itself";
                Some(("shadowed", reason.to_owned(), None))
            }
            Standing::Shadowed(winner) => {
                let winner = winner.as_ref().map_or_else(
                    || "a built-in command of bot-cli".to_owned(),
                    |file| format!("`{}`", file.display()),
                );
                Some(("shadowed", format!("{winner} comes first"), None))
            }
            Standing::Unusable(refused) => {
                Some(("refused", refused.reason.clone(), refused.remedy.clone()))
            }
            Standing::Misnamed => {
                let reason =
                    "its name is not made of lower-case letters, digits and hyphens, 32 at most";
                Some(("refused", reason.to_owned(), None))
            }
        }
    }
}

/// Returns the plugins among `found` that use plugins with this `role`, together with their own manifests.
pub fn users_of<'a>(
    role: &'a Role,
    found: &'a [PluginFile],
) -> impl Iterator<Item = (&'a Plugin, &'a Manifest)> {
    let usable = found.iter().filter_map(|found| match &found.standing {
        Standing::Usable(plugin) => Some((&**plugin, plugin.manifest.as_ref()?)),
        Standing::Shadowed(_) | Standing::Unusable(_) | Standing::Misnamed => None,
    });
    usable.filter(|(_, manifest)| manifest.uses.contains_key(role.name()))
}

impl Discovery {
    /// Returns the first usable plugin with this name, and the files that were refused before it.
    pub fn by_name(&self, name: &PluginName) -> Named {
        let mut refused = Vec::new();
        let file_name = name.file();
        let host = self.trust.host.as_ref().map(HostFile::folder);
        let places = match (name.as_str(), host) {
            (MANAGER, Some(host)) => std::slice::from_ref(host),
            (MANAGER, None) => &[],
            _ => self.folders.as_slice(),
        };
        let files = places.iter();
        for file in files.flat_map(|folder| program_files(folder, &file_name)) {
            // A dangling link is kept, because the user needs the reason why it is not run.
            if fs::symlink_metadata(&file).is_err() {
                continue;
            }
            match self.usable(name, &file) {
                Ok(plugin) => {
                    return Named {
                        plugin: Some(plugin),
                        refused,
                    };
                }
                Err(why) => refused.push((file, why)),
            }
        }
        Named {
            plugin: None,
            refused,
        }
    }

    fn usable(&self, name: &PluginName, file: &Path) -> Result<Plugin, Refused> {
        let plugin = inspect(name, file, self)?;
        let manifest = plugin.manifest.as_ref();
        let version = manifest.map_or("", |manifest| &manifest.version);
        if name.as_str() == MANAGER && version != VERSION && self.is_in_folder_of_host(file) {
            let reason = format!("it has version {version}, and bot-cli {VERSION}");
            return Err(Refused::with_remedy(
                reason,
                "install both from one release",
            ));
        }
        Ok(plugin)
    }

    fn is_in_folder_of_host(&self, file: &Path) -> bool {
        let host = self.trust.host.as_ref().map(HostFile::folder);
        let folder = file
            .parent()
            .and_then(|folder| fs::canonicalize(folder).ok());
        folder.is_some() && folder.as_ref() == host
    }

    /// Returns every file whose name marks it as a plugin, sorted by name and then by search order.
    pub fn all(&self) -> Vec<PluginFile> {
        let mut by_name: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for (name, file) in self.named_files() {
            // Other files with the prefix, such as a compiler's by-products, count only if they are executable.
            if PluginName::parse(&name).is_some() || executable(&file) {
                by_name.entry(name).or_default().push(file);
            }
        }
        let mut found = Vec::new();
        for (name, files) in by_name {
            let parsed = PluginName::parse(&name);
            let winner = parsed
                .as_ref()
                .filter(|_| !RESERVED.contains(&name.as_str()))
                .and_then(|name| self.by_name(name).plugin);
            let mut is_listed = false;
            for file in files {
                let is_winner = winner
                    .as_ref()
                    .is_some_and(|winner| is_same_file(&winner.file, &file));
                if is_winner && std::mem::replace(&mut is_listed, true) {
                    continue;
                }
                let usable = parsed.as_ref().map(|name| self.usable(name, &file));
                let standing = match usable {
                    None => Standing::Misnamed,
                    Some(Err(refused)) => Standing::Unusable(refused),
                    Some(Ok(plugin)) if is_winner => Standing::Usable(Box::new(plugin)),
                    Some(Ok(_)) => Standing::Shadowed(winner.as_ref().map(|it| it.file.clone())),
                };
                found.push(PluginFile {
                    name: name.clone(),
                    file,
                    standing,
                });
            }
        }
        found
    }
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |file: &Path| {
        let facts = fs::metadata(file).ok()?;
        Some(files::id_of(file, &facts))
    };
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

impl Discovery {
    /// Returns the files named `bot-cli-NAME` in search order, each with its `NAME`.
    pub(super) fn named_files(&self) -> Vec<(String, PathBuf)> {
        let mut named = Vec::new();
        let mut seen = Vec::new();
        for folder in &self.folders {
            // A folder with two names is searched once.
            let id = fs::metadata(folder).map(|facts| files::id_of(folder, &facts));
            let Some(id) = id.ok().filter(|id| !seen.contains(id)) else {
                continue;
            };
            seen.push(id);
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let file_name = entry.file_name();
                let file_name = file_name.to_string_lossy();
                let program = program_name(&file_name);
                if let Some(name) = program.and_then(|program| program.strip_prefix(PREFIX)) {
                    named.push((name.to_owned(), entry.path()));
                }
            }
        }
        named
    }
}

fn executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|facts| facts.is_file() && files::is_executable(file, &facts))
}

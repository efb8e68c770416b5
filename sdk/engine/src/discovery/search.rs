//! Searches the folders for plugins.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::Discovery;
use super::added::{self, RECORD};
use super::found::{Found, Standing};
use super::inspect::{Plugin, inspect};
use super::name::{MANAGER, PREFIX, PluginName, RESERVED, SHIPPED};
use super::trust::HostFile;
use bot_cli_protocol::{Manifest, Role};

use crate::platform::files;
use crate::platform::folders::{program_files, program_name};
use crate::refused::Refused;

/// The host's version, which is also the version of this library.
const VERSION: &str = env!("CARGO_PKG_VERSION");

const MISNAMED: &str = "its name is not made of lower-case letters, digits and hyphens, 32 at most";
const ELSEWHERE: &str = "`plugin` is taken only from the folder of bot-cli itself";
const BUILT_IN: &str = "a built-in command of bot-cli comes first";

/// The plugin that a name resolves to, and the files that were refused during the search.
#[derive(Debug, Clone, Default)]
pub struct Named {
    /// The plugin, if any file is usable.
    pub plugin: Option<Plugin>,
    /// The files that were found before the plugin but are not run, with the reasons.
    pub refused: Vec<(PathBuf, Refused)>,
}

/// Returns the plugins among `found` that use plugins with this `role`, together with their own manifests.
pub fn users_of<'a>(
    role: &'a Role,
    found: &'a [Found<Plugin>],
) -> impl Iterator<Item = (&'a Plugin, &'a Manifest)> {
    let usable = found.iter().filter_map(|found| match &found.standing {
        Standing::Used(plugin) => Some((plugin, plugin.manifest.as_ref()?)),
        Standing::Shadowed(_) | Standing::Refused(_) => None,
    });
    usable.filter(|(_, manifest)| manifest.uses.contains_key(role.name()))
}

impl Discovery {
    /// Returns the folders to search for the plugin `name`, in search order. A plugin in the data folder can't replace one that is
    /// released with the host, unless the user has forced it there.
    pub fn folders_of(&self, name: &str) -> &[PathBuf] {
        let host = self.trust.host.as_ref().map(HostFile::folder);
        match name {
            MANAGER => host.map_or(&[], std::slice::from_ref),
            name if SHIPPED.contains(&name) && !self.is_forced(name) => &self.released_folders,
            _ => &self.folders,
        }
    }

    /// Reports whether the user has forced the plugin `name` in the data folder. Reads the record only if the folder has such a file. A
    /// record that is unreadable or not trusted forces nothing.
    fn is_forced(&self, name: &str) -> bool {
        let Some(folder) = &self.own_plugins else {
            return false;
        };
        let file_name = format!("{PREFIX}{name}");
        let mut files = program_files(folder, &file_name);
        let record = folder.with_file_name(RECORD);
        files.any(|file| fs::symlink_metadata(file).is_ok())
            && self.trust.check_data(&record, &record).is_ok()
            && added::read(&record).is_ok_and(|entries| {
                let mut entries = entries.iter();
                entries.any(|entry| entry.name == name && entry.forced)
            })
    }

    /// Reports whether a file at `one` precedes a file at `other`, if the user has forced it or its name is not that of a plugin that is
    /// released with the host.
    pub fn precedes(&self, one: &Path, other: &Path) -> bool {
        let at = |file: &Path| rank(&self.folders, file);
        at(one) < at(other)
    }

    /// Returns the first usable plugin with this name, and the files that were refused before it.
    pub fn by_name(&self, name: &PluginName) -> Named {
        let mut named = Named::default();
        let file_name = name.file();
        let files = self.folders_of(name.as_str()).iter();
        for file in files.flat_map(|folder| program_files(folder, &file_name)) {
            // A dangling link is kept, because the user needs the reason why it is not run.
            if fs::symlink_metadata(&file).is_err() {
                continue;
            }
            match self.usable(name, &file) {
                Ok(plugin) => {
                    named.plugin = Some(plugin);
                    break;
                }
                Err(why) => named.refused.push((file, why)),
            }
        }
        named
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
    pub fn all(&self) -> Vec<Found<Plugin>> {
        let mut by_name: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for (name, file) in self.named_files() {
            // Other files with the prefix, such as a compiler's by-products, count only if they are executable.
            if PluginName::parse(&name).is_some() || executable(&file) {
                by_name.entry(name).or_default().push(file);
            }
        }
        let mut found = Vec::new();
        for (name, mut files) in by_name {
            let folders = self.folders_of(&name);
            files.sort_by_key(|file| rank(folders, file));
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
                let usable = match &parsed {
                    Some(name) => self.usable(name, &file),
                    None => Err(Refused::new(MISNAMED, None)),
                };
                let standing = match (usable, &winner) {
                    (Err(refused), _) => Standing::Refused(refused),
                    (Ok(plugin), _) if is_winner => Standing::Used(plugin),
                    (Ok(_), Some(winner)) => Standing::shadowed_by(&winner.file),
                    (Ok(_), None) if name == MANAGER => Standing::shadowed(ELSEWHERE),
                    (Ok(_), None) => Standing::shadowed(BUILT_IN),
                };
                found.push(Found {
                    name: name.clone(),
                    place: file,
                    standing,
                });
            }
        }
        found
    }
}

/// Returns the position of the file's folder among `folders`, or the highest number for any other folder.
fn rank(folders: &[PathBuf], file: &Path) -> usize {
    let mut folders = folders.iter();
    let position = folders.position(|folder| Some(&**folder) == file.parent());
    position.unwrap_or(usize::MAX)
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

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::super::{Discovery, PluginName, user};
    use bot_cli_protocol::HOST;

    const PLACES: [&str; 4] = ["extra", "data/bot-cli/plugins", "host", "path"];

    /// Creates the discovery settings of a plugin that a host in `root` started.
    fn discovery(root: &Path) -> Discovery {
        let variable = |name: &str| {
            let place = match name {
                "BOT_CLI_PLUGIN_PATH" => "extra",
                "XDG_DATA_HOME" => "data",
                "PATH" => "path",
                HOST => "host/bot-cli",
                _ => return None,
            };
            Some(OsString::from(root.join(place)))
        };
        Discovery::of_plugin(None, variable, user())
    }

    fn put(root: &Path, place: &str, name: &str) {
        let file = root.join(place).join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let plugin = name.replace("bot-cli-", "");
        let manifest = format!(r#"{{"protocol":"1.0","name":"{plugin}","version":"{place}"}}"#);
        fs::write(&file, format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\n")).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
    }

    /// Returns the places from which a plugin is taken, if the first of them is removed again and again. Asserts that the listing agrees.
    fn order(root: &Path, name: &str) -> Vec<String> {
        for place in PLACES {
            put(root, place, &format!("bot-cli-{name}"));
        }
        put(root, "host", "bot-cli");
        let discovery = discovery(root);
        let parsed = PluginName::parse(name).unwrap();
        let listed: Vec<_> = { discovery.all().into_iter() }
            .filter(|found| found.name == name)
            .map(|found| found.place)
            .collect();
        let mut order = Vec::new();
        while let Some(plugin) = discovery.by_name(&parsed).plugin {
            assert_eq!(plugin.file, listed[order.len()]);
            fs::remove_file(plugin.file).unwrap();
            order.push(plugin.manifest.unwrap().version);
        }
        order
    }

    #[test]
    fn a_released_plugin_is_taken_from_the_folder_of_the_host_before_the_data_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = &folder.path().canonicalize().unwrap();
        let [extra, data, host, path] = PLACES;
        assert_eq!(order(root, "hello"), [extra, data, host, path]);
        for name in ["init", "dev", "cloud"] {
            assert_eq!(order(root, name), [extra, host, path, data]);
        }
    }

    #[test]
    fn a_released_plugin_is_replaced_only_by_a_readable_and_trusted_record() {
        let folder = tempfile::tempdir().unwrap();
        let root = &folder.path().canonicalize().unwrap();
        let [extra, data, host, path] = PLACES;
        let (forced, released) = ([extra, data, host, path], [extra, host, path, data]);
        fs::create_dir_all(root.join("data/bot-cli")).unwrap();
        let entry = |name: &str, forced: &str| {
            format!(
                "version = 1\n[[plugin]]\nname = \"{name}\"\nrole = \"command\"\nform = \"file\"\nfrom = \"/x\"\nsha256 = \"\"\n{forced}\n"
            )
        };
        let force = "forced = true";
        for (text, mode, expected) in [
            (entry("cloud", force), 0o644, forced),
            (entry("cloud", ""), 0o644, released),
            (entry("cloud", "forced = false"), 0o644, released),
            (entry("init", force), 0o644, released),
            (entry("cloud", force), 0o666, released),
            (entry("cloud", "forced = 1"), 0o644, released),
            (entry("cloud", force).replace("= 1", "= 2"), 0o644, released),
            ("x".to_owned(), 0o644, released),
        ] {
            let record = root.join("data/bot-cli/plugins.lock");
            fs::write(&record, &text).unwrap();
            fs::set_permissions(&record, Permissions::from_mode(mode)).unwrap();
            assert_eq!(order(root, "cloud"), expected, "{text}");
        }
    }
}

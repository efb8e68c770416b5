//! Searches the folders for plugins.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use super::Discovery;
use super::added::{self, RECORD};
use super::found::{Found, Standing};
use super::inspect::{Plugin, inspect};
use super::listing::{Listing, existing_files};
use super::name::{MANAGER, PREFIX, PluginName, RESERVED, SHIPPED};
use super::role::is_name;
use super::trust::{Folders, HostFile};
use bot_cli_protocol::{Manifest, Role};

use crate::platform::files;
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
        let mut files = existing_files(folder, &file_name);
        let record = folder.with_file_name(RECORD);
        let folders = Folders::default();
        files.next().is_some()
            && self.trust.check_data(&record, &record, &folders).is_ok()
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

    /// Starts a search, which finds the files that exist now.
    pub fn search(&self) -> Search<'_> {
        Search {
            discovery: self,
            folders: Folders::default(),
            inspected: RefCell::default(),
            listing: OnceCell::new(),
        }
    }

    /// Returns the first usable plugin with this name, and the files that were refused before it.
    pub fn by_name(&self, name: &PluginName) -> Named {
        let file_name = name.file();
        let folders = self.folders_of(name.as_str()).iter();
        let files = folders.flat_map(|folder| existing_files(folder, &file_name));
        self.search().first_usable(name, files)
    }

    /// Returns every file whose name marks it as a plugin, sorted by name and then by search order.
    pub fn all(&self) -> Vec<Found<Plugin>> {
        self.search().all()
    }

    fn is_in_folder_of_host(&self, file: &Path) -> bool {
        let host = self.trust.host.as_ref().map(HostFile::folder);
        let folder = file
            .parent()
            .and_then(|folder| fs::canonicalize(folder).ok());
        folder.is_some() && folder.as_ref() == host
    }
}

/// A search for plugins. Reads each folder once and inspects each file once, however much it is asked.
#[derive(Debug)]
pub struct Search<'a> {
    /// The folders and settings.
    pub discovery: &'a Discovery,
    folders: Folders,
    inspected: RefCell<HashMap<PathBuf, Result<Plugin, Refused>>>,
    listing: OnceCell<Listing>,
}

impl Search<'_> {
    /// Returns every file whose name marks it as a plugin, sorted by name and then by search order.
    pub fn all(&self) -> Vec<Found<Plugin>> {
        let listing = self.listing();
        let mut all = Vec::new();
        for (name, files) in &listing.by_name {
            let mut files = files.clone();
            let parsed = PluginName::parse(name);
            let mut eligible = files.len();
            match name.as_str() {
                name if RESERVED.contains(&name) => eligible = 0,
                name if SHIPPED.contains(&name) => {
                    let folders = self.discovery.folders_of(name);
                    files.sort_by_key(|file| rank(folders, file));
                    eligible = files.partition_point(|file| rank(folders, file) < usize::MAX);
                }
                // Other files with the prefix, such as a compiler's by-products, count only if they are executable.
                _ if parsed.is_none() => files.retain(|file| executable(file)),
                _ => {}
            }
            let mut files = files.into_iter();
            let named = parsed.as_ref().map_or_else(Named::default, |name| {
                self.first_usable(name, files.by_ref().take(eligible))
            });
            let mut add = |place, standing| {
                let name = name.clone();
                all.push(Found {
                    name,
                    place,
                    standing,
                });
            };
            for (file, why) in named.refused {
                if !listing.is_repeated(&file) {
                    add(file, Standing::Refused(why));
                }
            }
            let winner = named.plugin.map(|plugin| {
                let winner = plugin.file.clone();
                add(winner.clone(), Standing::Used(plugin));
                winner
            });
            for file in files.filter(|file| !listing.is_repeated(file)) {
                if winner
                    .as_ref()
                    .is_none_or(|winner| !is_same_file(winner, &file))
                {
                    let standing = self.unused(parsed.as_ref(), &file, winner.as_deref());
                    add(file, standing);
                }
            }
        }
        all
    }

    /// Returns the files whose names start with `bot-cli-` and `prefix`, grouped by the rest of the name. Each group is sorted by search
    /// order.
    pub fn named(&self, prefix: &str) -> BTreeMap<String, Vec<PathBuf>> {
        let listing = self.listing();
        let named = listing.by_name.iter().filter_map(|(full, files)| {
            // A file with an invalid name is not a plugin.
            let name = full.strip_prefix(prefix)?;
            let is_plugin = is_name(name) || PluginName::parse(full).is_some();
            let files = files.iter().filter(|file| !listing.is_repeated(file));
            is_plugin.then(|| (name.to_owned(), files.cloned().collect()))
        });
        named.collect()
    }

    /// Checks the file of the plugin `name` and reads the file's manifest.
    pub fn inspect(&self, name: &PluginName, file: &Path) -> Result<Plugin, Refused> {
        if let Some(known) = self.inspected.borrow().get(file) {
            return known.clone();
        }
        let inspected = inspect(name, file, self.discovery, &self.folders);
        let mut known = self.inspected.borrow_mut();
        known.insert(file.to_owned(), inspected.clone());
        inspected
    }

    /// Checks `file` as [`Trust::check_data`](super::Trust::check_data) does.
    pub fn check_data(&self, file: &Path, plugin: &Path) -> Result<(), Refused> {
        let trust = &self.discovery.trust;
        trust.check_data(file, plugin, &self.folders).map(drop)
    }

    fn listing(&self) -> &Listing {
        let folders = &self.discovery.folders;
        self.listing.get_or_init(|| Listing::read(folders))
    }

    /// Takes `files`, which are in search order, up to the first usable one.
    fn first_usable(&self, name: &PluginName, files: impl Iterator<Item = PathBuf>) -> Named {
        let mut named = Named::default();
        for file in files {
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
        let plugin = self.inspect(name, file)?;
        let manifest = plugin.manifest.as_ref();
        let version = manifest.map_or("", |manifest| &manifest.version);
        let is_manager = name.as_str() == MANAGER;
        if is_manager && version != VERSION && self.discovery.is_in_folder_of_host(file) {
            let reason = format!("it has version {version}, and bot-cli {VERSION}");
            return Err(Refused::with_remedy(
                reason,
                "install both from one release",
            ));
        }
        Ok(plugin)
    }

    /// Returns the status of a file that its name does not resolve to.
    fn unused(
        &self,
        name: Option<&PluginName>,
        file: &Path,
        winner: Option<&Path>,
    ) -> Standing<Plugin> {
        let misnamed = || Err(Refused::new(MISNAMED, None));
        match (
            name.map_or_else(misnamed, |name| self.usable(name, file)),
            winner,
        ) {
            (Err(refused), _) => Standing::Refused(refused),
            (Ok(_), Some(winner)) => Standing::shadowed_by(winner),
            (Ok(plugin), None) if plugin.name.as_str() == MANAGER => Standing::shadowed(ELSEWHERE),
            (Ok(_), None) => Standing::shadowed(BUILT_IN),
        }
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

fn executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|facts| facts.is_file() && files::is_executable(file, &facts))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::super::{Discovery, PluginName, user};
    use bot_cli_protocol::HOST;

    const PLACES: [&str; 4] = ["extra", "data/bot-cli/plugins", "host", "path"];
    const NAMES: [&str; 3] = ["hello", "init", "secrets-x"];

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
    fn each_folder_and_each_file_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let root = &folder.path().canonicalize().unwrap();
        for (place, name) in PLACES
            .iter()
            .flat_map(|place| NAMES.map(|name| (place, name)))
        {
            put(root, place, &format!("bot-cli-{name}"));
        }
        put(root, "host", "bot-cli");
        let discovery = discovery(root);
        let search = discovery.search();
        let told = || format!("{:?} {:?}", search.all(), search.backends(None, &[]));
        let first = told();
        assert_eq!(search.inspected.borrow().len(), PLACES.len() * NAMES.len());
        for place in PLACES {
            fs::remove_dir_all(root.join(place)).unwrap();
        }
        assert_eq!(told(), first);
        assert!(discovery.all().is_empty());
    }

    #[test]
    fn a_listing_agrees_with_what_is_run_from_folders_of_two_names_and_without_a_list() {
        let folder = tempfile::tempdir().unwrap();
        let root = &folder.path().canonicalize().unwrap();
        for name in NAMES {
            put(root, "path", &format!("bot-cli-{name}"));
        }
        put(root, "host", "bot-cli-hello");
        put(root, "host", "bot-cli");
        let mode = |place: &str, mode| {
            fs::set_permissions(root.join(place), Permissions::from_mode(mode)).unwrap();
        };
        // Others can change the first name of the folder `path`.
        fs::create_dir(root.join("open")).unwrap();
        symlink(root.join("path"), root.join("open/path")).unwrap();
        mode("open", 0o777);
        // Only root can list the folder of the host.
        mode("host", 0o311);
        let mut discovery = discovery(root);
        for folders in [&mut discovery.folders, &mut discovery.released_folders] {
            folders.insert(0, root.join("open/path"));
        }
        let all = discovery.all();
        for name in NAMES {
            let run = discovery.by_name(&PluginName::parse(name).unwrap());
            let named = all.iter().filter(|found| found.name == name);
            let places: Vec<_> = named.map(|it| (&it.place, it.standing.unused())).collect();
            let (file, why) = &run.refused[0];
            let plugin = run.plugin.unwrap().file;
            assert_eq!(
                places[..2],
                [(file, Some(("refused", why))), (&plugin, None)]
            );
        }
        mode("host", 0o755);
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

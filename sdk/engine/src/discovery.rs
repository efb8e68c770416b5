//! Finds plugins: searches folders for plugin files, reads their manifests, and decides which of the files may run.
//!
//! Discovery starts no processes and reads no environment variables. The caller passes the environment in.

pub mod added;
mod backends;
pub mod cache;
mod found;
pub mod inspect;
mod listing;
mod name;
pub mod role;
mod search;
pub mod trust;

use std::collections::HashSet;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::driver::Nesting;
use crate::platform::folders;
pub use crate::platform::trust::{UserId, user};
use bot_cli_protocol::HOST;
pub use found::{Found, Standing};
pub use inspect::Plugin;
pub use name::{BACKEND_PREFIX, MANAGER, PACK_PREFIX, PREFIX, PluginName, RESERVED, SHIPPED};
pub use role::{Refused, is_name as is_role_name};
pub use search::{Named, Search, users_of};
pub use trust::{Folders, HostFile, Trust};

/// The folders to search for plugins, and the settings for checking the files.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// The plugin folders, in search order.
    pub folders: Vec<PathBuf>,
    /// The same folders in the search order for plugins that are released with the host.
    pub released_folders: Vec<PathBuf>,
    /// The folder for the user's own plugins. The folder `packs` for packs that are folders is next to it.
    pub own_plugins: Option<PathBuf>,
    /// The folder in which the manifests of executables are cached.
    pub cache: Option<PathBuf>,
    /// The user and the host, which decide whether a file is trusted.
    pub trust: Trust,
    /// The position of this process among nested hosts.
    pub nesting: Nesting,
}

impl Discovery {
    /// Creates the discovery settings for `user` and the host executable `host`. Uses `variable` to look up environment variables.
    pub fn new(
        host: Option<PathBuf>,
        variable: impl Fn(&str) -> Option<OsString>,
        user: UserId,
    ) -> Self {
        let mut nesting = Nesting::read(&variable);
        nesting.host.clone_from(&host);
        let host_file = host.as_deref().and_then(HostFile::find);
        let [folders, released_folders] = search_paths(host, &variable);
        Self {
            trust: Trust {
                user,
                host: host_file,
            },
            folders,
            released_folders,
            own_plugins: own_plugins(&variable),
            nesting,
            cache: folders::cache(&variable).map(|cache| cache.join("bot-cli").join("manifests")),
        }
    }

    /// Returns the discovery settings of the plugin that this process is.
    pub fn here() -> Self {
        Self::of_plugin(env::current_exe().ok(), |name| env::var_os(name), user())
    }

    /// Creates the discovery settings for a plugin that uses other plugins. The plugin searches the same folders as the host that started
    /// it. If a user started the plugin directly, the plugin's executable `own` replaces the host.
    pub fn of_plugin(
        own: Option<PathBuf>,
        variable: impl Fn(&str) -> Option<OsString>,
        user: UserId,
    ) -> Self {
        let host = variable(HOST).map(PathBuf::from);
        let host = host.filter(|host| host.is_absolute());
        Self::new(host.or(own), variable, user)
    }
}

/// Returns the folders to search: for most plugins, and for those that are released with the host. Omits relative folders, so that a plugin
/// in the working folder never runs by accident.
fn search_paths(
    host: Option<PathBuf>,
    variable: &impl Fn(&str) -> Option<OsString>,
) -> [Vec<PathBuf>; 2] {
    // If the host is a link, its folder and the folder of its target are both searched.
    let real = host.as_ref().and_then(|host| host.canonicalize().ok());
    let own = [host, real].into_iter().flatten();
    let own: Vec<PathBuf> = own
        .filter_map(|host| host.parent().map(PathBuf::from))
        .collect();
    let data: Vec<PathBuf> = own_plugins(variable).into_iter().collect();
    let [first, last] = ["BOT_CLI_PLUGIN_PATH", "PATH"].map(|name| -> Vec<PathBuf> {
        std::env::split_paths(&variable(name).unwrap_or_default()).collect()
    });
    // The user's folder precedes the host's, so that a plugin can be updated without write access to the host's folder. A
    // third-party plugin must not replace one of the host's own plugins.
    [[&first, &data, &own, &last], [&first, &own, &last, &data]].map(|groups| {
        let mut seen = HashSet::new();
        let folders = groups.into_iter().flatten();
        let folders = folders.filter(|folder| folder.is_absolute() && seen.insert(*folder));
        folders.cloned().collect()
    })
}

fn own_plugins(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    folders::data(variable).map(|data| data.join("bot-cli").join("plugins"))
}

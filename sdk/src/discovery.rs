//! Finds plugins: the folders they may be in, the files that are named like one, what a file declares, and whether it may
//! be run.
//!
//! Nothing is started to find it out, and no variable is read: who calls passes the surroundings in.

mod backends;
mod cache;
mod dynamic;
mod inspect;
mod name;
mod packs;
mod role;
mod search;
#[cfg(test)]
mod tests;
mod trust;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::driver::Nesting;
use crate::protocol::HOST;
pub use backends::{BACKEND_PREFIX, BackendStanding, FoundBackend};
pub use dynamic::Reach;
pub use inspect::{Plugin, Unusable};
pub use name::{PREFIX, PluginName};
pub use packs::{Form, FoundPack, PackStanding};
pub use role::{Refused, is_name as is_role_name};
pub use search::{Named, PluginFile, Standing};
pub use trust::{HostFile, Refusal, Trust};

/// The folders in which plugins are looked for, and the user who wants to run them.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// The folders, in the order of search.
    pub folders: Vec<PathBuf>,
    /// The folder for plugins that are the user's own.
    pub own_plugins: Option<PathBuf>,
    /// The folders of packs that are folders, in the order of search.
    pub pack_folders: Vec<PathBuf>,
    /// The folder that keeps what executables declare.
    pub cache: Option<PathBuf>,
    /// The user who is to trust them.
    pub trust: Trust,
    /// The launch of plugins: their place among hosts.
    pub nesting: Nesting,
}

impl Discovery {
    /// The places for the host whose executable is `host`, with the variables of its environment, for `user`.
    pub fn new(
        host: Option<PathBuf>,
        variable: impl Fn(&str) -> Option<OsString>,
        user: u32,
    ) -> Self {
        let mut nesting = Nesting::read(&variable);
        nesting.host.clone_from(&host);
        Self {
            trust: Trust {
                user,
                host: host.as_deref().and_then(HostFile::find),
            },
            folders: folders(host, &variable),
            own_plugins: own_plugins(&variable),
            pack_folders: home(&variable, "XDG_DATA_HOME", ".local/share")
                .map(|home| home.join("bot-cli/packs"))
                .into_iter()
                .collect(),
            nesting,
            cache: home(&variable, "XDG_CACHE_HOME", ".cache")
                .map(|home| home.join("bot-cli/manifests")),
        }
    }
}

impl Discovery {
    /// The places for a plugin that uses others: those of the host that started it, or those of a host in the place of `own`, its
    /// own executable, where it was started by hand.
    pub fn of_plugin(
        own: Option<PathBuf>,
        variable: impl Fn(&str) -> Option<OsString>,
        user: u32,
    ) -> Self {
        let host = variable(HOST).map(PathBuf::from);
        let host = host.filter(|host| host.is_absolute());
        Self::new(host.or(own), variable, user)
    }
}

/// Relative folders are left out: a plugin in the working folder is never run by accident.
fn folders(host: Option<PathBuf>, variable: &impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let own = host.and_then(|host| host.parent().map(PathBuf::from));
    let data = own_plugins(variable);
    let listed = |name: &str| -> Vec<PathBuf> {
        std::env::split_paths(&variable(name).unwrap_or_default()).collect()
    };
    let mut folders: Vec<PathBuf> = Vec::new();
    // A user can update a plugin alone, without any rights where the host is.
    for folder in listed("BOT_CLI_PLUGIN_PATH")
        .into_iter()
        .chain(data)
        .chain(own)
        .chain(listed("PATH"))
    {
        if folder.is_absolute() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

fn own_plugins(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    home(variable, "XDG_DATA_HOME", ".local/share").map(|home| home.join("bot-cli/plugins"))
}

/// The folder of `name`, as the XDG base directory specification wants it: absolute, or else below the user's home.
fn home(
    variable: &impl Fn(&str) -> Option<OsString>,
    name: &str,
    below: impl AsRef<OsStr>,
) -> Option<PathBuf> {
    let absolute = |name: &str| {
        variable(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute(name).or_else(|| Some(absolute("HOME")?.join(below.as_ref())))
}

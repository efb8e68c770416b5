//! Finds plugins: the folders they may be in, the files that are named like one, what a file declares, and whether it may
//! be run.
//!
//! Nothing is started to find it out, and no variable is read: who calls passes the surroundings in.

mod backends;
pub mod cache;
pub mod inspect;
mod name;
pub mod role;
mod search;
pub mod trust;

use std::ffi::OsString;
use std::path::PathBuf;

use crate::driver::Nesting;
use crate::platform::folders::{self, Endings};
pub use crate::platform::trust::{UserId, user};
pub use backends::{BACKEND_PREFIX, BackendStanding, FoundBackend};
use bot_cli_protocol::HOST;
pub use inspect::{Plugin, Unusable};
pub use name::{PREFIX, PluginName};
pub use role::{Refused, is_name as is_role_name};
pub use search::{MANAGER, Named, PluginFile, RESERVED, SHIPPED, Standing, users_of};
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
    /// The endings of programs' files.
    pub endings: Endings,
}

impl Discovery {
    /// The places for the host whose executable is `host`, with the variables of its environment, for `user`.
    pub fn new(
        host: Option<PathBuf>,
        variable: impl Fn(&str) -> Option<OsString>,
        user: UserId,
    ) -> Self {
        let mut nesting = Nesting::read(&variable);
        nesting.host.clone_from(&host);
        Self {
            trust: Trust {
                user,
                host: host.as_deref().and_then(HostFile::find),
            },
            folders: search_path(host, &variable),
            own_plugins: own_plugins(&variable),
            endings: Endings::read(&variable),
            pack_folders: folders::data(&variable)
                .map(|data| data.join("bot-cli").join("packs"))
                .into_iter()
                .collect(),
            nesting,
            cache: folders::cache(&variable).map(|cache| cache.join("bot-cli").join("manifests")),
        }
    }

    /// The places for a plugin that uses others: those of the host that started it, or those of a host in the place of `own`, its
    /// own executable, where it was started by hand.
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

/// Relative folders are left out: a plugin in the working folder is never run by accident.
fn search_path(
    host: Option<PathBuf>,
    variable: &impl Fn(&str) -> Option<OsString>,
) -> Vec<PathBuf> {
    // Of a link to the host, the folder of the link and that of the host itself.
    let real = host.as_ref().and_then(|host| host.canonicalize().ok());
    let own = [host, real].into_iter().flatten();
    let own = own.filter_map(|host| host.parent().map(PathBuf::from));
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
    folders::data(variable).map(|data| data.join("bot-cli").join("plugins"))
}

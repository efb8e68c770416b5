//! Everything the host takes from its surroundings, read once.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use bot_cli_sdk::protocol::DEPTH;
use bot_cli_sdk::terminal::Look;

/// What the host takes from its surroundings.
#[derive(Debug)]
pub struct Environment {
    /// The words after the program's name.
    pub arguments: Vec<OsString>,
    /// The working folder; `None` when it is gone.
    pub cwd: Option<PathBuf>,
    /// Where plugins are looked for, in this order.
    pub folders: Vec<PathBuf>,
    /// Where manifests are kept.
    pub cache: Option<PathBuf>,
    /// How many hosts stand above this one.
    pub depth: u32,
    /// The user.
    pub user: u32,
    /// The terminal.
    pub look: Look,
}

impl Environment {
    /// Reads the surroundings of this process.
    pub fn read() -> Self {
        Self {
            arguments: env::args_os().skip(1).collect(),
            cwd: env::current_dir().ok(),
            folders: folders(),
            cache: home("XDG_CACHE_HOME", ".cache").map(|home| home.join("bot-cli/manifests")),
            depth: env::var(DEPTH)
                .ok()
                .and_then(|depth| depth.parse().ok())
                .unwrap_or(0),
            user: rustix::process::geteuid().as_raw(),
            look: Look::detect(),
        }
    }
}

/// Relative folders are left out: a plugin in the working folder is never run by accident.
fn folders() -> Vec<PathBuf> {
    let own = env::current_exe()
        .ok()
        .and_then(|host| host.parent().map(PathBuf::from));
    let data = home("XDG_DATA_HOME", ".local/share").map(|home| home.join("bot-cli/plugins"));
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in own
        .into_iter()
        .chain(listed("BOT_CLI_PLUGIN_PATH"))
        .chain(data)
        .chain(listed("PATH"))
    {
        if folder.is_absolute() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

fn listed(variable: &str) -> Vec<PathBuf> {
    env::split_paths(&env::var_os(variable).unwrap_or_default()).collect()
}

/// The folder of `variable`, as the XDG base directory specification wants it: absolute, or else below the user's home.
fn home(variable: &str, below: impl AsRef<OsStr>) -> Option<PathBuf> {
    let absolute = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute(variable).or_else(|| Some(absolute("HOME")?.join(below.as_ref())))
}

//! Everything the host takes from its surroundings, read once.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use bot_cli_engine::discovery::{self, Discovery};
use bot_cli_protocol::DEPTH;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_terminal::{Look, Terminal, Verbosity};

use crate::arguments::{Color, Options};

/// The host's surroundings: arguments, folders, terminal.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The words after the program's name.
    pub arguments: Vec<OsString>,
    /// The working folder; `None` when it is gone.
    pub cwd: Option<PathBuf>,
    /// The host's own executable.
    pub host: Option<PathBuf>,
    /// The folders in which plugins are looked for.
    pub discovery: Discovery,
    /// The number of hosts that stand above this one.
    pub depth: u32,
    /// The terminal.
    pub look: Look,
    /// Whether the user wants colors, if an option says so.
    pub color: Option<bool>,
    /// The folders in which shells look for completions.
    pub completions: ShellFolders,
}

impl Environment {
    /// Reads the surroundings of this process.
    pub fn read() -> Self {
        let host = env::current_exe().ok();
        Self {
            arguments: env::args_os().skip(1).collect(),
            cwd: env::current_dir().ok(),
            discovery: Discovery::new(host.clone(), |name| env::var_os(name), discovery::user()),
            host,
            depth: env::var(DEPTH)
                .ok()
                .and_then(|depth| depth.parse().ok())
                .unwrap_or(0),
            look: Look::detect(),
            color: None,
            completions: ShellFolders::read(|name| env::var_os(name)),
        }
    }

    /// Makes the surroundings what the options before a plugin's name want. The working folder is the process's own.
    pub fn change(&mut self, options: &Options) -> Result<(), Failure> {
        if let Some(folder) = &options.folder {
            let could_not = format!("could not change to `{}`", folder.display());
            env::set_current_dir(folder)
                .map_err(|error| Failure::because(Exit::Usage, "no_folder", could_not, error))?;
            self.cwd = env::current_dir().ok();
        }
        let color = match options.color {
            Color::Auto => return Ok(()),
            Color::Always => true,
            Color::Never => false,
        };
        self.look.stdout_color = color;
        self.look.stderr_color = color;
        self.color = Some(color);
        Ok(())
    }

    /// Returns the terminal as `options` want it.
    pub fn terminal(&self, options: &Options) -> Terminal {
        let verbosity = Verbosity::new(options.quiet, options.verbose);
        Terminal::new(self.look, verbosity, options.format())
    }
}

/// The folders of the user in which shells look.
#[derive(Debug, Clone, Default)]
pub struct ShellFolders {
    /// `~/.local/share`.
    pub data: Option<PathBuf>,
    /// `~/.config`.
    pub config: Option<PathBuf>,
    /// The folder of bash-completion.
    pub bash: Option<PathBuf>,
    /// `PATH`.
    pub programs: OsString,
}

impl ShellFolders {
    /// Reads the folders from the variables of the environment.
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let absolute = |name: &str| {
            variable(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let home = |below: &str| absolute("HOME").map(|home| home.join(below));
        let data = absolute("XDG_DATA_HOME").or_else(|| home(".local/share"));
        let bash = absolute("BASH_COMPLETION_USER_DIR")
            .or_else(|| Some(data.as_ref()?.join("bash-completion")));
        Self {
            bash,
            data,
            config: absolute("XDG_CONFIG_HOME").or_else(|| home(".config")),
            programs: variable("PATH").unwrap_or_default(),
        }
    }
}

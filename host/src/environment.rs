//! The host's environment, read once at startup.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use bot_cli_engine::discovery::{self, Discovery};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_terminal::{Look, Terminal, Verbosity};

use crate::arguments::{Color, Options};

#[derive(Debug, Clone)]
pub struct Environment {
    /// The arguments after the program's name.
    pub arguments: Vec<OsString>,
    /// The current folder, or `None` if it no longer exists.
    pub cwd: Option<PathBuf>,
    pub discovery: Discovery,
    pub look: Look,
    /// Whether plugins use colors, or `None` for `--color=auto`, the default.
    pub color: Option<bool>,
}

impl Environment {
    pub fn read() -> Self {
        let host = env::current_exe().ok();
        Self {
            arguments: env::args_os().skip(1).collect(),
            cwd: env::current_dir().ok(),
            discovery: Discovery::new(host, |name| env::var_os(name), discovery::user()),
            look: Look::detect(),
            color: None,
        }
    }

    /// Applies the options `--color` and `-C`. `-C` changes the current folder of this process.
    pub fn change(&mut self, options: &Options) -> Result<(), Failure> {
        if let Some(folder) = &options.folder {
            let could_not = format!("could not change to `{}`", folder.display());
            env::set_current_dir(folder)
                .map_err(|error| Failure::because(Exit::Usage, "no_folder", could_not, error))?;
            self.cwd = env::current_dir().ok();
        }
        self.color = match options.color {
            Color::Auto => return Ok(()),
            Color::Always => Some(true),
            Color::Never => Some(false),
        };
        self.look.stdout_color = options.color == Color::Always;
        self.look.stderr_color = self.look.stdout_color;
        Ok(())
    }

    pub fn terminal(&self, options: &Options) -> Terminal {
        let verbosity = Verbosity::new(options.quiet, options.verbose);
        Terminal::new(self.look, verbosity, options.json.0)
    }
}

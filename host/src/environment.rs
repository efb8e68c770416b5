//! The host's environment, read once at startup.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use bot_cli_engine::discovery::{self, Discovery};
use bot_cli_terminal::{Look, Terminal, Verbosity};

use crate::arguments::Options;

#[derive(Debug, Clone)]
pub struct Environment {
    /// The arguments after the program's name.
    pub arguments: Vec<OsString>,
    /// The current folder, or `None` if it no longer exists.
    pub cwd: Option<PathBuf>,
    pub discovery: Discovery,
    pub look: Look,
}

impl Environment {
    pub fn read() -> Self {
        let host = env::current_exe().ok();
        Self {
            arguments: env::args_os().skip(1).collect(),
            cwd: env::current_dir().ok(),
            discovery: Discovery::new(host, |name| env::var_os(name), discovery::user()),
            look: Look::detect(),
        }
    }

    pub fn terminal(&self, options: &Options) -> Terminal {
        let verbosity = Verbosity::new(options.quiet, options.verbose);
        Terminal::new(self.look, verbosity, options.format())
    }
}

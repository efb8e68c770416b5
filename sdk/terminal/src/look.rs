//! The properties of the terminal, and how much is shown.

use std::io::{IsTerminal, stderr, stdout};

use anstream::{AutoStream, ColorChoice};

use crate::platform::{input, output};
use bot_cli_protocol::Level;

/// The environment variable that sets the style of prompts: `plain` or `rich`.
pub const PROMPTS: &str = "BOT_CLI_PROMPTS";

/// The properties of the standard streams, and the style of prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Look {
    /// Whether the user can answer prompts.
    pub interactive: bool,
    /// Whether standard error is a terminal that can redraw a line.
    pub stderr_terminal: bool,
    /// Whether standard output is a terminal.
    pub stdout_terminal: bool,
    /// Whether standard output may contain colors.
    pub stdout_color: bool,
    /// Whether standard error may contain colors.
    pub stderr_color: bool,
    /// The terminal's width in columns.
    pub width: usize,
    /// The style of prompts.
    pub prompts: Prompts,
}

/// The style of prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompts {
    /// Editable lines and lists, redrawn in place.
    Rich,
    /// Line-by-line output, for limited terminals and screen readers.
    Plain,
}

impl Look {
    /// Detects the properties of the standard streams. Reads the environment variables `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE`, `TERM` and
    /// `BOT_CLI_PROMPTS`.
    pub fn detect() -> Self {
        output::allow_colour();
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let wanted = std::env::var_os(PROMPTS);
        let prompts = match wanted.as_ref().and_then(|wanted| wanted.to_str()) {
            Some("rich") => Prompts::Rich,
            Some("plain") => Prompts::Plain,
            _ if dumb => Prompts::Plain,
            _ => Prompts::Rich,
        };
        Self {
            interactive: input::is_terminal() && stderr().is_terminal(),
            stdout_terminal: stdout().is_terminal(),
            stderr_terminal: stderr().is_terminal() && !dumb,
            stdout_color: AutoStream::choice(&stdout()) != ColorChoice::Never,
            stderr_color: AutoStream::choice(&stderr()) != ColorChoice::Never,
            width: columns(),
            prompts,
        }
    }
}

pub fn columns() -> usize {
    size().0
}

pub fn size() -> (usize, usize) {
    terminal_size::terminal_size().map_or((80, 24), |(width, height)| {
        (usize::from(width.0), usize::from(height.0))
    })
}

/// The amount of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verbosity {
    /// Only the result, warnings and errors.
    Quiet,
    /// The output of [`Quiet`](Verbosity::Quiet), plus notes, progress and next steps.
    #[default]
    Normal,
    /// The output of [`Normal`](Verbosity::Normal), plus details.
    Verbose,
    /// The output of [`Verbose`](Verbosity::Verbose), plus internal steps.
    Debug,
}

impl Verbosity {
    /// Returns the verbosity for `-q` and the number of `-v` options.
    pub fn new(quiet: bool, verbose: u8) -> Self {
        match (quiet, verbose) {
            (true, _) => Self::Quiet,
            (false, 0) => Self::Normal,
            (false, 1) => Self::Verbose,
            (false, _) => Self::Debug,
        }
    }

    /// Returns the equivalent number of `-v` options.
    pub fn count(self) -> u8 {
        match self {
            Self::Quiet | Self::Normal => 0,
            Self::Verbose => 1,
            Self::Debug => 2,
        }
    }

    /// Reports whether a log line of `level` is shown.
    pub fn shows(self, level: Level) -> bool {
        match level {
            Level::Warn => true,
            Level::Note => self != Self::Quiet,
            Level::Info => self.count() >= 1,
            Level::Debug => self.count() >= 2,
        }
    }
}

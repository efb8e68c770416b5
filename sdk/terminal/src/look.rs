//! What the terminal can show, found out once.

use std::io::{IsTerminal, stderr, stdout};

use anstream::{AutoStream, ColorChoice};

use crate::platform::{input, output};
use bot_cli_protocol::Level;

/// The way questions are asked: `plain` or `rich`.
pub const PROMPTS: &str = "BOT_CLI_PROMPTS";

/// The properties of the standard streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about the streams and the user's choices"
)]
pub struct Look {
    /// Whether a person can be asked.
    pub interactive: bool,
    /// Whether standard error is a terminal, where a line can be redrawn.
    pub stderr_terminal: bool,
    /// Whether standard output is a terminal.
    pub stdout_terminal: bool,
    /// Whether standard output may carry colour.
    pub stdout_color: bool,
    /// Whether standard error may carry colour.
    pub stderr_color: bool,
    /// Columns.
    pub width: usize,
    /// The way questions are asked.
    pub prompts: Prompts,
}

/// The way questions are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompts {
    /// Lines that are edited and lists to walk through, drawn again and again in their place.
    Rich,
    /// One line after the other: for terminals that can do no more, and for screen readers.
    Plain,
}

impl Look {
    /// Looks at this process's streams, and at `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE`, `TERM` and `BOT_CLI_PROMPTS`.
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

/// Columns of the terminal as it is now.
pub fn columns() -> usize {
    size().0
}

/// Columns and rows of the terminal as it is now.
pub fn size() -> (usize, usize) {
    terminal_size::terminal_size().map_or((80, 24), |(width, height)| {
        (usize::from(width.0), usize::from(height.0))
    })
}

/// The amount of output that the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verbosity {
    /// The result, warnings and errors.
    Quiet,
    /// Notes, progress and next steps too.
    #[default]
    Normal,
    /// Progress and details.
    Verbose,
    /// Internal steps, too.
    Debug,
}

impl Verbosity {
    /// Returns what `-q` and a number of `-v` mean.
    pub fn new(quiet: bool, verbose: u8) -> Self {
        match (quiet, verbose) {
            (true, _) => Self::Quiet,
            (false, 0) => Self::Normal,
            (false, 1) => Self::Verbose,
            (false, _) => Self::Debug,
        }
    }

    /// The number of `-v`.
    pub fn count(self) -> u8 {
        match self {
            Self::Quiet | Self::Normal => 0,
            Self::Verbose => 1,
            Self::Debug => 2,
        }
    }

    /// Whether a log line of `level` is shown.
    pub fn shows(self, level: Level) -> bool {
        match level {
            Level::Warn => true,
            Level::Note => self != Self::Quiet,
            Level::Info => self.count() >= 1,
            Level::Debug => self.count() >= 2,
        }
    }
}

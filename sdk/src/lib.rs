//! The bot-cli plugin protocol, and the library for writing and driving plugins.

pub mod cancel;
pub mod complete;
pub mod driver;
pub mod failure;
mod line;
pub mod outcome;
pub mod plugin;
pub mod protocol;
pub mod question;
pub mod secret;
pub mod session;
pub mod terminal;
pub mod ui;

/// The manifest that stands in the executable, where a host finds it without running anything.
///
/// The argument is a file beside the source that holds what `describe` answers.
#[macro_export]
macro_rules! manifest {
    ($file:literal) => {
        concat!("bot-cli-plugin: ", include_str!($file), "\n")
    };
}

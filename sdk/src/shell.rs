//! Words of commands that are shown to the user, as the user's shell reads them back.

pub use crate::platform::shell::quoted;

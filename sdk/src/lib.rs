//! The bot-cli plugin protocol, and the library for writing and driving plugins.

pub mod failure;
pub mod plugin;
pub mod question;
pub mod session;

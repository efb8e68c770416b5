//! The terminal and signals on Unix.

pub mod input;
pub mod output;
pub mod process;
pub mod shell;

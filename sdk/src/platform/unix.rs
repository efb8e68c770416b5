//! Unix.

#[cfg(feature = "host")]
pub mod files;
#[cfg(feature = "host")]
pub mod folders;
pub mod input;
pub mod output;
pub mod process;
pub mod shell;
#[cfg(feature = "host")]
pub mod trust;

//! Finds, checks, starts, serves and stops plugins.

pub mod compat;
pub mod discovery;
pub mod driver;
pub mod platform;
pub mod process;
pub mod project;
mod refused;

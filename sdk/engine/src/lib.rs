//! Finds, checks, starts, serves and ends plugins.

pub mod compat;
pub mod discovery;
pub mod driver;
pub mod platform;
pub mod process;
mod refused;

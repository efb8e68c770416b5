//! Process groups on Unix.

mod group;
mod orphans;
mod stat;

pub use group::{Group, ended_by_signal, kill_all};

/// The environment variables that every program needs. On Unix, the list is empty.
pub const INDISPENSABLE: &[&str] = &[];

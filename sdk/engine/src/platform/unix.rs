//! Processes on Unix.

mod group;
mod orphans;
mod stat;

pub use group::{Group, ended_by_signal, kill_all};

/// The variables without which no program runs: there are none.
pub const INDISPENSABLE: &[&str] = &[];

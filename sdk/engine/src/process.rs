//! Starts, reads, signals and terminates other processes.

mod streams;

pub use crate::platform::process::{Group, Stopped, ended_by_signal, kill_all};
pub use streams::{Event, Streams};

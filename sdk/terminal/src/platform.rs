//! The parts of the library that depend on the system: standard streams, processes and the shell. No other module has a `cfg` for a system.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{input, output, process, shell};
#[cfg(windows)]
pub use windows::{input, output, process, shell};

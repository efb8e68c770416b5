//! The system-specific parts of the library: standard streams, processes and the shell. No other module uses `cfg` for an operating system.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{input, output, process, shell};
#[cfg(windows)]
pub use windows::{input, output, process, shell};

//! The seam between the library and the system: processes, files, trust, and the standard streams. What depends on the system is
//! behind it, and nothing else in the library has a `cfg` for one.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{input, output, process, shell};
#[cfg(windows)]
pub use windows::{input, output, process, shell};

//! System calls that bot-cli needs but that no safe library provides.
//!
//! This is the only crate of the workspace with unsafe code. It makes no decisions: each function performs one system operation and returns
//! its error.

#[cfg(windows)]
pub mod console;
#[cfg(windows)]
pub mod file;
#[cfg(windows)]
pub mod job;
#[cfg(unix)]
pub mod signal;
#[cfg(windows)]
pub mod stdio;

/// Returns the last system error if `result` indicates a failure.
#[cfg(windows)]
fn done(result: windows_sys::core::BOOL) -> std::io::Result<()> {
    if result == 0 {
        Err(std::io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// Returns the size of a structure in the type that system calls expect.
#[cfg(windows)]
fn size<T>() -> u32 {
    u32::try_from(std::mem::size_of::<T>()).unwrap_or(u32::MAX)
}

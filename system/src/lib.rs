//! The system calls that bot-cli needs and that no safe library has.
//!
//! This is the only crate of the workspace with unsafe code. It decides nothing: each function is one step that the system takes, with
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

/// The result of a call that says whether it was successful.
#[cfg(windows)]
fn done(result: windows_sys::core::BOOL) -> std::io::Result<()> {
    if result == 0 {
        Err(std::io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// The size of a structure, as calls take it.
#[cfg(windows)]
fn size<T>() -> u32 {
    u32::try_from(std::mem::size_of::<T>()).unwrap_or(u32::MAX)
}

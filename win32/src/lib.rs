//! The calls to Windows that bot-cli needs and that no safe library has.
//!
//! This is the only crate of the workspace with unsafe code. It decides nothing: each function is one step that Windows takes, with
//! its error. On other systems it is empty, and nothing depends on it.

#![cfg(windows)]

pub mod console;
pub mod file;
pub mod job;
pub mod stdio;

use std::io;

use windows_sys::core::BOOL;

/// The result of a call that says whether it was successful.
fn done(result: BOOL) -> io::Result<()> {
    if result == 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// The size of a structure, as calls take it.
fn size<T>() -> u32 {
    u32::try_from(std::mem::size_of::<T>()).unwrap_or(u32::MAX)
}

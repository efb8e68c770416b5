//! The standard streams.

use std::io;

use windows_sys::Win32::System::Console::{
    GetStdHandle, STD_ERROR_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle,
};

use crate::done;

/// Puts standard error in the place of standard output, also for processes that are started from now on. The earlier one stays open
/// for those who have it.
pub fn stderr_as_stdout() -> io::Result<()> {
    // SAFETY: the call takes a number; a handle that is none is refused by the next call's users, not by this process's memory.
    let error = unsafe { GetStdHandle(STD_ERROR_HANDLE) };
    // SAFETY: the handle is one of the process's standard handles, which nothing closes.
    done(unsafe { SetStdHandle(STD_OUTPUT_HANDLE, error) })
}

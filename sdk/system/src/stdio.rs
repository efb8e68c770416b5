//! The standard streams.

use std::io;

use windows_sys::Win32::System::Console::{
    GetStdHandle, STD_ERROR_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle,
};

use crate::done;

/// Redirects standard output to standard error, also for processes that start later. The previous handle remains open for code that already
/// uses it.
pub fn stderr_as_stdout() -> io::Result<()> {
    // SAFETY: the argument is a number. An invalid handle makes later calls fail, but does not endanger memory.
    let error = unsafe { GetStdHandle(STD_ERROR_HANDLE) };
    // SAFETY: the handle is one of the process's standard handles, which nothing closes.
    done(unsafe { SetStdHandle(STD_OUTPUT_HANDLE, error) })
}

//! File operations.

use std::ffi::OsStr;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::path::Path;

use windows_sys::Win32::Storage::FileSystem::{MOVEFILE_WRITE_THROUGH, MoveFileExW};

use crate::done;

/// Renames a file or folder within its volume, without replacing an existing one. The change is on disk when this function returns.
pub fn move_new(from: &Path, to: &Path) -> io::Result<()> {
    let (from, to) = (wide(from.as_os_str())?, wide(to.as_os_str())?);
    // SAFETY: both texts end with a zero and live until the call returns.
    done(unsafe { MoveFileExW(from.as_ptr(), to.as_ptr(), MOVEFILE_WRITE_THROUGH) })
}

fn wide(text: &OsStr) -> io::Result<Vec<u16>> {
    let mut units: Vec<u16> = text.encode_wide().collect();
    if units.contains(&0) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    units.push(0);
    Ok(units)
}

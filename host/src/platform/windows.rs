//! Windows.

use std::fs::File;
use std::io;
use std::path::Path;

/// Creates a file that is not there yet. It has the rights of its folder.
pub fn create_file(path: &Path, _mode: u32) -> io::Result<File> {
    File::create_new(path)
}

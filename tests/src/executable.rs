//! The executables that are under test.

use std::path::{Path, PathBuf};

/// One of this package's executables, such as `it-bot-cli-init`. Cargo builds them with the tests, beside the folder of the
/// test executable; where there is none, starting it fails with its name.
pub fn executable(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.ancestors()
        .skip(1)
        .take(2)
        .map(|folder: &Path| folder.join(name))
        .find(|file| file.is_file())
        .unwrap_or_else(|| PathBuf::from(name))
}

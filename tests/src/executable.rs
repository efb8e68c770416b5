//! Finds the executables under test.

use std::path::{Path, PathBuf};

/// Returns the path of one of this package's executables, such as `it-bot-cli-init`. Cargo builds them along with the tests, next to the
/// folder of the test executable. If the file is missing, returns `name`, so that the error on starting it contains the name.
pub fn executable(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.ancestors()
        .skip(1)
        .take(2)
        .map(|folder: &Path| folder.join(name))
        .find(|file| file.is_file())
        .unwrap_or_else(|| PathBuf::from(name))
}

//! File owners and permissions.
//!
//! On Windows, nothing is checked, and every file counts as the user's own. The access control lists of a file and its parent folders
//! determine who can change a plugin, but this module does not read them. A plugin is therefore only as trustworthy as the search folders.
//! Only the user and administrators can change the default installation folders.

use std::fs::{self, Metadata};
use std::path::Path;

/// A numeric user id.
pub type UserId = u32;

/// The id of the root user, whose files are always trusted.
pub(crate) const ROOT: UserId = 0;

/// Returns the effective user id of this process.
#[cfg(unix)]
pub fn user() -> UserId {
    rustix::process::geteuid().as_raw()
}

/// Returns the same id for every user, because owners are not checked on Windows.
#[cfg(windows)]
pub const fn user() -> UserId {
    ROOT
}

#[cfg(unix)]
pub(crate) fn owner(facts: &Metadata) -> UserId {
    std::os::unix::fs::MetadataExt::uid(facts)
}

/// Returns the same id for every file, because owners are not checked on Windows.
#[cfg(windows)]
pub(crate) const fn owner(_: &Metadata) -> UserId {
    ROOT
}

/// Returns the owner of the folder for `path`, or of its nearest parent that exists, if this process runs as root and the owner is another
/// user. Whatever root creates there, as with `sudo`, would lock that user out.
pub fn owner_besides_root(path: &Path) -> Option<UserId> {
    let facts = path
        .ancestors()
        .find_map(|folder| fs::metadata(folder).ok())?;
    let owner = owner(&facts);
    (user() == ROOT && owner != ROOT).then_some(owner)
}

/// Reports whether every user can change the file, or replace files in the folder. In a folder with the sticky bit, only the owner of a
/// file can replace it.
#[cfg(unix)]
pub(crate) fn is_writable_by_others(facts: &Metadata) -> bool {
    const WRITABLE_BY_OTHERS: u32 = 0o002;
    const STICKY: u32 = 0o1000;

    let mode = std::os::unix::fs::MetadataExt::mode(facts);
    mode & WRITABLE_BY_OTHERS != 0 && !(facts.is_dir() && mode & STICKY != 0)
}

/// Returns `false`, because access control lists are not read.
#[cfg(windows)]
pub(crate) const fn is_writable_by_others(_: &Metadata) -> bool {
    false
}

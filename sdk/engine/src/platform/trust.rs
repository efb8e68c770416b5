//! File owners and permissions.
//!
//! On Windows, nothing is checked, and every file counts as the user's own. The access control lists of a file and its parent folders
//! decide who can change a plugin, but these lists are not read. A plugin is therefore only as trustworthy as the search folders. The
//! default installation folders can be changed only by their user and by administrators.

use std::fs::Metadata;

/// The number of a user.
pub type UserId = u32;

/// The root user, whose files everyone may run.
pub(crate) const ROOT: UserId = 0;

/// Returns the user of this process.
#[cfg(unix)]
pub fn user() -> UserId {
    rustix::process::geteuid().as_raw()
}

/// Returns the only user that is known.
#[cfg(windows)]
pub const fn user() -> UserId {
    ROOT
}

#[cfg(unix)]
pub(crate) fn owner(facts: &Metadata) -> UserId {
    std::os::unix::fs::MetadataExt::uid(facts)
}

/// Returns the only user that is known, without reading the owner.
#[cfg(windows)]
pub(crate) const fn owner(_: &Metadata) -> UserId {
    ROOT
}

/// Reports whether everyone can change a file, or replace the files in a folder. In a sticky folder, everyone may add files, but only an
/// owner may replace a file.
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

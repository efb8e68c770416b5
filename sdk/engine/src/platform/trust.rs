//! Owners and rights.
//!
//! On Windows nothing is checked: the access control lists of files and of all folders above them decide who can change a plugin, and
//! they are not read. Every file counts as the user's own. So a plugin is as trustworthy as the folders of the search, of which the
//! ones that programs are installed into by default can be changed by their user and by administrators only.

use std::fs::Metadata;

/// The number of a user.
pub type UserId = u32;

/// The system's own user, whose files everybody runs.
pub(crate) const ROOT: UserId = 0;

/// The user of this process.
#[cfg(unix)]
pub fn user() -> UserId {
    rustix::process::geteuid().as_raw()
}

/// The user of this process, of whom only one is known.
#[cfg(windows)]
pub const fn user() -> UserId {
    ROOT
}

/// The owner of a file or a folder.
#[cfg(unix)]
pub(crate) fn owner(facts: &Metadata) -> UserId {
    std::os::unix::fs::MetadataExt::uid(facts)
}

/// The owner of a file or a folder, who is not looked at.
#[cfg(windows)]
pub(crate) const fn owner(_: &Metadata) -> UserId {
    ROOT
}

/// Whether everybody can change a file, or replace the files in a folder. In a sticky folder everybody may add files, but only an
/// owner may replace one.
#[cfg(unix)]
pub(crate) fn is_writable_by_others(facts: &Metadata) -> bool {
    const WRITABLE_BY_OTHERS: u32 = 0o002;
    const STICKY: u32 = 0o1000;

    let mode = std::os::unix::fs::MetadataExt::mode(facts);
    mode & WRITABLE_BY_OTHERS != 0 && !(facts.is_dir() && mode & STICKY != 0)
}

/// Whether everybody can change a file, as far as it is looked at.
#[cfg(windows)]
pub(crate) const fn is_writable_by_others(_: &Metadata) -> bool {
    false
}

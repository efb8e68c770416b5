//! Owners and rights on Windows.
//!
//! Nothing is checked: the access control lists of files and of all folders above them decide who can change a plugin, and they are
//! not read. Every file counts as the user's own. So a plugin is as trustworthy as the folders of the search, of which the ones that
//! programs are installed into by default can be changed by their user and by administrators only.

use std::fmt;
use std::fs::Metadata;
use std::path::Path;

/// The user, of whom only one is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UserId(());

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("of this process")
    }
}

/// The user of this process.
#[must_use]
pub fn user() -> UserId {
    UserId::default()
}

/// The owner of a file or a folder, as far as it is looked at.
pub fn owner(_: &Path, _: &Metadata) -> UserId {
    UserId::default()
}

/// Whether a file belongs to the user of this process.
pub fn is_own(_: &Metadata) -> bool {
    true
}

/// Whether `user` runs what belongs to `owner`.
pub fn is_trusted(owner: UserId, user: UserId) -> bool {
    owner == user
}

/// Whether `user` may change the rights of what belongs to `owner`.
pub fn may_mend(owner: UserId, user: UserId) -> bool {
    owner == user
}

/// Whether everybody can change a file, or replace the files in a folder, as far as it is looked at.
pub fn is_writable_by_others(_: &Path, _: &Metadata) -> bool {
    false
}

//! Owners and rights on Unix.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::geteuid;

const WRITABLE_BY_OTHERS: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// The number of a user.
pub type UserId = u32;

/// The system's own user, whose files everybody runs.
const ROOT: UserId = 0;

/// The user of this process.
#[must_use]
pub fn user() -> UserId {
    geteuid().as_raw()
}

/// The owner of a file or a folder.
pub fn owner(_: &Path, facts: &Metadata) -> UserId {
    facts.uid()
}

/// Whether a file belongs to the user of this process.
pub fn is_own(facts: &Metadata) -> bool {
    facts.uid() == user()
}

/// Whether `user` runs what belongs to `owner`.
pub fn is_trusted(owner: UserId, user: UserId) -> bool {
    [user, ROOT].contains(&owner)
}

/// Whether `user` may change the rights of what belongs to `owner`.
pub fn may_mend(owner: UserId, user: UserId) -> bool {
    [ROOT, owner].contains(&user)
}

/// Whether everybody can change a file, or replace the files in a folder. In a sticky folder everybody may add files, but only an
/// owner may replace one.
pub fn is_writable_by_others(_: &Path, facts: &Metadata) -> bool {
    let mode = facts.mode();
    mode & WRITABLE_BY_OTHERS != 0 && !(facts.is_dir() && mode & STICKY != 0)
}

//! The owner of files that root creates in another user's folder: without this, that user could not use them.

use std::fs::Metadata;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, fchown};

use rustix::io::Errno;

/// Gives a new file or folder to the owner of what it takes the place of, or of the folder that it is in. Only root can, and
/// only root has to.
pub fn keep(new: impl AsFd, of: &Metadata) -> io::Result<()> {
    let is_root = rustix::process::geteuid().is_root();
    // Some file systems have one owner for everything.
    if !is_root || rustix::fs::fstat(&new)?.st_uid == of.uid() {
        return Ok(());
    }
    match fchown(new, Some(of.uid()), Some(of.gid())) {
        // In a container, an owner outside of it has no number.
        Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, chown};

    use crate::files::lock::lock_file;
    use crate::files::{Overwrite, private_folder, replace, write_private};

    #[test]
    fn what_root_writes_for_a_user_stays_the_users() {
        if !rustix::process::geteuid().is_root() {
            // Only root can give files away.
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let owner = |name: &str| fs::metadata(at(name)).map(|found| (found.uid(), found.gid()));
        fs::write(at("other"), "one").unwrap();
        chown(at("other"), Some(1002), Some(1003)).unwrap();
        fs::write(at("root"), "one").unwrap();
        chown(folder.path(), Some(1000), Some(1001)).unwrap();
        for name in ["other", "root", "new"] {
            replace(&at(name), b"two", Overwrite::Allow).unwrap();
        }
        replace(&at("refused"), b"two", Overwrite::Refuse).unwrap();
        write_private(&at("a/b/file"), b"two").unwrap();
        private_folder(&at("folder")).unwrap();
        drop(lock_file(&at("lock")).unwrap());
        drop(lock_file(&at("lock")).unwrap());
        assert_eq!(owner("other").unwrap(), (1002, 1003));
        assert_eq!(owner("root").unwrap(), (0, 0));
        for name in ["new", "refused", "a", "a/b", "a/b/file", "folder", "lock"] {
            assert_eq!(owner(name).unwrap(), (1000, 1001), "{name}");
        }
    }
}

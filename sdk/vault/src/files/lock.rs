//! Locks that processes take in turn.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use bot_cli_sdk::session::Session;

use crate::platform::{give_to_owner, private_file};
use crate::wait::{InVain, wait};

/// The time limit for waiting for other processes.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The reason that a lock was not obtained.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the variants are")]
pub enum LockError {
    /// Another process held the lock for this long.
    #[error("another process has kept it locked for {} seconds", .0.as_secs())]
    Busy(Duration),
    #[error("cancelled")]
    Cancelled,
    #[error(transparent)]
    File(#[from] io::Error),
}

/// Locks the file at `path`, waiting up to `patience` for other processes.
///
/// If the wait lasts longer than a second, shows the message `waiting` to the user. Dropping the returned file releases the lock.
pub fn lock(
    path: &Path,
    patience: Duration,
    waiting: &str,
    session: &Session,
) -> Result<File, LockError> {
    let mut options = private_file();
    let file = options
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)?;
    give_to_owner(path)?;
    let locked = wait(session, patience, Some(waiting), || match file.try_lock() {
        Ok(()) => Some(Ok(())),
        Err(TryLockError::WouldBlock) => None,
        Err(TryLockError::Error(error)) => Some(Err(error)),
    });
    match locked {
        Ok(locked) => Ok(locked.map(|()| file)?),
        Err(InVain::Cancelled) => Err(LockError::Cancelled),
        Err(InVain::TimedOut) => Err(LockError::Busy(patience)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{LockError, lock};
    use bot_cli_sdk::session::Session;

    #[test]
    fn a_lock_is_waited_for_and_not_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let take = || {
            lock(
                &path,
                Duration::from_millis(30),
                "waiting",
                &Session::silent(),
            )
        };
        let first = take().unwrap();
        assert!(matches!(take(), Err(LockError::Busy(_))));
        drop(first);
        assert!(take().is_ok());
        let nowhere = folder.path().join("none/lock");
        let taken = lock(&nowhere, Duration::ZERO, "waiting", &Session::silent());
        assert!(matches!(taken, Err(LockError::File(_))));
    }
}

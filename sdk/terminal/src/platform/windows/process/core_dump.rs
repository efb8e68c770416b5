//! Core dumps. Windows writes none unless an administrator enables them (Windows Error Reporting, `LocalDumps`), and then a process can't
//! prevent them.

/// Does nothing: a process can't prevent core dumps on Windows.
pub const fn prevent() {}

/// Calls `start`, which starts a child or another program.
pub fn as_found<T>(start: impl FnOnce() -> T) -> T {
    start()
}

//! Core dumps on Windows. The system writes core dumps only if an administrator enables them (Windows Error Reporting, `LocalDumps`). A
//! process can't prevent them.

/// Does nothing, because a process can't prevent core dumps on Windows.
pub const fn prevent() {}

/// Calls `start`. On Windows, there is no limit to restore.
pub fn as_found<T>(start: impl FnOnce() -> T) -> T {
    start()
}

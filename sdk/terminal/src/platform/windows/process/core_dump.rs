//! Core dumps on Windows. The system writes core dumps only if an administrator enables them (Windows Error Reporting, `LocalDumps`). A
//! process can't prevent them.

/// Does nothing, because a process can't prevent core dumps on Windows.
pub const fn prevent() {}

//! System-specific code for processes, files and trust.

pub mod files;
pub mod folders;
pub mod trust;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

/// Process groups.
pub mod process {
    use std::process::{ChildStderr, ChildStdin, ChildStdout};

    #[cfg(unix)]
    pub use super::unix::{Group, INDISPENSABLE, ended_by_signal, kill_all};
    #[cfg(windows)]
    pub use super::windows::{Group, INDISPENSABLE, ended_by_signal, kill_all};

    /// The reason why a process is suspended. On Windows, processes are never suspended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Stopped {
        /// The process, or another process in its group, used the terminal, which belongs to another group.
        AtTheTerminal,
        /// Another process sent a stop signal.
        BySomebody,
    }

    /// The standard streams of a process, as far as they are pipes.
    pub type TakenStreams = (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>);
}

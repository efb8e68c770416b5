//! The seam between this crate and the system: processes, files and trust.

pub mod files;
pub mod folders;
pub mod trust;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

/// Processes.
pub mod process {
    #[cfg(unix)]
    pub use super::unix::{Group, INDISPENSABLE, ended_by_signal, kill_all};
    #[cfg(windows)]
    pub use super::windows::{Group, INDISPENSABLE, ended_by_signal, kill_all};

    /// Why a process is stopped, which none ever is on Windows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Stopped {
        /// It, or something in its group, used the terminal, which belongs to another group.
        AtTheTerminal,
        /// Somebody stopped it.
        BySomebody,
    }
}

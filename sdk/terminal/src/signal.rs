//! The signals that stop a process, on every system.

/// A signal that stops a process, or the equivalent event of a Windows console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum StopSignal {
    /// INT: the user pressed Ctrl-C.
    Interrupt = 130,
    /// TERM; on Windows Ctrl-Break, which a host sends to its plugin.
    Terminate = 143,
    /// HUP: the terminal was closed, or the user logged out.
    HangUp = 129,
}

impl StopSignal {
    /// Returns the exit status of a process that the signal stopped, as a shell reports it.
    pub const fn status(self) -> u8 {
        self as u8
    }
}

//! The signals that stop a program.

/// A signal that stops a process, or the equivalent event of a Windows console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum StopSignal {
    /// INT, which is sent when the user presses Ctrl-C.
    Interrupt = 130,
    /// TERM. On Windows, the Ctrl-Break event that a host sends to its plugin.
    Terminate = 143,
    /// HUP, which is sent when the terminal is closed or the user logs out.
    HangUp = 129,
}

impl StopSignal {
    /// Returns the exit status that a shell reports for a process that this signal terminated.
    pub const fn status(self) -> u8 {
        self as u8
    }
}

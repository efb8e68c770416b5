//! The signals that tell a process to stop, on every system.

/// A signal that tells a process to stop, or the event of a Windows console that stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum StopSignal {
    /// INT: the user pressed Ctrl-C.
    Interrupt = 130,
    /// TERM; on Windows Ctrl-Break, which a host sends to its plugin.
    Terminate = 143,
    /// HUP: the terminal has gone, or the user signs off.
    HangUp = 129,
}

impl StopSignal {
    /// The exit status of a process that stops because of it, as a shell has it.
    pub const fn status(self) -> u8 {
        self as u8
    }
}

//! System-specific code for Windows.
//!
//! Windows differs from Unix in two respects. Windows has no job control, so a process is never suspended at the terminal. A console
//! delivers events rather than bytes; see [`input`].

pub mod input;
pub mod output;
pub mod process;
pub mod shell;

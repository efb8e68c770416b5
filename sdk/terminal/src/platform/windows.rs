//! Windows.
//!
//! It differs from Unix in two ways. It has no job control, so a process is never suspended at the terminal. A console delivers events, not
//! bytes: see [`input`].

pub mod input;
pub mod output;
pub mod process;
pub mod shell;

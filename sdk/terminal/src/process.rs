//! This process: the signals that it gets, its end, its limits, and what it may become.

pub use crate::platform::process::{
    HeedfulInput, StopSignals, become_program, core_dump, file_size, is_ignored, note_stop_signals,
    shell_status,
};
pub use crate::signal::StopSignal;

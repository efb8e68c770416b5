//! Starts, signals and ends processes. Nothing else in the library or in the host knows what a signal or a process group is.

#[cfg(feature = "prompts")]
pub(crate) use crate::platform::process::suspend;
#[cfg(feature = "host")]
pub(crate) use crate::platform::process::{Group, Stopped, Streams, ended_by_signal, shell_status};
pub(crate) use crate::platform::process::{HeedfulInput, StopSignals, note_stop_signals};
pub use crate::platform::process::{
    Listened, StopSignal, become_program, core_dump, file_size, is_ignored, listen_to_stop_signals,
};

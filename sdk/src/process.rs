//! Starts, signals and ends processes. Another system needs another side of this module; nothing else in the library or in the
//! host knows what a signal or a process group is.

mod unix;

#[cfg(feature = "prompts")]
pub(crate) use unix::suspend;
#[cfg(feature = "host")]
pub(crate) use unix::{Group, Stopped, ended_by_signal, shell_status};
pub use unix::{
    Listened, StopSignal, become_program, core_dump, file_size, is_ignored, listen_to_stop_signals,
};

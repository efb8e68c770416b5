//! Windows.
//!
//! Three things are different for good. There is no signal that stops a process for a while, so nothing is ever stopped at the
//! terminal. Files have no rights for everybody that a look at them would show: see [`trust`]. And a console hands over events, not
//! bytes: see [`input`].

pub mod input;
pub mod output;
pub mod process;
pub mod shell;

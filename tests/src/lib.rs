//! Support for tests that run the real executables.

pub mod bench;
pub mod debian;
pub mod desktop;
pub mod matrix;
pub mod outcomes;
pub mod pairwise;
pub mod pty;
pub mod python;
pub mod service;

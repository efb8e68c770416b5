//! Support for tests that run the real executables.

#![allow(
    missing_docs,
    reason = "nothing outside this repository uses the library"
)]

pub mod bench;
pub mod desktop;
pub mod disk;
pub mod document;
pub mod downloads;
pub mod e2e;
pub mod executable;
pub mod faulty;
pub mod hostile;
pub mod init;
pub mod kubernetes;
pub mod matrix;
pub mod nested_cargo;
pub mod outcomes;
pub mod pairwise;
pub mod patience;
pub mod port;
pub mod program;
pub mod pty;
pub mod python;
mod recording_ui;
pub mod service;
pub mod signals;
pub mod signing_in;
pub mod tally;
pub mod user;
pub mod watched;
pub mod wine;

//! Kubernetes clusters for the tests of its secrets backend: a real API server, and a stand-in that answers as it does. One suite
//! runs against both.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a check fails by panicking, and clippy knows only functions marked as tests to be such"
)]

pub mod api_server;
pub mod backend;
pub mod cluster;
pub mod stand_in;
pub mod suite;

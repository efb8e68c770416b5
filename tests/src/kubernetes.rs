//! Kubernetes clusters for the tests of its secrets backend: a real API server, a stand-in that answers as it does, and any
//! cluster that a kubeconfig names. One suite runs against all of them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a check fails by panicking, and clippy knows only functions marked as tests to be such"
)]

pub mod api_server;
pub mod backend;
pub mod cluster;
pub mod outcomes;
pub mod stand_in;
pub mod suite;

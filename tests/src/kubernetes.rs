//! Kubernetes clusters for testing the secrets backend: a real API server, and a stand-in that imitates one. The same suite runs against
//! both.

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

//! Kubernetes clusters for the tests of its secrets backend: a real API server, a stand-in that answers as it does, and any
//! cluster that a kubeconfig names. One suite runs against all of them.

pub mod api_server;
pub mod backend;
pub mod cluster;
pub mod stand_in;
pub mod suite;

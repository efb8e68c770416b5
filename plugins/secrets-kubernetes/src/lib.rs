//! Keeps secret sets and image pull secrets of bot-cli in a Kubernetes cluster: `bot-cli cloud secrets --backend kubernetes`.
//!
//! An organization is a namespace, a region a context of the kubeconfig, a set a Secret with our label. Other Secrets are neither
//! listed nor changed. It is no operator: nothing runs in the cluster, and nothing is watched.

mod backend;
mod cluster;
mod kubeconfig;
mod naming;
mod object;

pub use backend::Kubernetes;

bot_cli_secrets::manifest!(backend::Kubernetes, "../manifest.json");

/// Serves the protocol of secrets backends.
pub fn main() -> std::process::ExitCode {
    bot_cli_secrets::main::<Kubernetes>()
}

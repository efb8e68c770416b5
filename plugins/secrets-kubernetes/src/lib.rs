//! Stores `bot-cli` secret sets and image pull secrets in a Kubernetes cluster, for `bot-cli cloud secrets --backend kubernetes`.
//!
//! An organization is a namespace, a region is a kubeconfig context, and a set is a Secret with the `bot-cli` label. Other Secrets are
//! neither listed nor changed. The plugin is not an operator: it runs nothing in the cluster and watches no resources.

mod backend;
mod cluster;
mod kubeconfig;
mod naming;
mod object;

pub use backend::Kubernetes;

bot_cli_secrets::manifest!(backend::Kubernetes, "../manifest.json");

/// Serves the secrets backend protocol.
pub fn main() -> std::process::ExitCode {
    bot_cli_secrets::main::<Kubernetes>()
}

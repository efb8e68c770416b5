//! `bot-cli-secrets-kubernetes`: keeps secrets in a Kubernetes cluster.
fn main() -> std::process::ExitCode {
    bot_cli_secrets_kubernetes::main()
}

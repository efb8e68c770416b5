//! `bot-cli-secrets-kubernetes`: stores secrets in a Kubernetes cluster.
fn main() -> std::process::ExitCode {
    bot_cli_secrets_kubernetes::main()
}

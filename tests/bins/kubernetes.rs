//! Runs the suite of the Kubernetes backend on a real cluster: the API server that `tests/kubernetes/api_server.sh` has built, or
//! the cluster of a kubeconfig: `kubernetes [KUBECONFIG CONTEXT]`. It makes namespaces of its own there, and removes them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use bot_cli_tests::kubernetes::api_server::{ApiServer, find};
use bot_cli_tests::kubernetes::cluster::Cluster;
use bot_cli_tests::kubernetes::suite;

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "for a person who runs it by hand"
)]
fn main() -> anyhow::Result<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (server, cluster) = match &words[..] {
        [kubeconfig, context] => (
            None,
            Cluster::of(Path::new(kubeconfig), context, false)
                .with_context(|| format!("could not use `{context}` of `{kubeconfig}`"))?,
        ),
        [] => {
            if let Err(problem) = find() {
                eprintln!("THE SUITE DID NOT RUN: {problem}");
                return Ok(ExitCode::from(3));
            }
            let (server, cluster) = ApiServer::start().context("could not start the API server")?;
            (Some(server), cluster)
        }
        _ => {
            eprintln!("usage: kubernetes [KUBECONFIG CONTEXT]");
            return Ok(ExitCode::from(2));
        }
    };
    let mut failed = 0;
    for (name, check) in suite::checks() {
        let passed = catch_unwind(AssertUnwindSafe(|| check(&cluster))).is_ok();
        println!("{} {name}", if passed { "ok    " } else { "FAILED" });
        failed += u8::from(!passed);
    }
    drop(server);
    Ok(ExitCode::from(u8::from(failed > 0)))
}

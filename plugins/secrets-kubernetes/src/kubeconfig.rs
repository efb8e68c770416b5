//! Determines the cluster and namespace of a scope, from a kubeconfig context or the pod's service account.

use std::cell::OnceCell;
use std::io;
use std::path::Path;
use std::time::Duration;

use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::OpenParams;
use bot_cli_secrets::{Code, Error};
use kube::Config;
use kube::config::{ExecInteractiveMode, KubeConfigOptions, Kubeconfig, KubeconfigError};

use crate::cluster::{Cluster, Worker};
use crate::naming;

const CONNECT: Duration = Duration::from_secs(10);

/// Determines the cluster and namespace, without sending a request to the cluster.
pub fn find(patience: Duration, scope: &OpenParams, session: &Session) -> Result<Cluster, Error> {
    let setting = |name: &str| {
        let value = scope.settings.get(name)?.trim();
        (!value.is_empty()).then_some(value)
    };
    let home = std::env::home_dir();
    let file = setting("kubeconfig").map(|path| match (path.strip_prefix("~/"), &home) {
        (Some(rest), Some(home)) => home.join(rest),
        // `join` ignores the folder if the path is absolute.
        _ => session.cwd().join(path),
    });
    let context = scope.region.as_deref().or_else(|| setting("context"));
    let worker = Worker::start()?;
    let (config, shown) = match read(file.as_deref())? {
        Some(kubeconfig) => {
            let current = kubeconfig.current_context.clone();
            let context = context.map(str::to_owned).or(current);
            let shown = format!(
                "the context `{}`",
                one_line(context.as_deref().unwrap_or(""))
            );
            let options = KubeConfigOptions {
                context,
                ..KubeConfigOptions::default()
            };
            let loading = Config::from_custom_kubeconfig(kubeconfig.clone(), &options);
            let config = worker.wait(session, "reading the kubeconfig", loading)?;
            (
                config.map_err(|error| unusable(&error, &kubeconfig))?,
                shown,
            )
        }
        None => (of_the_pod(context)?, "the cluster of this pod".to_owned()),
    };
    Ok(Cluster {
        region: scope.region.clone(),
        namespace: namespace(scope, &config)?,
        shown,
        config: prepared(config),
        patience,
        worker,
        client: OnceCell::new(),
    })
}

/// Reads the kubeconfig. Returns `None` if no path was given and no default file exists.
fn read(named: Option<&Path>) -> Result<Option<Kubeconfig>, Error> {
    match named.map_or_else(Kubeconfig::read, Kubeconfig::read_from) {
        Ok(found) => Ok(Some(found)),
        Err(KubeconfigError::FindPath) => Ok(None),
        Err(KubeconfigError::ReadConfig(error, _))
            if named.is_none() && error.kind() == io::ErrorKind::NotFound =>
        {
            Ok(None)
        }
        Err(error) => Err(unusable(&error, &Kubeconfig::default())),
    }
}

fn of_the_pod(context: Option<&str>) -> Result<Config, Error> {
    let config = context.is_none().then(Config::incluster);
    config.and_then(Result::ok).ok_or_else(|| {
        Error::new(Code::NotSignedIn, "there is no kubeconfig").hint(
            "name one with `bot-cli cloud config set kubernetes.kubeconfig FILE`, or in `KUBECONFIG`",
        )
    })
}

/// Returns the error for a kubeconfig that can't be used. The error omits the parser's message, which may quote tokens.
#[expect(clippy::wildcard_enum_match_arm, reason = "the rest quotes no value")]
fn unusable(error: &KubeconfigError, kubeconfig: &Kubeconfig) -> Error {
    let contexts = kubeconfig.contexts.iter().take(20);
    let contexts: Vec<String> = contexts
        .map(|context| format!("`{}`", one_line(&context.name)))
        .collect();
    let contexts = format!("its contexts: {}", contexts.join(", "));
    match error {
        KubeconfigError::CurrentContextNotSet => invalid("has no current context").hint(contexts),
        KubeconfigError::LoadContext(name) => Error::new(
            Code::NotFound,
            format!("the kubeconfig has no context `{}`", one_line(name)),
        )
        .hint(contexts),
        KubeconfigError::ReadConfig(error, path) => invalid(&format!(
            "`{}` could not be read: {}",
            one_line(&path.display().to_string()),
            bot_cli_protocol::failure::reason(error)
        )),
        KubeconfigError::Parse(_) => invalid("could not be read as one"),
        error => invalid(&format!("can't be used: {}", one_line(&error.to_string()))),
    }
}

fn prepared(mut config: Config) -> Config {
    // Retries would hide that a change was sent twice.
    config.default_retry = false;
    config.connect_timeout = Some(CONNECT);
    if let Some(exec) = &mut config.auth_info.exec {
        // Standard input belongs to the host, so a sign-in program must not read it.
        exec.interactive_mode = Some(ExecInteractiveMode::Never);
    }
    config
}

fn namespace(scope: &OpenParams, config: &Config) -> Result<String, Error> {
    let named = scope.organization.as_ref();
    let namespace = named.unwrap_or(&config.default_namespace);
    if naming::is_label(namespace) {
        return Ok(namespace.clone());
    }
    let message = format!("`{}` can't be the name of a namespace", one_line(namespace));
    Err(Error::new(Code::NotFound, message).hint(
        "organizations are namespaces here: lower-case letters, digits and hyphens, at most 63",
    ))
}

fn invalid(problem: &str) -> Error {
    Error::new(Code::InvalidSetting, format!("the kubeconfig {problem}"))
        .hint("`bot-cli cloud config set kubernetes.NAME VALUE` changes a setting")
}

/// Converts untrusted text to one line of at most 200 characters, without control sequences.
pub fn one_line(text: &str) -> String {
    bot_cli_terminal::short_line(text, 200)
}

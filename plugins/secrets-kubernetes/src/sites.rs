//! The clusters of a scope: one namespace, or one in each context that is a region.

use std::cell::OnceCell;
use std::path::Path;
use std::rc::Rc;

use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::OpenParams;
use bot_cli_secrets::{Code, Error};
use kube::Config;
use kube::config::{ExecInteractiveMode, KubeConfigOptions, Kubeconfig, KubeconfigError};

use crate::cluster::{Cluster, Worker};
use crate::naming;
use crate::pace::Pace;
use crate::settings::{Settings, invalid, one_line};

/// Reads the kubeconfig, or the account of the pod, and decides which namespaces of which clusters are meant. No cluster is
/// asked. Also returns the region that the user named, or the one that a set is made in when nobody says otherwise.
pub fn find(
    pace: Pace,
    scope: &OpenParams,
    session: &mut Session,
) -> Result<(Vec<Cluster>, Option<String>), Error> {
    // The home of the user is where `kube` looks, too.
    let home = std::env::home_dir();
    let settings = Settings::parse(scope, session.cwd(), home.as_deref())?;
    let pace = Pace {
        answer: settings.timeout.unwrap_or(pace.answer),
        ..pace
    };
    let worker = Worker::start()?;
    let cluster = |region, shown, config| -> Result<Cluster, Error> {
        Ok(Cluster {
            region,
            namespace: namespace(scope, &config)?,
            shown,
            config: prepared(config, pace)?,
            pace,
            worker: Rc::clone(&worker),
            client: OnceCell::new(),
        })
    };
    let Some(kubeconfig) = read(settings.kubeconfig.as_deref())? else {
        let config = of_the_pod(&settings)?;
        let pod = "the cluster of this pod".to_owned();
        return Ok((vec![cluster(None, pod, config)?], None));
    };
    let region = scope.region.as_ref();
    let has_regions = !settings.contexts.is_empty() || region.is_some();
    let current = kubeconfig.current_context.as_ref();
    let one = [region.or(settings.context.as_ref()).or(current).cloned()];
    let many: Vec<_> = settings.contexts.iter().cloned().map(Some).collect();
    let mut all = Vec::new();
    for context in if many.is_empty() { &one[..] } else { &many } {
        let options = KubeConfigOptions {
            context: context.clone(),
            ..KubeConfigOptions::default()
        };
        let loading = Config::from_custom_kubeconfig(kubeconfig.clone(), &options);
        let config = worker.wait(session, "reading the kubeconfig", loading)?;
        let config = config.map_err(|error| unusable(&error, &kubeconfig))?;
        let name = context.clone().unwrap_or_default();
        let shown = format!("the context `{}`", one_line(&name));
        all.push(cluster(has_regions.then_some(name), shown, config)?);
    }
    let preferred = [region, settings.context.as_ref(), current];
    let preferred = preferred.into_iter().flatten().find(|code| {
        all.iter()
            .any(|cluster| cluster.region.as_ref() == Some(*code))
    });
    Ok((all, preferred.cloned()))
}

/// The account of the pod that this runs in.
fn of_the_pod(settings: &Settings) -> Result<Config, Error> {
    let config = Config::incluster().map_err(|_| {
        Error::new(
            Code::NotSignedIn,
            "there is no kubeconfig, and this is not a pod of a cluster",
        )
        .hint("name one with `bot-cli cloud config set kubernetes.kubeconfig FILE`, or in `KUBECONFIG`")
    })?;
    match settings.context.as_ref().or(settings.contexts.first()) {
        None => Ok(config),
        Some(context) => Err(invalid(format!(
            "the context `{}` needs a kubeconfig, and there is none",
            one_line(context)
        ))),
    }
}

/// The kubeconfig; `None` when there is none and none was named.
fn read(named: Option<&Path>) -> Result<Option<Kubeconfig>, Error> {
    let read = named.map_or_else(Kubeconfig::read, Kubeconfig::read_from);
    match read {
        Ok(found) => Ok(Some(found)),
        Err(KubeconfigError::FindPath) => Ok(None),
        Err(KubeconfigError::ReadConfig(error, _))
            if named.is_none() && error.kind() == std::io::ErrorKind::NotFound =>
        {
            Ok(None)
        }
        Err(error) => Err(unusable(&error, &Kubeconfig::default())),
    }
}

/// A kubeconfig that can't be used. The parser's own words would quote it, and it may have tokens.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "what `kube` says of the rest quotes no more than a name"
)]
fn unusable(error: &KubeconfigError, kubeconfig: &Kubeconfig) -> Error {
    let contexts = kubeconfig.contexts.iter().take(20);
    let contexts: Vec<String> = contexts
        .map(|context| format!("`{}`", one_line(&context.name)))
        .collect();
    let contexts = match &contexts[..] {
        [] => "the kubeconfig has no contexts".to_owned(),
        names => format!("the contexts are {}", names.join(", ")),
    };
    match error {
        KubeconfigError::CurrentContextNotSet => {
            invalid("the kubeconfig has no current context".to_owned()).hint(contexts)
        }
        KubeconfigError::LoadContext(name) => Error::new(
            Code::NotFound,
            format!("the kubeconfig has no context `{}`", one_line(name)),
        )
        .hint(contexts),
        KubeconfigError::ReadConfig(error, path) => invalid(format!(
            "could not read the kubeconfig `{}`: {}",
            one_line(&path.display().to_string()),
            bot_cli_protocol::failure::reason(error)
        )),
        KubeconfigError::Parse(_) => invalid("the kubeconfig could not be read as one".to_owned()),
        error => {
            let words = one_line(&error.to_string());
            invalid(format!("the kubeconfig can't be used: {words}"))
        }
    }
}

fn prepared(mut config: Config, pace: Pace) -> Result<Config, Error> {
    // A change that was tried twice must be known to have been: see `Cluster`.
    config.default_retry = false;
    config.connect_timeout = Some(pace.answer.min(pace.connect));
    if let Some(exec) = &mut config.auth_info.exec {
        if exec.interactive_mode == Some(ExecInteractiveMode::Always) {
            return Err(Error::new(
                Code::NotSupported,
                "the sign-in program of the kubeconfig asks at a terminal, and there is none here",
            )
            .hint(
                "sign in with `kubectl` first, and name a kubeconfig whose sign-in asks nothing",
            ));
        }
        // Standard input is the host's: a sign-in program must not read it.
        exec.interactive_mode = Some(ExecInteractiveMode::Never);
    }
    Ok(config)
}

fn namespace(scope: &OpenParams, config: &Config) -> Result<String, Error> {
    let named = scope.organization.as_ref();
    let namespace = named.unwrap_or(&config.default_namespace);
    if naming::object_name(namespace).as_ref() == Ok(namespace) {
        return Ok(namespace.clone());
    }
    let message = format!("`{}` can't be the name of a namespace", one_line(namespace));
    Err(Error::new(Code::NotFound, message).hint(
        "organizations are namespaces here: lower-case letters, digits and hyphens, at most 63",
    ))
}

//! The sites of sets: one namespace, or one in each context that is a region.

use std::path::Path;
use std::rc::Rc;

use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::OpenParams;
use bot_cli_secrets::{Code, Error};
use kube::Config;
use kube::config::{ExecInteractiveMode, KubeConfigOptions, Kubeconfig, KubeconfigError};

use crate::cluster::{Cluster, sign_in};
use crate::pace::Pace;
use crate::settings::{Settings, invalid};
use crate::words::one_line;
use crate::worker::Worker;

/// The longest name of a namespace.
const LONGEST_NAMESPACE: usize = 63;

/// All places of a scope.
pub struct Sites {
    worker: Rc<Worker>,
    all: Vec<Site>,
    /// The region that the user named, or the one that a set is made in when nobody says otherwise.
    pub preferred: Option<String>,
    pace: Pace,
}

/// A namespace of a cluster.
pub struct Site {
    /// The code of the region, where there are regions.
    pub region: Option<String>,
    /// The namespace.
    pub namespace: String,
    /// The cluster, for people.
    pub place: String,
    config: Config,
    cluster: Option<Rc<Cluster>>,
}

impl Sites {
    /// Reads the kubeconfig, or the account of the pod, and decides which namespaces of which clusters are meant. No cluster is
    /// asked.
    pub fn find(pace: Pace, scope: &OpenParams, session: &mut Session) -> Result<Self, Error> {
        // The home of the user is where `kube` looks, too.
        let home = std::env::home_dir();
        let settings = Settings::parse(scope, session.cwd(), home.as_deref())?;
        let pace = Pace {
            answer: settings.timeout.unwrap_or(pace.answer),
            ..pace
        };
        let worker = Worker::start()?;
        let kubeconfig = read(settings.kubeconfig.as_deref())?;
        let Some(kubeconfig) = kubeconfig else {
            return Self::of_the_pod(pace, scope, &settings, worker);
        };
        let region = scope.region.as_ref();
        let contexts: Vec<Option<String>> = match (settings.contexts.is_empty(), region) {
            (false, _) => settings.contexts.iter().cloned().map(Some).collect(),
            (true, Some(region)) => vec![Some(region.clone())],
            (true, None) => vec![settings.context.clone()],
        };
        let has_regions = !settings.contexts.is_empty() || region.is_some();
        let mut all = Vec::new();
        for context in contexts {
            let name = context
                .clone()
                .or_else(|| kubeconfig.current_context.clone());
            let options = KubeConfigOptions {
                context,
                ..KubeConfigOptions::default()
            };
            let loading = Config::from_custom_kubeconfig(kubeconfig.clone(), &options);
            let config = worker.wait(session, "reading the kubeconfig", loading)?;
            let config = config.map_err(|error| unusable(&error, &kubeconfig))?;
            let name = name.unwrap_or_default();
            all.push(Site {
                region: has_regions.then(|| name.clone()),
                namespace: namespace(scope, &config)?,
                place: format!("the context `{}`", one_line(&name)),
                config: prepared(config, pace)?,
                cluster: None,
            });
        }
        let is_one = |code: &&String| all.iter().any(|site| site.region.as_ref() == Some(*code));
        let preferred = [
            region,
            settings.context.as_ref(),
            kubeconfig.current_context.as_ref(),
        ];
        let preferred = preferred.into_iter().flatten().find(is_one).cloned();
        Ok(Self {
            worker,
            all,
            preferred,
            pace,
        })
    }

    fn of_the_pod(
        pace: Pace,
        scope: &OpenParams,
        settings: &Settings,
        worker: Rc<Worker>,
    ) -> Result<Self, Error> {
        let config = Config::incluster().map_err(|_| {
            Error::new(
                Code::NotSignedIn,
                "there is no kubeconfig, and this is not a pod of a cluster",
            )
            .hint("name one with `bot-cli cloud config set kubernetes.kubeconfig FILE`, or in `KUBECONFIG`")
        })?;
        if let Some(context) = settings.context.as_ref().or(settings.contexts.first()) {
            return Err(invalid(format!(
                "the context `{}` needs a kubeconfig, and there is none",
                one_line(context)
            )));
        }
        let site = Site {
            region: None,
            namespace: namespace(scope, &config)?,
            place: "the cluster of this pod".to_owned(),
            config: prepared(config, pace)?,
            cluster: None,
        };
        Ok(Self {
            worker,
            all: vec![site],
            preferred: None,
            pace,
        })
    }

    /// All of them.
    pub fn all(&self) -> &[Site] {
        &self.all
    }

    /// The positions of those in `region`, or of all.
    pub fn in_region(&self, region: Option<&str>) -> Vec<usize> {
        let is_wanted = |site: &Site| region.is_none() || site.region.as_deref() == region;
        let positions = self.all.iter().enumerate();
        positions
            .filter(|(_, site)| is_wanted(site))
            .map(|(position, _)| position)
            .collect()
    }

    /// The cluster at a position, signed in.
    pub fn cluster(
        &mut self,
        position: usize,
        session: &mut Session,
    ) -> Result<Rc<Cluster>, Error> {
        let worker = Rc::clone(&self.worker);
        let site = &mut self.all[position];
        if let Some(cluster) = &site.cluster {
            return Ok(Rc::clone(cluster));
        }
        let config = site.config.clone();
        // A sign-in program runs while the client is made, and the user may not want to wait for it.
        let making = async { tokio::task::spawn_blocking(|| kube::Client::try_from(config)).await };
        let made = worker.wait(session, "signing in to the cluster", making);
        let client = made?
            .map_err(|_| Error::new(Code::Internal, "the sign-in to the cluster broke off"))?
            .map_err(|error| no_client(&error))?;
        let cluster = Rc::new(Cluster::new(
            &worker,
            client,
            site.namespace.clone(),
            self.pace,
        ));
        site.cluster = Some(Rc::clone(&cluster));
        Ok(cluster)
    }
}

/// The kubeconfig; `None` when there is none and none was named.
fn read(named: Option<&Path>) -> Result<Option<Kubeconfig>, Error> {
    let read = match named {
        Some(path) => Kubeconfig::read_from(path).map(Some),
        None => Kubeconfig::read().map(Some),
    };
    match read {
        Ok(found) => Ok(found),
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
    reason = "the rest has one sentence, and `kube` may name more"
)]
fn unusable(error: &KubeconfigError, kubeconfig: &Kubeconfig) -> Error {
    let contexts = || {
        let names: Vec<String> = kubeconfig
            .contexts
            .iter()
            .take(20)
            .map(|context| format!("`{}`", one_line(&context.name)))
            .collect();
        if names.is_empty() {
            "the kubeconfig has no contexts".to_owned()
        } else {
            format!("the contexts are {}", names.join(", "))
        }
    };
    match error {
        KubeconfigError::CurrentContextNotSet => {
            invalid("the kubeconfig has no current context".to_owned()).hint(contexts())
        }
        KubeconfigError::LoadContext(name) => Error::new(
            Code::NotFound,
            format!("the kubeconfig has no context `{}`", one_line(name)),
        )
        .hint(contexts()),
        KubeconfigError::LoadClusterOfContext(name) => invalid(format!(
            "the kubeconfig has no cluster `{}`, which the context names",
            one_line(name)
        )),
        KubeconfigError::ReadConfig(error, path) => invalid(format!(
            "could not read the kubeconfig `{}`: {}",
            one_line(&path.display().to_string()),
            bot_cli_protocol::failure::reason(error)
        )),
        KubeconfigError::MissingClusterUrl => {
            invalid("the cluster of the kubeconfig has no `server`".to_owned())
        }
        KubeconfigError::LoadCertificateAuthority(_) | KubeconfigError::ParseCertificates(_) => {
            invalid("the certificate authority of the kubeconfig could not be read".to_owned())
        }
        _ => invalid("the kubeconfig could not be read as one".to_owned()),
    }
}

/// A client that can't be made.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the rest has one sentence, and `kube` may name more"
)]
fn no_client(error: &kube::Error) -> Error {
    match error {
        kube::Error::Auth(error) => sign_in(error),
        kube::Error::InferKubeconfig(
            KubeconfigError::LoadClientCertificate(_) | KubeconfigError::LoadClientKey(_),
        )
        | kube::Error::RustlsTls(_) => Error::new(
            Code::NotSignedIn,
            "the client certificate or a certificate authority of the kubeconfig can't be used",
        )
        .hint("certificates must be X.509 version 3, and keys PKCS#8, PKCS#1 or SEC1 in PEM"),
        _ => invalid("the kubeconfig can't be used to reach the cluster".to_owned()),
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
    let is_label = (1..=LONGEST_NAMESPACE).contains(&namespace.len())
        && namespace
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && !namespace.starts_with('-')
        && !namespace.ends_with('-');
    if !is_label {
        let message = format!("`{}` can't be the name of a namespace", one_line(namespace));
        return Err(Error::new(Code::NotFound, message).hint(
            "organizations are namespaces here: lower-case letters, digits and hyphens, at most 63",
        ));
    }
    Ok(namespace.clone())
}

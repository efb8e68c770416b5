//! A real kube-apiserver with etcd, both on loopback and in a temporary folder. `tests/kubernetes/api_server.sh` builds them.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::cluster::{Cluster, write_kubeconfig};
use crate::port::free_port;

/// The time limit for both servers to start.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running API server, stopped when dropped.
pub struct ApiServer {
    processes: Vec<Child>,
    folder: tempfile::TempDir,
}

/// Returns the folder with the servers that the script builds, or an error if they have not been built.
pub fn find() -> Result<PathBuf, String> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
        PathBuf::from,
    );
    let folder = target.join("kubernetes");
    if folder.join("kube-apiserver").is_file() && folder.join("etcd").is_file() {
        Ok(folder)
    } else {
        Err("no API server is built; `tests/kubernetes/api_server.sh` builds one".to_owned())
    }
}

impl ApiServer {
    /// Starts etcd and the API server, and waits until they are ready.
    pub fn start() -> io::Result<(Self, Cluster)> {
        let built = find().map_err(io::Error::other)?;
        let folder = tempfile::tempdir()?;
        let mut server = Self {
            processes: Vec::new(),
            folder,
        };
        let etcd = server.etcd(&built)?;
        let (port, authority) = server.api_server(&built, etcd)?;
        let kubeconfig = server.folder.path().join("kubeconfig");
        let address = format!("https://127.0.0.1:{port}");
        write_kubeconfig(&kubeconfig, &address, &authority)?;
        let cluster = Cluster::of(&kubeconfig, "admin")?;
        server.wait(&cluster)?;
        give_roles(&cluster);
        Ok((server, cluster))
    }

    fn etcd(&mut self, built: &Path) -> io::Result<u16> {
        let (client, peer) = (free_port()?, free_port()?);
        let (client_url, peer_url) = (
            format!("http://127.0.0.1:{client}"),
            format!("http://127.0.0.1:{peer}"),
        );
        let mut command = Command::new(built.join("etcd"));
        command
            .arg("--unsafe-no-fsync")
            .arg("--data-dir")
            .arg(self.folder.path().join("etcd"))
            .args(["--listen-client-urls", &client_url])
            .args(["--advertise-client-urls", &client_url])
            .args(["--listen-peer-urls", &peer_url])
            .args(["--initial-advertise-peer-urls", &peer_url])
            .args(["--initial-cluster", &format!("default={peer_url}")]);
        self.run(&mut command, "etcd.log")?;
        Ok(client)
    }

    /// Starts the API server. Returns the port and the certificate of the certificate authority.
    fn api_server(&mut self, built: &Path, etcd: u16) -> io::Result<(u16, String)> {
        let port = free_port()?;
        let folder = self.folder.path().to_owned();
        let (authority, certificate, key) = certificates().map_err(io::Error::other)?;
        let write = |name: &str, text: &str| {
            let file = folder.join(name);
            fs::write(&file, text).map(|()| file)
        };
        let certificate = write("server.pem", &certificate)?;
        let key = write("server.key", &key)?;
        let tokens = write(
            "tokens.csv",
            "admin-token,admin,1,\"system:masters\"\nreader-token,reader,2\nnobody-token,nobody,3\n",
        )?;
        // At rest the Secrets are encrypted, as a careful administrator has it.
        let encryption = json!({
            "kind": "EncryptionConfiguration",
            "apiVersion": "apiserver.config.k8s.io/v1",
            "resources": [{ "resources": ["secrets"], "providers": [
                { "secretbox": { "keys": [{ "name": "one", "secret": "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=" }] } },
                { "identity": {} },
            ] }],
        });
        let encryption = write("encryption.json", &encryption.to_string())?;
        let option = |name: &str, value: &dyn AsRef<std::ffi::OsStr>| {
            let mut option = std::ffi::OsString::from(format!("--{name}="));
            option.push(value);
            option
        };
        let mut command = Command::new(built.join("kube-apiserver"));
        command
            .arg(option("etcd-servers", &format!("http://127.0.0.1:{etcd}")))
            .arg(option("secure-port", &port.to_string()))
            .arg(option("bind-address", &"127.0.0.1"))
            .arg(option("advertise-address", &"127.0.0.1"))
            .arg(option("service-cluster-ip-range", &"10.0.0.0/24"))
            .arg(option("cert-dir", &folder))
            .arg(option("tls-cert-file", &certificate))
            .arg(option("tls-private-key-file", &key))
            .arg(option("token-auth-file", &tokens))
            .arg(option("encryption-provider-config", &encryption))
            .arg(option("authorization-mode", &"RBAC"))
            .arg(option("service-account-issuer", &"https://bot-cli.test"))
            .arg(option("service-account-key-file", &certificate))
            .arg(option("service-account-signing-key-file", &key))
            .arg(option("disable-admission-plugins", &"ServiceAccount"))
            .arg(option("endpoint-reconciler-type", &"none"));
        self.run(&mut command, "kube-apiserver.log")?;
        Ok((port, authority))
    }

    fn run(&mut self, command: &mut Command, log: &str) -> io::Result<()> {
        let log = File::create(self.folder.path().join(log))?;
        let command = command.env_clear().stdin(Stdio::null());
        let process = command.stdout(log.try_clone()?).stderr(log).spawn()?;
        self.processes.push(process);
        Ok(())
    }

    /// Waits until the server is ready.
    fn wait(&mut self, cluster: &Cluster) -> io::Result<()> {
        let begun = Instant::now();
        loop {
            for process in &mut self.processes {
                if let Some(status) = process.try_wait()? {
                    return Err(io::Error::other(format!(
                        "a server ended with {status}:\n{}",
                        self.logs()
                    )));
                }
            }
            if cluster.send("GET", "/readyz", None).status == 200 {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                let problem = format!("the API server does not answer:\n{}", self.logs());
                return Err(io::Error::other(problem));
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    fn logs(&self) -> String {
        let logs = ["etcd.log", "kube-apiserver.log"].map(|log| {
            let text = fs::read_to_string(self.folder.path().join(log)).unwrap_or_default();
            let lines: Vec<&str> = text.lines().rev().take(20).collect();
            lines.into_iter().rev().collect::<Vec<_>>().join("\n")
        });
        logs.join("\n")
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        // The server before what it is built on.
        for mut process in self.processes.drain(..).rev() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Allows the user `reader` to read Secrets in every namespace.
fn give_roles(cluster: &Cluster) {
    let api = "/apis/rbac.authorization.k8s.io/v1";
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": { "name": "secret-reader" },
        "rules": [{ "apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list"] }],
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": { "name": "secret-reader" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "reader" }],
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "secret-reader" },
    });
    for (kind, object) in [("clusterroles", role), ("clusterrolebindings", binding)] {
        let made = cluster.send("POST", &format!("{api}/{kind}"), Some(("json", &object)));
        assert_eq!(made.status, 201, "{made:?}");
    }
}

/// Returns the certificate of the certificate authority, the server's certificate and the server's key, in PEM format.
fn certificates() -> Result<(String, String, String), rcgen::Error> {
    let key = rcgen::KeyPair::generate()?;
    let mut params = rcgen::CertificateParams::new(Vec::new())?;
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let name = &mut params.distinguished_name;
    name.push(rcgen::DnType::CommonName, "tests");
    let authority = params.self_signed(&key)?.pem();
    let issuer = rcgen::Issuer::new(params, key);
    let key = rcgen::KeyPair::generate()?;
    let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
    let server = rcgen::CertificateParams::new(names)?.signed_by(&key, &issuer)?;
    Ok((authority, server.pem(), key.serialize_pem()))
}

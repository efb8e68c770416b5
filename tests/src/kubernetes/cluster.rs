//! A cluster under test, with its users and direct access to its contents.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

/// The response to a request from a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// The HTTP status, or 0 if the request failed.
    pub status: u16,
    /// The response document, or a string if the body is not JSON.
    pub body: Value,
}

/// A cluster and a client for the tests' own requests.
pub struct Cluster {
    /// A kubeconfig with a context for the administrator and for each of three users. `reader` may read Secrets, `nobody` has no
    /// permissions, and the token of `stranger` is not accepted.
    pub kubeconfig: PathBuf,
    /// The administrator's context.
    pub context: String,
    runtime: tokio::runtime::Runtime,
    client: kube::Client,
}

impl Cluster {
    /// Connects to the cluster in a kubeconfig context.
    pub fn of(kubeconfig: &Path, context: &str) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let options = kube::config::KubeConfigOptions {
            context: Some(context.to_owned()),
            ..kube::config::KubeConfigOptions::default()
        };
        let client = runtime.block_on(async {
            let kubeconfig = kube::config::Kubeconfig::read_from(kubeconfig);
            let kubeconfig = kubeconfig.map_err(io::Error::other)?;
            let config = kube::Config::from_custom_kubeconfig(kubeconfig, &options).await;
            kube::Client::try_from(config.map_err(io::Error::other)?).map_err(io::Error::other)
        })?;
        Ok(Self {
            kubeconfig: kubeconfig.to_owned(),
            context: context.to_owned(),
            runtime,
            client,
        })
    }

    /// Sends a request as the administrator. The content type for a patch is `merge-patch+json` or `apply-patch+yaml`.
    pub fn send(&self, method: &str, path: &str, body: Option<(&str, &Value)>) -> Seen {
        let (kind, text) = body.map_or(("json", String::new()), |(kind, body)| {
            (kind, body.to_string())
        });
        let request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", format!("application/{kind}"))
            .body(kube::client::Body::from(text.into_bytes()));
        let answered = self.runtime.block_on(async {
            let response = self.client.send(request.map_err(io::Error::other)?).await;
            let response = response.map_err(io::Error::other)?;
            let status = response.status().as_u16();
            let body = response.into_body().collect_bytes().await;
            let body = body.map_err(io::Error::other)?;
            let body = serde_json::from_slice(&body)
                .unwrap_or_else(|_| json!(String::from_utf8_lossy(&body)));
            io::Result::Ok(Seen { status, body })
        });
        answered.unwrap_or_else(|error| Seen {
            status: 0,
            body: json!(error.to_string()),
        })
    }

    /// Creates a namespace with a unique name.
    pub fn namespace(&self) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("bot-cli-test-{}-{number}", std::process::id());
        let namespace =
            json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
        let made = self.send("POST", "/api/v1/namespaces", Some(("json", &namespace)));
        assert_eq!(made.status, 201, "{made:?}");
        name
    }

    /// Deletes a test's namespace, ignoring errors.
    pub fn forget(&self, namespace: &str) {
        let path = format!("/api/v1/namespaces/{namespace}");
        let _ = self.send("DELETE", &path, None);
    }

    /// Returns a Secret, or `None` if it does not exist.
    pub fn secret(&self, namespace: &str, name: &str) -> Option<Value> {
        let seen = self.send("GET", &secret(namespace, name), None);
        match seen.status {
            200 => Some(seen.body),
            404 => None,
            _ => panic!("{seen:?}"),
        }
    }

    /// Creates a Secret as another tool would.
    pub fn create(&self, namespace: &str, name: &str, secret: &Value) {
        let mut object = json!({ "apiVersion": "v1", "kind": "Secret" });
        merge(&mut object, secret);
        object["metadata"]["name"] = json!(name);
        let path = format!("/api/v1/namespaces/{namespace}/secrets");
        let made = self.send("POST", &path, Some(("json", &object)));
        assert_eq!(made.status, 201, "{made:?}");
    }

    /// Changes a Secret as another tool would.
    pub fn patch(&self, namespace: &str, name: &str, patch: &Value) {
        let target = format!("{}?fieldManager=other-tool", secret(namespace, name));
        let patched = self.send("PATCH", &target, Some(("merge-patch+json", patch)));
        assert_eq!(patched.status, 200, "{patched:?}");
    }

    /// Deletes a Secret as another tool would.
    pub fn delete(&self, namespace: &str, name: &str) {
        let gone = self.send("DELETE", &secret(namespace, name), None);
        assert_eq!(gone.status, 200, "{gone:?}");
    }
}

/// Returns the API path of a Secret.
pub fn secret(namespace: &str, name: &str) -> String {
    format!("/api/v1/namespaces/{namespace}/secrets/{name}")
}

fn merge(object: &mut Value, other: &Value) {
    for (key, value) in other.as_object().into_iter().flatten() {
        object[key] = value.clone();
    }
}

/// Writes a kubeconfig for one cluster with a context for each user. The users sign in with tokens.
pub fn write_kubeconfig(file: &Path, server: &str, authority: &str) -> io::Result<()> {
    use base64::Engine as _;
    let data = base64::engine::general_purpose::STANDARD.encode(authority);
    let mut text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: admin\nclusters:\n- name: one\n  cluster:\n    server: {server}\n    certificate-authority-data: {data}\n"
    );
    let users = ["admin", "reader", "nobody", "stranger"];
    text.push_str("contexts:\n");
    for name in users {
        let _ = writeln!(
            text,
            "- {{name: {name}, context: {{cluster: one, user: {name}}}}}"
        );
    }
    text.push_str("users:\n");
    for name in users {
        let _ = writeln!(text, "- {{name: {name}, user: {{token: {name}-token}}}}");
    }
    fs::write(file, text)
}

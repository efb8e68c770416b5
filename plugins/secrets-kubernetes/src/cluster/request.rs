//! Requests as the API reads them. `kube` writes addresses and headers.

use bytes::Bytes;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::Resource as _;
use kube::api::{
    DeleteParams, GetParams, ListParams, Patch, PatchParams, PostParams, Preconditions,
};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::object::{FIELD_MANAGER, MANAGED_BY};

/// A request, with what RBAC calls it.
pub struct Request {
    /// `get`, `list`, `create`, `patch`, `delete`.
    pub verb: &'static str,
    /// `secrets` or `namespaces`.
    pub resource: &'static str,
    /// The namespace, where the request is for one.
    pub namespace: Option<String>,
    http: http::Request<Bytes>,
}

/// The address can't be written: a name that is no name.
type Built = Result<http::Request<Vec<u8>>, kube::core::request::Error>;

impl Request {
    /// One Secret.
    pub fn get(namespace: &str, name: &str) -> Option<Self> {
        secrets("get", namespace, |api| api.get(name, &GetParams::default()))
    }

    /// A page of our Secrets of one type, without their values.
    pub fn list(namespace: &str, type_: &str, continue_: Option<&str>) -> Option<Self> {
        let (label, value) = MANAGED_BY;
        let mut params = ListParams::default()
            .labels(&format!("{label}={value}"))
            .fields(&format!("type={type_}"))
            .limit(500);
        params.continue_token = continue_.map(str::to_owned);
        secrets("list", namespace, |api| api.list_metadata(&params))
    }

    /// Creates a Secret; fails where one has the name.
    pub fn create(namespace: &str, object: &Zeroizing<Vec<u8>>) -> Option<Self> {
        let params = PostParams {
            field_manager: Some(FIELD_MANAGER.to_owned()),
            ..PostParams::default()
        };
        secrets("create", namespace, |api| {
            api.create(&params, object.to_vec())
        })
    }

    /// Applies fields to a Secret on the server's side. `object` names the version that it is meant for.
    pub fn apply<T: serde::Serialize>(namespace: &str, name: &str, object: &T) -> Option<Self> {
        let params = PatchParams::apply(FIELD_MANAGER).force();
        secrets("patch", namespace, |api| {
            api.patch(name, &params, &Patch::Apply(object))
        })
    }

    /// Removes keys of a Secret that has this version.
    pub fn remove(namespace: &str, name: &str, version: &str, data_keys: &[&str]) -> Option<Self> {
        let params = PatchParams {
            field_manager: Some(FIELD_MANAGER.to_owned()),
            ..PatchParams::default()
        };
        let removed = data_keys.iter().map(|key| ((*key).to_owned(), Value::Null));
        let patch = json!({
            "metadata": { "resourceVersion": version },
            "data": removed.collect::<serde_json::Map<_, _>>(),
        });
        secrets("patch", namespace, |api| {
            api.patch(name, &params, &Patch::Merge(&patch))
        })
    }

    /// Deletes a Secret that has this version.
    pub fn delete(namespace: &str, name: &str, version: &str, uid: &str) -> Option<Self> {
        let params = DeleteParams::default().preconditions(Preconditions {
            resource_version: Some(version.to_owned()),
            uid: Some(uid.to_owned()),
        });
        secrets("delete", namespace, |api| api.delete(name, &params))
    }

    /// The namespaces of the cluster.
    pub fn namespaces(continue_: Option<&str>) -> Option<Self> {
        let mut params = ListParams::default().limit(500);
        params.continue_token = continue_.map(str::to_owned);
        let api = kube::core::Request::new(Namespace::url_path(&(), None));
        Self::new("list", "namespaces", None, api.list_metadata(&params))
    }

    /// One namespace.
    pub fn namespace(name: &str) -> Option<Self> {
        let api = kube::core::Request::new(Namespace::url_path(&(), None));
        let got = api.get_metadata(name, &GetParams::default());
        Self::new("get", "namespaces", None, got)
    }

    fn new(
        verb: &'static str,
        resource: &'static str,
        namespace: Option<String>,
        built: Built,
    ) -> Option<Self> {
        // The body is wiped once nobody needs it.
        let http = built
            .ok()?
            .map(|body| Bytes::from_owner(Zeroizing::new(body)));
        Some(Self {
            verb,
            resource,
            namespace,
            http,
        })
    }

    /// The request as it is sent, once more with every try.
    pub fn http(&self) -> http::Request<Bytes> {
        self.http.clone()
    }
}

fn secrets(
    verb: &'static str,
    namespace: &str,
    build: impl FnOnce(&kube::core::Request) -> Built,
) -> Option<Request> {
    let api = kube::core::Request::new(Secret::url_path(&(), Some(namespace)));
    Request::new(verb, "secrets", Some(namespace.to_owned()), build(&api))
}

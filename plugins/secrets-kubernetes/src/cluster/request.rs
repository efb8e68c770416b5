//! Requests to the Kubernetes API. `kube` builds the URLs and headers.

use bot_cli_secrets::{Code, Error};
use bytes::Bytes;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::Resource as _;
use kube::api::{
    DeleteParams, GetParams, ListParams, Patch, PatchParams, PostParams, Preconditions,
};
use kube::core::{Request as Api, request};
use zeroize::Zeroizing;

use crate::object::{MANAGED_BY, Object, Written};

/// The field manager that the API records for changes by `bot-cli`.
const FIELD_MANAGER: &str = "bot-cli";

/// A request, with its RBAC verb and resource for error messages.
pub struct Request {
    /// The RBAC verb: `get`, `list`, `create`, `patch` or `delete`.
    pub verb: &'static str,
    /// The RBAC resource: `secrets` or `namespaces`.
    pub resource: &'static str,
    pub http: http::Request<Bytes>,
}

/// An HTTP request, or the error for an invalid name or body.
type Built = Result<http::Request<Vec<u8>>, request::Error>;

impl Request {
    pub fn get(namespace: &str, name: &str) -> Result<Self, Error> {
        let built = secrets(namespace).get(name, &GetParams::default());
        Self::new("get", "secrets", built)
    }

    /// Builds a request that lists all Secrets of one type that `bot-cli` manages, without their values.
    pub fn list(namespace: &str, type_: &str) -> Result<Self, Error> {
        let (label, value) = MANAGED_BY;
        let params = ListParams::default()
            .labels(&format!("{label}={value}"))
            .fields(&format!("type={type_}"));
        let built = secrets(namespace).list_metadata(&params);
        Self::new("list", "secrets", built)
    }

    /// Builds a request that creates a Secret. The API rejects the request if the name is already in use.
    pub fn create(namespace: &str, written: &Written<'_>) -> Result<Self, Error> {
        let params = PostParams {
            field_manager: Some(FIELD_MANAGER.to_owned()),
            ..PostParams::default()
        };
        let body = serde_json::to_vec(written).map_err(request::Error::SerializeBody);
        let created = |body| secrets(namespace).create(&params, body);
        Self::new("create", "secrets", body.and_then(created))
    }

    /// Builds a request that patches a Secret only if the Secret's version is still the one in `written`.
    pub fn patch(namespace: &str, name: &str, written: &Written<'_>) -> Result<Self, Error> {
        let params = PatchParams {
            field_manager: Some(FIELD_MANAGER.to_owned()),
            ..PatchParams::default()
        };
        let built = secrets(namespace).patch(name, &params, &Patch::Merge(written));
        Self::new("patch", "secrets", built)
    }

    /// Builds a request that deletes a Secret only if the Secret's version is still the one in `base`.
    pub fn delete(namespace: &str, name: &str, base: &Object) -> Result<Self, Error> {
        let params = DeleteParams::default().preconditions(Preconditions {
            resource_version: base.metadata().resource_version.clone(),
            uid: base.metadata().uid.clone(),
        });
        let built = secrets(namespace).delete(name, &params);
        Self::new("delete", "secrets", built)
    }

    pub fn namespaces() -> Result<Self, Error> {
        let built = namespaces().list_metadata(&ListParams::default());
        Self::new("list", "namespaces", built)
    }

    pub fn namespace(name: &str) -> Result<Self, Error> {
        let built = namespaces().get_metadata(name, &GetParams::default());
        Self::new("get", "namespaces", built)
    }

    fn new(verb: &'static str, resource: &'static str, built: Built) -> Result<Self, Error> {
        let http =
            built.map_err(|_| Error::new(Code::Internal, "the request could not be written"))?;
        Ok(Self {
            verb,
            resource,
            // The body is wiped on drop.
            http: http.map(|body| Bytes::from_owner(Zeroizing::new(body))),
        })
    }
}

fn secrets(namespace: &str) -> Api {
    Api::new(Secret::url_path(&(), Some(namespace)))
}

fn namespaces() -> Api {
    Api::new(Namespace::url_path(&(), None))
}

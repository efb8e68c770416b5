//! What is stored, and what is answered.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::fields::{self, Leaves, Owners};
use super::refusal::{
    Refusal, bad_request, conflict, decoded, invalid, not_found, status, validate,
};

/// A request.
pub(super) struct Call {
    pub method: String,
    pub path: String,
    pub query: BTreeMap<String, String>,
    pub token: String,
    pub kind: String,
    pub accept: String,
    pub body: Vec<u8>,
}

/// An answer.
#[derive(Default)]
pub(super) struct Said {
    pub status: u16,
    pub retry_after: Option<u32>,
    pub body: String,
}

/// Namespaces and Secrets.
#[derive(Default)]
pub(super) struct Store {
    namespaces: BTreeSet<String>,
    secrets: BTreeMap<(String, String), Stored>,
    /// Every change has a version of its own, in the whole cluster.
    version: u64,
}

#[derive(Clone)]
struct Stored {
    uid: String,
    version: u64,
    leaves: Leaves,
    owners: Owners,
    dying: bool,
}

type Answered = Result<(u16, Value), Refusal>;

impl Call {
    fn get(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }

    fn json(&self) -> Result<Value, Refusal> {
        if self.body.is_empty() {
            return Ok(json!({}));
        }
        serde_json::from_slice(&self.body).map_err(|_| bad_request("the body is not JSON"))
    }

    fn manager(&self) -> &str {
        match self.get("fieldManager") {
            "" => "unknown",
            name => name,
        }
    }

    fn user(&self) -> Option<&'static str> {
        ["admin", "reader", "nobody"]
            .into_iter()
            .find(|user| self.token == format!("{user}-token"))
    }
}

impl Store {
    pub(super) fn answer(&mut self, call: &Call) -> Said {
        let (status, body) = match self.route(call) {
            Ok((status, body)) => (status, body),
            Err(Refusal(status, reason, message, details)) => {
                (status, self::status(status, reason, &message, &details))
            }
        };
        Said {
            status,
            retry_after: None,
            body: body.to_string(),
        }
    }

    fn route(&mut self, call: &Call) -> Answered {
        let Some(user) = call.user() else {
            return Err(Refusal(
                401,
                "Unauthorized",
                "Unauthorized".to_owned(),
                json!({}),
            ));
        };
        let parts: Vec<&str> = call.path.trim_start_matches('/').split('/').collect();
        let allowed = |resource: &str| {
            let reads = call.method == "GET" && resource == "secrets";
            if user == "admin" || (user == "reader" && reads) {
                Ok(())
            } else {
                let message = format!("{resource} is forbidden: User \"{user}\" cannot do that");
                Err(Refusal(
                    403,
                    "Forbidden",
                    message,
                    json!({ "kind": resource }),
                ))
            }
        };
        match (call.method.as_str(), &parts[..]) {
            ("GET", ["api", "v1", "namespaces"]) => {
                allowed("namespaces")?;
                let items = self
                    .namespaces
                    .iter()
                    .map(|name| json!({ "metadata": { "name": name } }));
                Ok((200, list(items.collect(), call, "Namespace")))
            }
            ("POST", ["api", "v1", "namespaces"]) => {
                allowed("namespaces")?;
                let object = call.json()?;
                let name = object["metadata"]["name"].as_str().unwrap_or_default();
                self.make_namespace(name);
                Ok((201, object))
            }
            ("GET", ["api", "v1", "namespaces", name]) => {
                allowed("namespaces")?;
                if self.namespaces.contains(*name) {
                    Ok((
                        200,
                        json!({ "kind": "Namespace", "metadata": { "name": name } }),
                    ))
                } else {
                    Err(not_found("namespaces", name))
                }
            }
            ("DELETE", ["api", "v1", "namespaces", name]) => {
                allowed("namespaces")?;
                self.namespaces.remove(*name);
                self.secrets.retain(|(namespace, _), _| namespace != name);
                Ok((200, status(200, "", "", &json!({}))))
            }
            (_, ["api", "v1", "namespaces", namespace, "secrets"]) => {
                allowed("secrets")?;
                match call.method.as_str() {
                    "GET" => Ok((200, self.list(namespace, call))),
                    "POST" => self.create(namespace, call),
                    _ => Err(Refusal(405, "MethodNotAllowed", String::new(), json!({}))),
                }
            }
            (_, ["api", "v1", "namespaces", namespace, "secrets", name]) => {
                allowed("secrets")?;
                match call.method.as_str() {
                    "GET" => self.get(namespace, name).map(|object| (200, object)),
                    "PATCH" if call.kind.contains("apply-patch") => {
                        self.apply(namespace, name, call)
                    }
                    "PATCH" => self.patch(namespace, name, call),
                    "DELETE" => self.delete(namespace, name, call),
                    _ => Err(Refusal(405, "MethodNotAllowed", String::new(), json!({}))),
                }
            }
            _ => Err(Refusal(
                404,
                "NotFound",
                "the server could not find the requested resource".to_owned(),
                json!({}),
            )),
        }
    }

    fn list(&self, namespace: &str, call: &Call) -> Value {
        let label = call.get("labelSelector").split_once('=');
        let type_ = call.get("fieldSelector").strip_prefix("type=");
        let items = self
            .secrets
            .iter()
            .filter(|((found, _), _)| found == namespace)
            .map(|((namespace, name), stored)| stored.object(namespace, name))
            .filter(|object| {
                label.is_none_or(|(key, value)| object["metadata"]["labels"][key] == value)
                    && type_.is_none_or(|type_| object["type"] == type_)
            });
        list(items.collect(), call, "Secret")
    }

    fn get(&self, namespace: &str, name: &str) -> Result<Value, Refusal> {
        let stored = self.secrets.get(&(namespace.to_owned(), name.to_owned()));
        let stored = stored.ok_or_else(|| not_found("secrets", name))?;
        Ok(stored.object(namespace, name))
    }

    fn create(&mut self, namespace: &str, call: &Call) -> Answered {
        let mut object = call.json()?;
        let name = object["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        if object["type"].is_null() {
            object["type"] = json!("Opaque");
        }
        decoded(&object)?;
        if !self.namespaces.contains(namespace) {
            return Err(not_found("namespaces", namespace));
        }
        let leaves = fields::leaves(&object);
        validate(&name, None, &leaves)?;
        let key = (namespace.to_owned(), name.clone());
        if self.secrets.contains_key(&key) {
            let message = format!("secrets \"{name}\" already exists");
            let details = json!({ "name": name, "kind": "secrets" });
            return Err(Refusal(409, "AlreadyExists", message, details));
        }
        let mut owners = Owners::new();
        fields::update(&Leaves::new(), &leaves, &mut owners, call.manager());
        self.insert(key, leaves, owners);
        Ok((201, self.get(namespace, &name)?))
    }

    fn patch(&mut self, namespace: &str, name: &str, call: &Call) -> Answered {
        let patch = call.json()?;
        let key = (namespace.to_owned(), name.to_owned());
        let stored = self.secrets.get(&key).cloned();
        let mut stored = stored.ok_or_else(|| not_found("secrets", name))?;
        if let Some(uid) = patch["metadata"]["uid"].as_str()
            && uid != stored.uid
        {
            return Err(invalid(name, "metadata.uid: field is immutable"));
        }
        Self::check_version(name, &stored, &patch)?;
        let mut object = fields::object(&stored.leaves);
        fields::merge(&mut object, &patch);
        decoded(&object)?;
        let leaves = fields::leaves(&object);
        validate(name, Some(&stored.leaves), &leaves)?;
        fields::update(&stored.leaves, &leaves, &mut stored.owners, call.manager());
        self.replace(key, stored, leaves);
        // The last finalizer that goes takes the object along.
        match self.get(namespace, name) {
            Ok(object) => Ok((200, object)),
            Err(_) => Ok((
                200,
                json!({ "kind": "Secret", "metadata": { "name": name } }),
            )),
        }
    }

    fn apply(&mut self, namespace: &str, name: &str, call: &Call) -> Answered {
        let object = call.json()?;
        decoded(&object)?;
        let key = (namespace.to_owned(), name.to_owned());
        let force = call.get("force") == "true";
        let mut applied = fields::leaves(&object);
        let Some(mut stored) = self.secrets.get(&key).cloned() else {
            if !self.namespaces.contains(namespace) {
                return Err(not_found("namespaces", namespace));
            }
            if !object["metadata"]["uid"].is_null()
                || !object["metadata"]["resourceVersion"].is_null()
            {
                return Err(conflict(name, "uid mismatch", &json!({})));
            }
            applied.entry("type/".to_owned()).or_insert(json!("Opaque"));
            validate(name, None, &applied)?;
            let mut owners = Owners::new();
            let mut leaves = Leaves::new();
            let _ = fields::apply(&mut leaves, &applied, &mut owners, call.manager(), force);
            self.insert(key, leaves, owners);
            return Ok((201, self.get(namespace, name)?));
        };
        if let Some(uid) = object["metadata"]["uid"].as_str()
            && uid != stored.uid
        {
            return Err(conflict(name, "uid mismatch", &json!({})));
        }
        Self::check_version(name, &stored, &object)?;
        let mut leaves = stored.leaves.clone();
        let taken = fields::apply(
            &mut leaves,
            &applied,
            &mut stored.owners,
            call.manager(),
            force,
        );
        if let Err(contested) = taken {
            let cause = |path: &String| json!({ "reason": "FieldManagerConflict", "field": path });
            let causes: Vec<Value> = contested.iter().map(cause).collect();
            let message = "Apply failed with conflicts";
            return Err(conflict(name, message, &json!({ "causes": causes })));
        }
        validate(name, Some(&stored.leaves), &leaves)?;
        self.replace(key, stored, leaves);
        Ok((200, self.get(namespace, name)?))
    }

    fn delete(&mut self, namespace: &str, name: &str, call: &Call) -> Answered {
        let options = call.json()?;
        let key = (namespace.to_owned(), name.to_owned());
        let stored = self.secrets.get(&key).cloned();
        let mut stored = stored.ok_or_else(|| not_found("secrets", name))?;
        let conditions = &options["preconditions"];
        if let Some(uid) = conditions["uid"].as_str()
            && uid != stored.uid
        {
            return Err(conflict(
                name,
                "Precondition failed: UID in precondition",
                &json!({}),
            ));
        }
        if let Some(version) = conditions["resourceVersion"].as_str()
            && version != stored.version.to_string()
        {
            return Err(conflict(
                name,
                "Precondition failed: ResourceVersion",
                &json!({}),
            ));
        }
        if stored
            .leaves
            .keys()
            .any(|path| path.starts_with("finalizers/"))
        {
            if !stored.dying {
                stored.dying = true;
                self.version += 1;
                stored.version = self.version;
                self.secrets.insert(key, stored);
            }
            return Ok((200, self.get(namespace, name)?));
        }
        self.secrets.remove(&key);
        self.version += 1;
        let details = json!({ "name": name, "kind": "secrets", "uid": stored.uid });
        let mut said = status(200, "", "", &details);
        said["status"] = json!("Success");
        Ok((200, said))
    }

    fn check_version(name: &str, stored: &Stored, object: &Value) -> Result<(), Refusal> {
        match object["metadata"]["resourceVersion"].as_str() {
            Some(version) if version != stored.version.to_string() => Err(conflict(
                name,
                "the object has been modified; please apply your changes to the latest version and try again",
                &json!({}),
            )),
            _ => Ok(()),
        }
    }

    fn insert(&mut self, key: (String, String), leaves: Leaves, owners: Owners) {
        self.version += 1;
        let stored = Stored {
            uid: format!("uid-{}", self.version),
            version: self.version,
            leaves,
            owners,
            dying: false,
        };
        self.secrets.insert(key, stored);
    }

    fn replace(&mut self, key: (String, String), mut stored: Stored, leaves: Leaves) {
        let before = self.secrets.get(&key);
        let is_same =
            before.is_some_and(|before| before.leaves == leaves && before.owners == stored.owners);
        if is_same {
            return;
        }
        self.version += 1;
        stored.version = self.version;
        let held = leaves.keys().any(|path| path.starts_with("finalizers/"));
        stored.leaves = leaves;
        if stored.dying && !held {
            self.secrets.remove(&key);
        } else {
            self.secrets.insert(key, stored);
        }
    }

    pub(super) fn make_namespace(&mut self, name: &str) {
        self.namespaces.insert("default".to_owned());
        self.namespaces.insert(name.to_owned());
    }

    pub(super) fn secrets_in(&self, namespace: &str) -> BTreeMap<String, Value> {
        let secrets = self
            .secrets
            .iter()
            .filter(|((found, _), _)| found == namespace);
        secrets
            .map(|((_, name), stored)| (name.clone(), stored.object(namespace, name)))
            .collect()
    }

    pub(super) fn place(&mut self, namespace: &str, object: &Value) {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let leaves = fields::leaves(object);
        let mut owners = Owners::new();
        fields::update(&Leaves::new(), &leaves, &mut owners, "bot-cli");
        self.insert((namespace.to_owned(), name.to_owned()), leaves, owners);
    }

    pub(super) fn empty(&mut self, namespace: &str) {
        self.secrets.retain(|(found, _), _| found != namespace);
    }

    /// Somebody else is quicker than this request, with a merge patch or a deletion; whether it was a deletion that succeeded.
    pub(super) fn overtake(&mut self, call: &Call, patch: &Value) -> bool {
        let parts: Vec<&str> = call.path.split('/').collect();
        let [.., namespace, "secrets", name] = parts[..] else {
            return false;
        };
        let other = |method: &str, body: Vec<u8>| Call {
            method: method.to_owned(),
            path: call.path.clone(),
            query: BTreeMap::from([("fieldManager".to_owned(), "other-tool".to_owned())]),
            token: "admin-token".to_owned(),
            kind: "application/merge-patch+json".to_owned(),
            accept: String::new(),
            body,
        };
        // A Secret that is not there can't be changed by anybody.
        if patch.is_null() {
            let deleted = self.delete(namespace, name, &other("DELETE", Vec::new()));
            return deleted.is_ok();
        }
        let _ = self.patch(
            namespace,
            name,
            &other("PATCH", patch.to_string().into_bytes()),
        );
        false
    }
}

impl Stored {
    fn object(&self, namespace: &str, name: &str) -> Value {
        let mut object = fields::object(&self.leaves);
        object["kind"] = json!("Secret");
        object["apiVersion"] = json!("v1");
        let metadata = &mut object["metadata"];
        metadata["name"] = json!(name);
        metadata["namespace"] = json!(namespace);
        metadata["uid"] = json!(self.uid);
        metadata["resourceVersion"] = json!(self.version.to_string());
        metadata["creationTimestamp"] = json!("2021-02-25T12:00:00Z");
        metadata["managedFields"] = fields::managed(&self.owners);
        if self.dying {
            metadata["deletionTimestamp"] = json!("2021-02-25T12:00:00Z");
        }
        object
    }
}

/// A listing, whole or without anything but metadata.
fn list(mut items: Vec<Value>, call: &Call, kind: &str) -> Value {
    let metadata = json!({ "resourceVersion": "1" });
    if !call.accept.contains("as=PartialObjectMetadataList") {
        let kind = format!("{kind}List");
        return json!({ "kind": kind, "apiVersion": "v1", "metadata": metadata, "items": items });
    }
    for item in &mut items {
        *item = json!({ "metadata": item["metadata"].take() });
    }
    // Without anything but metadata, a list of nothing is not even a list.
    let items = (!items.is_empty()).then_some(items);
    json!({ "kind": "PartialObjectMetadataList", "apiVersion": "v1", "metadata": metadata, "items": items })
}

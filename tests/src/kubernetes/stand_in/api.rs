//! The API server's state and its responses.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::refusal::{Refusal, conflict, not_found, status};

/// An HTTP request.
pub(super) struct Call {
    pub method: String,
    pub path: String,
    pub query: BTreeMap<String, String>,
    pub token: String,
    pub accept: String,
    pub body: Vec<u8>,
}

/// An HTTP response.
#[derive(Default)]
pub(super) struct Said {
    pub status: u16,
    pub body: String,
}

/// The namespaces and Secrets in the cluster.
#[derive(Default)]
pub(super) struct Store {
    namespaces: BTreeSet<String>,
    /// The Secrets, keyed by namespace and name.
    secrets: BTreeMap<(String, String), Value>,
    /// The latest resource version. Every change in the cluster gets its own version.
    version: u64,
}

type Answered = Result<(u16, Value), Refusal>;

impl Call {
    fn get(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Refuses unknown users and users without permission for this request.
    fn authorize(&self, resource: &str) -> Result<(), Refusal> {
        let is_read = self.method == "GET" && resource == "secrets";
        match self.token.as_str() {
            "admin-token" => Ok(()),
            "reader-token" if is_read => Ok(()),
            "reader-token" | "nobody-token" => {
                let message = format!("{resource} is forbidden: User cannot do that");
                let details = json!({ "kind": resource });
                Err(Refusal(403, "Forbidden", message, details))
            }
            _ => {
                let message = "Unauthorized".to_owned();
                Err(Refusal(401, "Unauthorized", message, json!({})))
            }
        }
    }
}

impl Store {
    pub(super) fn answer(&mut self, call: &Call) -> Said {
        let (status, body) = self.route(call).unwrap_or_else(|refusal| {
            let Refusal(status, reason, message, details) = refusal;
            let body = self::status(status, reason, &message, &details);
            (status, body)
        });
        let body = body.to_string();
        Said { status, body }
    }

    fn route(&mut self, call: &Call) -> Answered {
        let parts: Vec<&str> = call.path.trim_start_matches('/').split('/').collect();
        let ["api", "v1", "namespaces", path @ ..] = &parts[..] else {
            return Err(not_found("resources", &call.path));
        };
        let is_of_secrets = path.get(1) == Some(&"secrets");
        call.authorize(if is_of_secrets {
            "secrets"
        } else {
            "namespaces"
        })?;
        match (call.method.as_str(), path) {
            ("GET", []) => {
                let names = self.namespaces.iter();
                let items = names.map(|name| json!({ "metadata": { "name": name } }));
                Ok((200, list(items.collect(), call, "Namespace")))
            }
            ("POST", []) => {
                let object = call.json();
                self.make_namespace(object["metadata"]["name"].as_str().unwrap_or_default());
                Ok((201, object))
            }
            ("GET", [name]) if self.namespaces.contains(*name) => Ok((
                200,
                json!({ "kind": "Namespace", "metadata": { "name": name } }),
            )),
            ("GET", [name]) => Err(not_found("namespaces", name)),
            ("DELETE", [name]) => {
                self.namespaces.remove(*name);
                self.empty(name);
                Ok((200, status(200, "", "", &json!({}))))
            }
            ("GET", [namespace, _]) => Ok((200, self.list(namespace, call))),
            ("POST", [namespace, _]) => self.create(namespace, call.json()),
            (method, [namespace, _, name]) => {
                let key = ((*namespace).to_owned(), (*name).to_owned());
                let Some(stored) = self.secrets.get(&key).cloned() else {
                    return Err(not_found("secrets", name));
                };
                match method {
                    "PATCH" => self.patch(key, &stored, &call.json()),
                    "DELETE" => self.delete(&key, stored, &call.json()),
                    _ => Ok((200, stored)),
                }
            }
            _ => Err(not_found("resources", &call.path)),
        }
    }

    fn list(&self, namespace: &str, call: &Call) -> Value {
        let label = call.get("labelSelector").split_once('=');
        let type_ = call.get("fieldSelector").strip_prefix("type=");
        let items = self.secrets_in(namespace).into_values().filter(|object| {
            label.is_none_or(|(key, value)| object["metadata"]["labels"][key] == value)
                && type_.is_none_or(|type_| object["type"] == type_)
        });
        list(items.collect(), call, "Secret")
    }

    fn create(&mut self, namespace: &str, object: Value) -> Answered {
        if !self.namespaces.contains(namespace) {
            return Err(not_found("namespaces", namespace));
        }
        let object = typed(object);
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let key = (namespace.to_owned(), name.to_owned());
        if self.secrets.contains_key(&key) {
            let message = format!("secrets \"{name}\" already exists");
            let details = json!({ "name": name, "kind": "secrets" });
            return Err(Refusal(409, "AlreadyExists", message, details));
        }
        Ok((201, self.insert(key, object)))
    }

    fn patch(&mut self, key: (String, String), stored: &Value, patch: &Value) -> Answered {
        check_version(&key.1, stored, &patch["metadata"]["resourceVersion"])?;
        let mut object = stored.clone();
        merge(&mut object, patch);
        if object != *stored {
            object = self.replace(key, object);
        }
        Ok((200, object))
    }

    fn delete(&mut self, key: &(String, String), mut stored: Value, options: &Value) -> Answered {
        let conditions = &options["preconditions"];
        check_version(&key.1, &stored, &conditions["resourceVersion"])?;
        if !conditions["uid"].is_null() && conditions["uid"] != stored["metadata"]["uid"] {
            return Err(conflict(&key.1));
        }
        let details = json!({ "name": key.1, "kind": "secrets" });
        let is_dying = !stored["metadata"]["deletionTimestamp"].is_null();
        if !is_dying {
            stored["metadata"]["deletionTimestamp"] = json!("2021-02-25T12:00:00Z");
            stored = self.replace(key.clone(), stored);
        }
        if self.secrets.contains_key(key) {
            return Ok((200, stored));
        }
        let mut said = status(200, "", "", &details);
        said["status"] = json!("Success");
        Ok((200, said))
    }

    fn insert(&mut self, key: (String, String), mut object: Value) -> Value {
        object["metadata"]["namespace"] = json!(key.0);
        object["metadata"]["uid"] = json!(format!("uid-{}", self.version + 1));
        self.replace(key, object)
    }

    /// Stores an object under a new version. An object marked for deletion is removed once it has no more finalizers.
    fn replace(&mut self, key: (String, String), mut object: Value) -> Value {
        self.version += 1;
        let metadata = &mut object["metadata"];
        metadata["resourceVersion"] = json!(self.version.to_string());
        let finalizers = metadata["finalizers"].as_array();
        let is_held = finalizers.is_some_and(|finalizers| !finalizers.is_empty());
        if metadata["deletionTimestamp"].is_null() || is_held {
            self.secrets.insert(key, object.clone());
        } else {
            self.secrets.remove(&key);
        }
        object
    }

    pub(super) fn make_namespace(&mut self, name: &str) {
        self.namespaces.insert("default".to_owned());
        self.namespaces.insert(name.to_owned());
    }

    pub(super) fn secrets_in(&self, namespace: &str) -> BTreeMap<String, Value> {
        let secrets = self.secrets.iter();
        let secrets = secrets.filter(|((found, _), _)| found == namespace);
        secrets
            .map(|((_, name), object)| (name.clone(), object.clone()))
            .collect()
    }

    pub(super) fn empty(&mut self, namespace: &str) {
        self.secrets.retain(|(found, _), _| found != namespace);
    }

    /// Applies a merge patch to the Secret just before this request, as a concurrent client might.
    pub(super) fn overtake(&mut self, call: &Call, patch: &Value) {
        let parts: Vec<&str> = call.path.split('/').collect();
        let [.., namespace, "secrets", name] = parts[..] else {
            return;
        };
        let key = (namespace.to_owned(), name.to_owned());
        if let Some(stored) = self.secrets.get(&key).cloned() {
            let _ = self.patch(key, &stored, patch);
        }
    }
}

/// Adds the fields that the API server sets on a new Secret.
fn typed(mut object: Value) -> Value {
    object["apiVersion"] = json!("v1");
    object["kind"] = json!("Secret");
    if object["type"].is_null() {
        object["type"] = json!("Opaque");
    }
    object
}

fn check_version(name: &str, stored: &Value, version: &Value) -> Result<(), Refusal> {
    if version.is_null() || *version == stored["metadata"]["resourceVersion"] {
        Ok(())
    } else {
        Err(conflict(name))
    }
}

/// Applies a JSON merge patch.
fn merge(target: &mut Value, patch: &Value) {
    let Some(patch) = patch.as_object() else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    for (key, value) in patch {
        if value.is_null() {
            if let Some(target) = target.as_object_mut() {
                target.remove(key);
            }
        } else {
            merge(&mut target[key], value);
        }
    }
}

/// Returns a list response, with complete objects or only their metadata.
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

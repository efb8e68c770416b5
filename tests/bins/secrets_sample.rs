//! A secrets backend that follows the protocol, except where the rules in a file next to the executable add faults.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use bot_cli_tests::faulty::{self, Plugin, Wire, kept};
use serde_json::{Map, Value, json};

const MANIFEST: &str = concat!(
    "bot-cli-plugin: ",
    r#"{"protocol":"1.0","name":"secrets-sample","version":"1.0.0","about":"Have one fault","role":"secrets-backend","secrets":"1.0","#,
    r#""settings":[{"name":"file","about":"The file that keeps the sets"}]}"#,
    "\n"
);

/// The maximum size of a value, in bytes.
const LARGEST: usize = 200_000;
/// The maximum number of keys in a set.
const MOST: usize = 1000;

/// The methods with their required parameters.
const METHODS: [(&str, &[&str]); 10] = [
    ("secrets/open", &[]),
    ("secrets/list", &[]),
    ("secrets/get", &["name"]),
    ("secrets/values", &["name"]),
    ("secrets/credentials", &["name"]),
    ("secrets/put", &["name", "entries", "prior"]),
    (
        "secrets/put_image_pull_secret",
        &["name", "host", "credentials", "prior"],
    ),
    ("secrets/unset", &["name", "keys"]),
    ("secrets/delete", &["name"]),
    ("secrets/organizations", &[]),
];

/// Secret sets by name, each with its `kind` and `values`.
type Sets = Map<String, Value>;

/// The code and message of a failed request.
struct Refused(&'static str, &'static str);

/// The place of the sets, or `None` before `secrets/open`.
struct Sample(Option<Place>);

/// The sets of one organization in a file that stores those of all.
struct Place {
    file: PathBuf,
    organization: String,
}

fn main() {
    std::hint::black_box(MANIFEST);
    faulty::main(&mut Sample(None));
}

impl Plugin for Sample {
    fn serve(&mut self, wire: &mut Wire, id: &Value, method: &str, params: &Value) {
        let needs = METHODS.iter().find(|(name, _)| *name == method);
        let schema = params["secrets"].as_str().unwrap_or("1.0");
        match (needs, &self.0) {
            (None, _) => wire.fail(id, -32601, "no such method", &json!({})),
            (Some(("secrets/open", _)), None) if !schema.starts_with("1.") => {
                let data = json!({ "supported": ["1.0"] });
                wire.fail(id, -32022, "another version", &data);
            }
            (Some(("secrets/open", _)), None) => {
                let organization = params["organization"].as_str().unwrap_or("home");
                wire.result(id, &opened(organization));
                self.0 = Some(Place {
                    file: kept(params, "sample.json"),
                    organization: organization.to_owned(),
                });
            }
            (Some(("secrets/open", _)), Some(_)) | (_, None) => {
                wire.fail(id, -32600, "out of turn", &json!({}));
            }
            (Some((_, needs)), _) if !needs.iter().all(|name| fits(name, &params[name])) => {
                wire.fail(id, -32602, "a parameter is missing", &json!({}));
            }
            (Some(_), Some(place)) => match place.done(method, params) {
                Ok(reply) => wire.result(id, &reply),
                Err(Refused(code, message)) => {
                    wire.fail(
                        id,
                        1,
                        message,
                        &json!({ "code": code, "effect": "not_done" }),
                    );
                }
            },
        }
    }
}

impl Place {
    fn done(&self, method: &str, params: &Value) -> Result<Value, Refused> {
        let name = params["name"].as_str().unwrap_or_default();
        let mut sets = self.read();
        let set = sets.get_mut(name);
        match method {
            "secrets/list" => {
                let listed = sets.iter().map(|(name, set)| summary(name, set));
                Ok(json!({ "sets": listed.collect::<Vec<_>>() }))
            }
            "secrets/get" => Ok(json!({ "set": set.map(|set| {
                let keys = set["values"].as_object().into_iter().flatten();
                let keys = keys.filter(|_| set["kind"] == "secret");
                let mut details = summary(name, set);
                details["keys"] = keys.map(|(key, _)| key.as_str()).collect();
                details
            }) })),
            "secrets/values" => {
                let set = set.filter(|set| set["kind"] == "secret");
                Ok(json!({ "values": set.map(|set| set["values"].take()) }))
            }
            "secrets/credentials" => match set {
                Some(set) if set["kind"] == "image_pull_secret" => Ok(set["values"].take()),
                _ => Err(Refused("not_found", "there is no such image pull secret")),
            },
            "secrets/unset" => {
                let keys = params["keys"].as_array().into_iter().flatten();
                let mut values = set.and_then(|set| set["values"].as_object_mut());
                let missing: Vec<&str> = keys
                    .filter_map(Value::as_str)
                    .filter(|key| {
                        let values = values.as_mut();
                        values.is_none_or(|values| values.remove(*key).is_none())
                    })
                    .collect();
                self.write(&sets);
                Ok(json!({ "missing": missing }))
            }
            "secrets/organizations" => {
                let names = self.organizations().into_iter();
                let rows = names.map(|(name, _)| json!({ "name": name }));
                Ok(json!({ "organizations": rows.collect::<Vec<_>>() }))
            }
            "secrets/delete" => {
                let deleted = sets.remove(name).is_some();
                self.write(&sets);
                Ok(json!({ "deleted": deleted }))
            }
            _ => self.put(method, params, &mut sets),
        }
    }

    fn put(&self, method: &str, params: &Value, sets: &mut Sets) -> Result<Value, Refused> {
        let name = params["name"].as_str().unwrap_or_default();
        let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !(1..=63).contains(&name.len())
            || !name.chars().all(is_allowed)
            || name.starts_with('-')
            || name.ends_with('-')
        {
            return Err(Refused("invalid_name", "no set can have this name"));
        }
        let entries = params["entries"].as_object();
        let mut values = entries.into_iter().flatten();
        if values.any(|(_, value)| value.as_str().is_some_and(|value| value.len() > LARGEST)) {
            return Err(Refused("too_large", "the value is too large"));
        }
        if entries.is_some_and(|entries| entries.len() > MOST) {
            return Err(Refused("too_large", "the set has too many keys"));
        }
        if (params["prior"] == "absent") == sets.contains_key(name) {
            return Err(Refused("conflict", "it was made or removed meanwhile"));
        }
        let kind = match method {
            "secrets/put" => "secret",
            _ => "image_pull_secret",
        };
        let region = params["region"].as_str().unwrap_or("us-west");
        let new = json!({ "kind": kind, "region": region, "values": {} });
        let set = sets.entry(name).or_insert(new);
        if set["kind"] != kind {
            return Err(Refused("conflict", "it is of the other kind"));
        }
        for (key, value) in entries.into_iter().flatten() {
            set["values"][key] = value.clone();
        }
        if entries.is_none() {
            let (host, credentials) = (&params["host"], &params["credentials"]);
            set["values"] = json!({ "host": host, "credentials": credentials });
        }
        self.write(sets);
        Ok(json!({}))
    }

    fn organizations(&self) -> BTreeMap<String, Sets> {
        let text = fs::read(&self.file).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    fn read(&self) -> Sets {
        let mut all = self.organizations();
        all.remove(&self.organization).unwrap_or_default()
    }

    fn write(&self, sets: &Sets) {
        let mut all = self.organizations();
        all.insert(self.organization.clone(), sets.clone());
        drop(self.file.parent().map(fs::create_dir_all));
        drop(fs::write(&self.file, json!(all).to_string()));
    }
}

fn opened(organization: &str) -> Value {
    let regions = json!([{ "code": "us-west", "name": "US West" }, { "code": "us-east" }, { "code": "eu-central" }]);
    json!({
        "organization": organization,
        "place": format!("organization {organization}"),
        "regions": { "all": regions, "default": "us-west" },
        "names": { "shortest": 1, "longest": 63, "capitals": false },
        "limits": { "value_bytes": LARGEST, "keys": MOST },
        "can": ["values", "image_pull_secrets", "organizations", "of_a_later_version"],
    })
}

fn summary(name: &str, set: &Value) -> Value {
    json!({ "name": name, "kind": set["kind"], "region": set["region"], "status": "ready", "error": null })
}

/// Reports whether a parameter is present and has the right type.
fn fits(name: &str, value: &Value) -> bool {
    match name {
        "entries" => value
            .as_object()
            .is_some_and(|it| it.values().all(Value::is_string)),
        "keys" => value
            .as_array()
            .is_some_and(|it| it.iter().all(Value::is_string)),
        "prior" => value == "absent" || value.is_object(),
        _ => value.is_string(),
    }
}

//! Which writer owns which field of an object: server-side apply as the API does it, for the fields that Secrets have.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// A writer: its name, and whether it applies or updates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Writer {
    pub name: String,
    pub applies: bool,
}

/// The fields of an object by their paths, such as `data/KEY`.
pub(super) type Leaves = BTreeMap<String, Value>;

/// The owners of paths.
pub(super) type Owners = BTreeMap<Writer, BTreeSet<String>>;

/// The fields of an object.
pub(super) fn leaves(object: &Value) -> Leaves {
    let mut leaves = Leaves::new();
    let mut take = |section: &str, map: &Value| {
        for (key, value) in map.as_object().into_iter().flatten() {
            leaves.insert(format!("{section}/{key}"), value.clone());
        }
    };
    take("data", &object["data"]);
    take("labels", &object["metadata"]["labels"]);
    take("annotations", &object["metadata"]["annotations"]);
    for finalizer in object["metadata"]["finalizers"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let path = format!("finalizers/{}", finalizer.as_str().unwrap_or_default());
        leaves.insert(path, Value::Null);
    }
    for scalar in ["type", "immutable"] {
        if !object[scalar].is_null() {
            leaves.insert(format!("{scalar}/"), object[scalar].clone());
        }
    }
    leaves
}

/// The object of these fields.
pub(super) fn object(leaves: &Leaves) -> Value {
    let mut object = json!({ "metadata": {} });
    for (path, value) in leaves {
        let Some((section, key)) = path.split_once('/') else {
            continue;
        };
        match section {
            "data" => object["data"][key] = value.clone(),
            "labels" | "annotations" => object["metadata"][section][key] = value.clone(),
            "finalizers" => match object["metadata"]["finalizers"].as_array_mut() {
                Some(finalizers) => finalizers.push(json!(key)),
                None => object["metadata"]["finalizers"] = json!([key]),
            },
            scalar => object[scalar] = value.clone(),
        }
    }
    object
}

/// `managedFields`, as the API writes them.
pub(super) fn managed(owners: &Owners) -> Value {
    let entries = owners.iter().map(|(writer, paths)| {
        let mut fields = json!({});
        for path in paths {
            let Some((section, key)) = path.split_once('/') else {
                continue;
            };
            match section {
                "data" => fields["f:data"][format!("f:{key}")] = json!({}),
                "labels" | "annotations" | "finalizers" => {
                    fields["f:metadata"][format!("f:{section}")][format!("f:{key}")] = json!({});
                }
                scalar => fields[format!("f:{scalar}")] = json!({}),
            }
        }
        json!({
            "manager": writer.name,
            "operation": if writer.applies { "Apply" } else { "Update" },
            "apiVersion": "v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        })
    });
    Value::Array(entries.collect())
}

/// A writer that sends whole objects or patches owns what it has changed.
pub(super) fn update(before: &Leaves, after: &Leaves, owners: &mut Owners, name: &str) {
    let changed: BTreeSet<String> = after
        .iter()
        .filter(|(path, value)| before.get(*path) != Some(value))
        .map(|(path, _)| path.clone())
        .collect();
    let writer = Writer {
        name: name.to_owned(),
        applies: false,
    };
    for (other, paths) in owners.iter_mut() {
        paths.retain(|path| {
            after.contains_key(path) && (*other == writer || !changed.contains(path))
        });
    }
    owners.entry(writer).or_default().extend(changed);
    owners.retain(|_, paths| !paths.is_empty());
}

/// A writer that applies owns what it applies; what it has applied before and leaves out now goes. The error has the fields that
/// others own with other values.
pub(super) fn apply(
    current: &mut Leaves,
    applied: &Leaves,
    owners: &mut Owners,
    name: &str,
    force: bool,
) -> Result<(), Vec<String>> {
    let writer = Writer {
        name: name.to_owned(),
        applies: true,
    };
    let differs = |path: &String, value: &Value| current.get(path).is_some_and(|now| now != value);
    let contested: Vec<String> = applied
        .iter()
        .filter(|(path, value)| {
            differs(path, value)
                && owners
                    .iter()
                    .any(|(other, paths)| *other != writer && paths.contains(*path))
        })
        .map(|(path, _)| path.clone())
        .collect();
    if !contested.is_empty() && !force {
        return Err(contested);
    }
    for (other, paths) in owners.iter_mut() {
        if *other != writer {
            paths.retain(|path| !contested.contains(path));
        }
    }
    let before = owners.remove(&writer).unwrap_or_default();
    for path in before {
        let is_owned = owners.values().any(|paths| paths.contains(&path));
        if !applied.contains_key(&path) && !is_owned {
            current.remove(&path);
        }
    }
    current.extend(applied.clone());
    owners.insert(writer, applied.keys().cloned().collect());
    owners.retain(|_, paths| !paths.is_empty());
    Ok(())
}

/// A merge patch.
pub(super) fn merge(target: &mut Value, patch: &Value) {
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

//! Secret sets and image pull secrets, following the service's own rules.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::message::{Call, Family, Reply, query, require, segments};
use super::world::{Content, ListForm, Outcome, Sent, Set, World};

pub(super) fn list(request: &Sent, world: &mut World, organization: &str) -> Reply {
    let region = query(&request.target, "region");
    let empty_is_missing = world.empty_list_is_missing;
    let Some(organization) = world.organization(organization) else {
        return set_not_found();
    };
    let sets: Vec<Value> = organization
        .sets
        .iter_mut()
        .filter(|(_, set)| region.as_ref().is_none_or(|region| *region == set.region))
        .map(|(name, set)| {
            let kind = match set.content {
                Content::Keys(_) | Content::Referenced => "secret",
                Content::ImagePull { .. } => "imagePullSecret",
            };
            let mut row = json!({"name": name, "type": kind, "region": set.region});
            add_status(&mut row, set);
            row
        })
        .collect();
    if sets.is_empty() && empty_is_missing {
        return Reply::error(404, "No secret sets found", "NOT_FOUND");
    }
    Reply::json(200, &json!({"sets": sets}))
}

pub(super) fn get(world: &mut World, organization: &str, name: &str) -> Reply {
    let Some(set) = find(world, organization, name) else {
        return set_not_found();
    };
    let mut document = json!({"region": set.region});
    add_status(&mut document, set);
    match &set.content {
        Content::ImagePull { .. } => {
            return Reply::bad_request("Cannot retrieve image pull secrets by name");
        }
        Content::Referenced => {
            document["secrets"] = json!([]);
            document["source"] = json!("referenced");
        }
        Content::Keys(values) => {
            let keys: Vec<Value> = values.keys().map(|key| json!({"fieldName": key})).collect();
            document["secrets"] = json!(keys);
        }
    }
    Reply::json(200, &document)
}

pub(super) fn put(
    request: &Sent,
    world: &mut World,
    family: Family,
    organization: &str,
    name: &str,
) -> Reply {
    if !is_set_name(name) {
        return Reply::bad_request("Invalid request format");
    }
    let list_form = world.list_form;
    let provisioning = world.provisioning;
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let text = |field: &str| body[field].as_str().map(str::to_owned);
    let content = if body["isImagePullSecret"] == true {
        match (text("host"), text("secretValue")) {
            (Some(host), Some(credentials)) => Content::ImagePull { host, credentials },
            _ => {
                return Reply::bad_request(
                    "Must provide isImagePullSecret, host, and secretValue to update an image pull secret",
                );
            }
        }
    } else {
        match pairs(&body, family, list_form) {
            Some(pairs) => Content::Keys(pairs),
            None => return Reply::bad_request("Invalid request format"),
        }
    };
    let Some(organization) = world.organization(organization) else {
        return set_not_found();
    };
    let wanted = text("region");
    if let Some(wanted) = &wanted
        && !organization.has_region(wanted)
    {
        return Reply::bad_request("Invalid region or organization does not have access");
    }
    let region = wanted.unwrap_or_else(|| organization.default_region().to_owned());
    let status = match family {
        Family::Published => 202,
        Family::Organization => 200,
    };
    let Some(set) = organization.sets.get_mut(name) else {
        let set = Set {
            region: region.clone(),
            content,
            pending_reads: provisioning.pending_reads,
            outcome: provisioning.outcome,
        };
        organization.sets.insert(name.to_owned(), set);
        return Reply::json(status, &json!({"status": "OK", "region": region}));
    };
    if text("region").is_some_and(|region| region != set.region) {
        let there = &set.region;
        return Reply::bad_request(&format!(
            "Secret already exists in region '{there}'. Cannot change region to '{region}'."
        ));
    }
    match (&mut set.content, content) {
        (Content::Keys(there), Content::Keys(new)) => there.extend(new),
        (there @ Content::ImagePull { .. }, new @ Content::ImagePull { .. }) => *there = new,
        (Content::Keys(_), Content::ImagePull { .. }) => {
            return Reply::bad_request(
                "Cannot update existing regular secrets to image pull secrets",
            );
        }
        (Content::ImagePull { .. }, _) => {
            return Reply::bad_request(
                "Must provide isImagePullSecret, host, and secretValue to update an image pull secret",
            );
        }
        (Content::Referenced, _) | (_, Content::Referenced) => return referenced(),
    }
    set.pending_reads = provisioning.pending_reads;
    set.outcome = provisioning.outcome;
    Reply::json(status, &json!({"status": "OK", "region": set.region}))
}

pub(super) fn delete(world: &mut World, organization: &str, name: &str) -> Reply {
    let gone = world
        .organization(organization)
        .and_then(|organization| organization.sets.remove(name));
    match gone {
        Some(_) => deleted(world),
        None => set_not_found(),
    }
}

pub(super) fn unset(world: &mut World, organization: &str, name: &str, key: &str) -> Reply {
    let Some(set) = find(world, organization, name) else {
        return set_not_found();
    };
    match &mut set.content {
        Content::Keys(values) => match values.remove(key) {
            Some(_) => deleted(world),
            None => Reply::error(404, "Secret not found", "NOT_FOUND"),
        },
        Content::ImagePull { .. } => Reply::bad_request("Cannot delete keys of image pull secrets"),
        Content::Referenced => referenced(),
    }
}

/// Adds a set that is stored in the organization's own cluster.
pub(super) fn refer(call: Call<'_>, world: &mut World) -> Result<Reply, Reply> {
    let body = call.body("name region", &mut world.unknown_members);
    let name = body["name"].as_str().unwrap_or_default();
    let region = body["region"].as_str().unwrap_or_default();
    require(is_set_name(name), "Invalid request format")?;
    require(
        world.self_hosted_regions.iter().any(|own| own == region),
        "Secrets can only be referenced in self-hosted regions",
    )?;
    let is_new = find(world, call.organization, name).is_none();
    require(is_new, "Secret already exists")?;
    world.reference(call.organization, name, region);
    Ok(json!({"status": "OK", "region": region}).into())
}

/// Returns the set that a request changes, as `organization/set`. On the published paths, the organization is empty.
pub(super) fn changes(request: &Sent) -> Option<String> {
    let segments = segments(&request.target);
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    match (request.method.as_str(), segments.as_slice()) {
        ("PUT" | "DELETE", ["v1", "organizations", organization, "secrets", set, ..]) => {
            Some(format!("{organization}/{set}"))
        }
        ("PUT" | "DELETE", ["v1", "secrets", set, ..]) => Some(format!("/{set}")),
        _ => None,
    }
}

pub(super) fn conflict(set: &str) -> Reply {
    let name = set.rsplit('/').next().unwrap_or(set);
    Reply::error(
        409,
        &format!("Secret set '{name}' was modified concurrently. Please retry."),
        "CONFLICT",
    )
}

/// Returns the keys and values from a request in either format, if the paths accept that format.
fn pairs(body: &Value, family: Family, list_form: ListForm) -> Option<BTreeMap<String, String>> {
    let pair = |pair: &Value| {
        let key = pair["secretKey"].as_str().filter(|key| !key.is_empty())?;
        let value = pair["secretValue"]
            .as_str()
            .filter(|value| !value.is_empty())?;
        Some((key.to_owned(), value.to_owned()))
    };
    let offered = match (list_form, family) {
        (ListForm::Everywhere, _) | (ListForm::Published, Family::Published) => true,
        (ListForm::Nowhere, _) | (ListForm::Published, Family::Organization) => false,
    };
    match body["secrets"].as_array() {
        Some(pairs) if offered && !pairs.is_empty() => pairs.iter().map(pair).collect(),
        Some(_) => None,
        // Only the form with a list is published where that is understood.
        None if family == Family::Published && offered => None,
        None => Some(BTreeMap::from([pair(body)?])),
    }
}

/// Adds the provisioning status. Each read brings a pending set one step closer to completion.
fn add_status(document: &mut Value, set: &mut Set) {
    if set.pending_reads > 0 {
        set.pending_reads -= 1;
        document["status"] = json!("pending");
        return;
    }
    match set.outcome {
        Outcome::Ready => document["status"] = json!("ready"),
        Outcome::Failed(reason) => {
            document["status"] = json!("failed");
            document["errorMessage"] = json!(reason);
        }
    }
}

fn find<'world>(
    world: &'world mut World,
    organization: &str,
    name: &str,
) -> Option<&'world mut Set> {
    world.organization(organization)?.sets.get_mut(name)
}

/// Reports whether a name consists of 3 to 63 lowercase letters, digits, hyphens and dots. Each part between dots must be nonempty and must
/// not begin or end with a hyphen.
fn is_set_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    (3..=63).contains(&name.len()) && name.split('.').all(is_part)
}

pub(super) fn deleted(world: &World) -> Reply {
    if world.deletes_say_nothing {
        Reply::empty(204)
    } else {
        Reply::json(200, &json!({"status": "OK"}))
    }
}

fn set_not_found() -> Reply {
    Reply::error(404, "Set not found", "NOT_FOUND")
}

fn referenced() -> Reply {
    Reply::bad_request("Referenced secret sets are managed in their own cluster")
}

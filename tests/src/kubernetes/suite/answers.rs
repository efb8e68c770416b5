//! What an API server answers, request by request: the stand-in is held to what the real one was seen to say.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{Check, Room};
use crate::kubernetes::cluster::{Cluster, Seen, secret};

pub(super) const CHECKS: &[Check] = &[
    ("answers_to_creating", creating),
    ("answers_to_changing", changing),
    ("answers_to_deleting", deleting),
    ("answers_to_listing", listing),
];

/// Status and reason; the reason of success is empty.
fn said(seen: &Seen) -> (u16, String) {
    let reason = seen.body["reason"].as_str().unwrap_or_default();
    (seen.status, reason.to_owned())
}

fn object(name: &str, type_: &str, data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name }, "type": type_, "data": data })
}

fn creating(cluster: &Cluster) {
    let room = Room::new(cluster);
    let path = format!("/api/v1/namespaces/{}/secrets", room.namespace);
    let create = |object: &Value| cluster.send("POST", &path, Some(("json", object)));
    let made = create(&object("a", "Opaque", &json!({ "A": "MQ==" })));
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(made.body["kind"], "Secret");
    assert_eq!(made.body["data"], json!({ "A": "MQ==" }));
    assert!(made.body["metadata"]["uid"].is_string());
    assert!(made.body["metadata"]["resourceVersion"].is_string());
    let invalid = (422, "Invalid".to_owned());
    let again = create(&object("a", "Opaque", &json!({})));
    assert_eq!(said(&again), (409, "AlreadyExists".to_owned()));
    assert_eq!(again.body["kind"], "Status");
    assert_eq!(again.body["status"], "Failure");
    for bad in [
        object("Bad_Name", "Opaque", &json!({})),
        object("My-Set", "Opaque", &json!({})),
        object("b", "Opaque", &json!({ "A B": "MQ==" })),
        object("b", "Opaque", &json!({ "..": "MQ==" })),
        object("b", "Opaque", &json!({ "K".repeat(254): "MQ==" })),
        object("b", "kubernetes.io/dockerconfigjson", &json!({})),
        object(
            "b",
            "kubernetes.io/dockerconfigjson",
            &json!({ ".dockerconfigjson": STANDARD.encode("no json") }),
        ),
        object(
            "b",
            "Opaque",
            &json!({ "A": STANDARD.encode("x".repeat(1024 * 1024 + 1)) }),
        ),
    ] {
        let seen = create(&bad);
        assert_eq!(said(&seen), invalid, "{:.200}", bad.to_string());
    }
    // The keys do not count.
    let largest = object(
        "b",
        "Opaque",
        &json!({ "A": STANDARD.encode("x".repeat(1024 * 1024)) }),
    );
    assert_eq!(create(&largest).status, 201);
    let not_base64 = create(&object("c", "Opaque", &json!({ "A": "%" })));
    assert_eq!(said(&not_base64), (400, "BadRequest".to_owned()));
    let nowhere = "/api/v1/namespaces/bot-cli-no-such/secrets";
    let nowhere = cluster.send(
        "POST",
        nowhere,
        Some(("json", &object("a", "Opaque", &json!({})))),
    );
    assert_eq!(said(&nowhere), (404, "NotFound".to_owned()));
    assert_eq!(nowhere.body["details"]["kind"], "namespaces");
    for (number, key) in ["._C3_BC", ".A_20B", "a.b-c_D"].iter().enumerate() {
        let name = format!("key-{number}");
        let seen = create(&object(&name, "Opaque", &json!({ *key: "MQ==" })));
        assert_eq!(seen.status, 201, "{key}");
    }
}

fn changing(cluster: &Cluster) {
    let room = Room::new(cluster);
    cluster.create(
        &room.namespace,
        "a",
        &json!({ "data": { "A": "MQ==", "B": "Mg==" } }),
    );
    let path = secret(&room.namespace, "a");
    let merge = |patch: &Value| cluster.send("PATCH", &path, Some(("merge-patch+json", patch)));
    let before = cluster.secret(&room.namespace, "a").unwrap();
    let version = &before["metadata"]["resourceVersion"];
    let removed = merge(&json!({
        "metadata": { "resourceVersion": version }, "data": { "A": null, "C": null },
    }));
    assert_eq!(removed.status, 200, "{removed:?}");
    assert_eq!(removed.body["data"], json!({ "B": "Mg==" }));
    let conflict = (409, "Conflict".to_owned());
    let stale =
        merge(&json!({ "metadata": { "resourceVersion": version }, "data": { "B": null } }));
    assert_eq!(said(&stale), conflict);
    let missing = cluster.send(
        "PATCH",
        &secret(&room.namespace, "none"),
        Some(("merge-patch+json", &json!({ "data": { "A": null } }))),
    );
    assert_eq!(said(&missing), (404, "NotFound".to_owned()));
    assert_eq!(missing.body["details"]["kind"], "secrets");
    // Nothing to change is no new version.
    let now = cluster.secret(&room.namespace, "a").unwrap();
    let same = merge(&json!({ "data": { "C": null } }));
    assert_eq!(
        same.body["metadata"]["resourceVersion"],
        now["metadata"]["resourceVersion"]
    );
    let invalid = (422, "Invalid".to_owned());
    assert_eq!(
        said(&merge(&json!({ "type": "kubernetes.io/tls" }))),
        invalid
    );
    assert_eq!(merge(&json!({ "immutable": true })).status, 200);
    assert_eq!(said(&merge(&json!({ "data": { "B": "Mw==" } }))), invalid);
    // Its labels can still be changed.
    assert_eq!(
        merge(&json!({ "metadata": { "labels": { "a": "b" } } })).status,
        200
    );
}

fn deleting(cluster: &Cluster) {
    let room = Room::new(cluster);
    let namespace = &room.namespace;
    let delete = |name: &str, conditions: &Value| {
        let options = json!({ "preconditions": conditions });
        cluster.send("DELETE", &secret(namespace, name), Some(("json", &options)))
    };
    cluster.create(namespace, "a", &json!({}));
    let before = cluster.secret(namespace, "a").unwrap();
    let version = before["metadata"]["resourceVersion"].clone();
    let uid = before["metadata"]["uid"].clone();
    cluster.patch(namespace, "a", &json!({ "data": { "A": "MQ==" } }));
    let conflict = (409, "Conflict".to_owned());
    assert_eq!(
        said(&delete("a", &json!({ "resourceVersion": version }))),
        conflict
    );
    assert_eq!(said(&delete("a", &json!({ "uid": "other" }))), conflict);
    let now = cluster.secret(namespace, "a").unwrap();
    let version = now["metadata"]["resourceVersion"].clone();
    let gone = delete("a", &json!({ "resourceVersion": version, "uid": uid }));
    assert_eq!(gone.status, 200, "{gone:?}");
    assert_eq!(
        (&gone.body["kind"], &gone.body["status"]),
        (&json!("Status"), &json!("Success"))
    );
    let again = delete("a", &json!({ "uid": uid }));
    assert_eq!(said(&again), (404, "NotFound".to_owned()));
    // One with a finalizer stays until that is gone.
    cluster.create(
        namespace,
        "b",
        &json!({ "metadata": { "finalizers": ["bot-cli.test/held"] } }),
    );
    let held = delete("b", &json!({}));
    assert_eq!((held.status, &held.body["kind"]), (200, &json!("Secret")));
    assert!(held.body["metadata"]["deletionTimestamp"].is_string());
    assert!(cluster.secret(namespace, "b").is_some());
    cluster.patch(
        namespace,
        "b",
        &json!({ "metadata": { "finalizers": null } }),
    );
    assert!(cluster.secret(namespace, "b").is_none());
}

fn listing(cluster: &Cluster) {
    let room = Room::new(cluster);
    let namespace = &room.namespace;
    let label = json!({ "labels": { "app.kubernetes.io/managed-by": "bot-cli" } });
    for number in 0..5 {
        cluster.create(
            namespace,
            &format!("set-{number}"),
            &json!({ "metadata": label, "data": { "A": "MQ==" } }),
        );
    }
    cluster.create(namespace, "other", &json!({}));
    let registry = json!({ ".dockerconfigjson": STANDARD.encode("{}") });
    let pull =
        json!({ "metadata": label, "type": "kubernetes.io/dockerconfigjson", "data": registry });
    cluster.create(namespace, "pull", &pull);
    let path = format!(
        "/api/v1/namespaces/{namespace}/secrets?labelSelector=app.kubernetes.io%2Fmanaged-by%3Dbot-cli&fieldSelector=type%3DOpaque"
    );
    let listed = cluster.send("GET", &path, None);
    assert_eq!(listed.status, 200, "{listed:?}");
    let items = listed.body["items"].as_array().unwrap().iter();
    let names: Vec<&Value> = items.map(|item| &item["metadata"]["name"]).collect();
    assert_eq!(names, ["set-0", "set-1", "set-2", "set-3", "set-4"]);
    let nowhere = cluster.send("GET", "/api/v1/namespaces/bot-cli-no-such/secrets", None);
    assert_eq!((nowhere.status, &nowhere.body["items"]), (200, &json!([])));
    let missing = cluster.send("GET", "/api/v1/namespaces/bot-cli-no-such", None);
    assert_eq!(said(&missing), (404, "NotFound".to_owned()));
    assert_eq!(missing.body["details"]["kind"], "namespaces");
}

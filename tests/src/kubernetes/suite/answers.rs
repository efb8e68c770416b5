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
    let again = create(&object("a", "Opaque", &json!({})));
    assert_eq!(said(&again), (409, "AlreadyExists".to_owned()));
    assert_eq!(again.body["status"], "Failure");
    let zeros = |bytes: usize| json!({ "A": STANDARD.encode(vec![0; bytes]) });
    for (name, data) in [
        ("My-Set", json!({})),
        ("b", json!({ "A B": "MQ==" })),
        ("b", json!({ "..": "MQ==" })),
        ("b", json!({ "K".repeat(254): "MQ==" })),
        ("b", zeros(1024 * 1024 + 1)),
    ] {
        let seen = create(&object(name, "Opaque", &data));
        assert_eq!(said(&seen), (422, "Invalid".to_owned()), "{name}");
    }
    // The keys do not count.
    for (name, data) in [
        ("largest", zeros(1024 * 1024)),
        (
            "keys",
            json!({ "._C3_BC": "", ".A_20B": "", "a.b-c_D": "" }),
        ),
    ] {
        assert_eq!(create(&object(name, "Opaque", &data)).status, 201, "{name}");
    }
    let new = object("a", "Opaque", &json!({}));
    let nowhere = "/api/v1/namespaces/bot-cli-no-such/secrets";
    let nowhere = cluster.send("POST", nowhere, Some(("json", &new)));
    assert_eq!(said(&nowhere), (404, "NotFound".to_owned()));
    assert_eq!(nowhere.body["details"]["kind"], "namespaces");
}

fn changing(cluster: &Cluster) {
    let room = Room::new(cluster);
    let data = json!({ "data": { "A": "MQ==", "B": "Mg==" } });
    cluster.create(&room.namespace, "a", &data);
    let path = secret(&room.namespace, "a");
    let merge = |patch: &Value| cluster.send("PATCH", &path, Some(("merge-patch+json", patch)));
    let before = cluster.secret(&room.namespace, "a").unwrap();
    let version = json!({ "resourceVersion": before["metadata"]["resourceVersion"] });
    let change = json!({ "metadata": version, "data": { "A": null, "C": null, "D": "NA==" } });
    let changed = merge(&change);
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(changed.body["data"], json!({ "B": "Mg==", "D": "NA==" }));
    assert_eq!(said(&merge(&change)), (409, "Conflict".to_owned()));
    let missing = secret(&room.namespace, "none");
    let missing = cluster.send("PATCH", &missing, Some(("merge-patch+json", &change)));
    assert_eq!(said(&missing), (404, "NotFound".to_owned()));
    assert_eq!(missing.body["details"]["kind"], "secrets");
    // Nothing to change is no new version.
    let same = merge(&json!({ "data": { "C": null } }));
    let of = |seen: &Seen| seen.body["metadata"]["resourceVersion"].clone();
    assert_eq!(of(&same), of(&changed));
    assert_eq!(merge(&json!({ "immutable": true })).status, 200);
    let fixed = merge(&json!({ "data": { "B": "Mw==" } }));
    assert_eq!(said(&fixed), (422, "Invalid".to_owned()));
    // Its labels can still be changed.
    let labels = json!({ "metadata": { "labels": { "a": "b" } } });
    assert_eq!(merge(&labels).status, 200);
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

//! Checks that create, change and delete sets.

use bot_cli_secrets::Effect;
use bot_cli_secrets::messages::Prior;
use serde_json::json;

use super::{Check, Room, pairs};
use crate::kubernetes::backend::{Unmade, assert_not_done};
use crate::kubernetes::cluster::Cluster;

pub(super) const CHECKS: &[Check] = &[
    ("sets_are_kept_in_objects_of_their_own", objects),
    ("names_and_keys_come_back_as_they_were_given", names),
    ("what_others_changed_meanwhile_is_not_lost", meanwhile),
    ("more_than_fits_is_refused_before_anything_is_sent", sizes),
    ("an_immutable_or_dying_secret_is_said_to_be_one", stubborn),
    ("a_namespace_that_is_not_there_is_named", nowhere),
];

/// The contract of backends holds, and is kept in these objects.
fn objects(cluster: &Cluster) {
    let room = Room::new(cluster);
    let mut backend = room.backend();
    let opened = backend.opened.organization.as_deref();
    assert_eq!(opened, Some(room.namespace.as_str()));
    let values = [("A", "你好 \u{7f}\u{0}"), ("B", "2")];
    backend.put("prod", &values).unwrap();
    assert_eq!(backend.values("prod").unwrap().unwrap(), pairs(&values));
    let object = cluster.secret(&room.namespace, "prod").unwrap();
    assert_eq!(object["type"], "Opaque");
    let labels = &object["metadata"]["labels"];
    assert_eq!(labels["app.kubernetes.io/managed-by"], "bot-cli");
    // What was removed does not come back with the next change.
    backend.unset("prod", &["B"], None).unwrap();
    backend.put("prod", &[("C", "3")]).unwrap();
    assert_eq!(backend.keys("prod").unwrap(), ["A", "C"]);
    // Bytes that are no text are another tool's, and are not made to be one.
    let bytes = json!({ "data": { "BYTES": "/w==" } });
    cluster.patch(&room.namespace, "prod", &bytes);
    let (code, sentence) = backend.values("prod").unwrap_err();
    assert_eq!(code, "not_text", "{sentence}");
    backend.put("prod", &[("MORE", "1")]).unwrap();
    let object = cluster.secret(&room.namespace, "prod").unwrap();
    assert_eq!(object["data"]["BYTES"], "/w==");

    let host = "https://registry.example.com/v1/";
    backend.pull("registry", host, "dTpmaXJzdA==").unwrap();
    backend.pull("registry", "ghcr.io", "dTp0aGlyZA==").unwrap();
    assert_eq!(backend.credentials("registry").unwrap().0, "ghcr.io");
    let object = cluster.secret(&room.namespace, "registry").unwrap();
    assert_eq!(object["type"], "kubernetes.io/dockerconfigjson");
    let kinds = backend.list().unwrap().into_iter().map(|(_, kind)| kind);
    assert_eq!(kinds.collect::<Vec<_>>(), ["secret", "image_pull_secret"]);
}

fn names(cluster: &Cluster) {
    let room = Room::new(cluster);
    let mut backend = room.backend();
    for name in ["My-Set", "a.b"] {
        assert_eq!(backend.get(name).unwrap(), None, "{name}");
        let unmade = backend.put(name, &[("A", "1")]).unwrap_err();
        assert_not_done(&unmade, "invalid_name");
    }
    let keys = ["plain_KEY-1.x", ".hidden", "a", "A"];
    for key in keys {
        backend.put("keys", &[(key, key)]).unwrap();
    }
    let mut expected: Vec<String> = keys.map(str::to_owned).to_vec();
    expected.sort();
    assert_eq!(backend.keys("keys").unwrap(), expected);
    assert_eq!(backend.unset("keys", &keys, None).unwrap(), [""; 0]);
    assert_eq!(backend.keys("keys").unwrap(), [""; 0]);
    for key in ["A B", "ü", "a/b?c#d", "\u{1b}[31mred", &"K".repeat(254)] {
        let unmade = backend.put("keys", &[(key, "1")]).unwrap_err();
        assert_not_done(&unmade, "refused");
    }
}

fn meanwhile(cluster: &Cluster) {
    let room = Room::new(cluster);
    let mut backend = room.backend();
    let conflict = |unmade: Unmade| {
        assert_not_done(&unmade, "conflict");
    };
    backend.put("prod", &[("A", "1")]).unwrap();
    // Created, deleted, or given other keys after the caller looked.
    conflict(
        backend
            .put_onto("prod", None, &[("A", "2")], &Prior::Absent)
            .unwrap_err(),
    );
    let seen = Prior::Keys(["A".to_owned()].into());
    conflict(
        backend
            .put_onto("none", None, &[("A", "2")], &seen)
            .unwrap_err(),
    );
    cluster.patch(&room.namespace, "prod", &json!({ "data": { "B": "Mg==" } }));
    conflict(
        backend
            .put_onto("prod", None, &[("B", "3")], &seen)
            .unwrap_err(),
    );
    // Removals, too, are for what was seen.
    conflict(backend.unset("prod", &["A"], Some(&seen)).unwrap_err());
    conflict(backend.delete("prod", Some(&seen)).unwrap_err());
    assert_eq!(
        backend.values("prod").unwrap().unwrap(),
        pairs(&[("A", "1"), ("B", "2")])
    );
    // Keys, labels and annotations of others stay, also what they took over.
    let notes = json!({ "labels": { "team": "voice" }, "annotations": { "note": "kept" } });
    cluster.patch(
        &room.namespace,
        "prod",
        &json!({ "metadata": notes, "data": { "A": "OQ==" } }),
    );
    backend.put("prod", &[("C", "3")]).unwrap();
    let expected = pairs(&[("A", "9"), ("B", "2"), ("C", "3")]);
    assert_eq!(backend.values("prod").unwrap().unwrap(), expected);
    let object = cluster.secret(&room.namespace, "prod").unwrap();
    assert_eq!(object["metadata"]["labels"]["team"], "voice");
    assert_eq!(object["metadata"]["annotations"]["note"], "kept");
    // What the user names is the user's again.
    backend.put("prod", &[("A", "4")]).unwrap();
    assert_eq!(backend.values("prod").unwrap().unwrap()["A"], "4");
    // Two at once: neither undoes the other.
    let mut other = room.backend();
    other.put("prod", &[("D", "5")]).unwrap();
    backend.put("prod", &[("E", "6")]).unwrap();
    assert_eq!(backend.keys("prod").unwrap(), ["A", "B", "C", "D", "E"]);
}

fn sizes(cluster: &Cluster) {
    let room = Room::new(cluster);
    let mut backend = room.backend();
    assert_eq!(backend.opened.limits.value_bytes, Some(1024 * 1024));
    let whole = "x".repeat(1024 * 1024);
    let (code, effect, sentence) = backend
        .put("big", &[("A", &whole), ("B", "1")])
        .unwrap_err();
    assert_eq!(
        (code.as_str(), effect),
        ("too_large", Effect::NotDone),
        "{sentence}"
    );
    assert_eq!(backend.get("big").unwrap(), None);
    backend.put("big", &[("A", &whole)]).unwrap();
    let (code, _, _) = backend.put("big", &[("B", "1")]).unwrap_err();
    assert_eq!(code, "too_large");
    assert_eq!(backend.keys("big").unwrap(), ["A"]);
    // A value that gives way makes room.
    backend
        .put("big", &[("A", "small"), ("B", &whole[5..])])
        .unwrap();
    assert_eq!(backend.keys("big").unwrap(), ["A", "B"]);
}

fn stubborn(cluster: &Cluster) {
    let room = Room::new(cluster);
    let mut backend = room.backend();
    backend.put("fixed", &[("A", "1")]).unwrap();
    cluster.patch(&room.namespace, "fixed", &json!({ "immutable": true }));
    for unmade in [
        backend.put("fixed", &[("A", "2")]).unwrap_err(),
        backend.unset("fixed", &["A"], None).unwrap_err(),
    ] {
        assert_not_done(&unmade, "immutable");
        assert!(unmade.2.contains("immutable"), "{}", unmade.2);
    }
    assert!(backend.delete("fixed", None).unwrap());
    backend.put("held", &[("A", "1")]).unwrap();
    let finalizers = json!({ "metadata": { "finalizers": ["bot-cli.test/held"] } });
    cluster.patch(&room.namespace, "held", &finalizers);
    let (code, effect, _) = backend.delete("held", None).unwrap_err();
    assert_eq!((&*code, effect), ("being_deleted", Effect::Unknown));
    for unmade in [
        backend.put("held", &[("A", "2")]).unwrap_err(),
        backend.unset("held", &["A"], None).unwrap_err(),
        backend.delete("held", None).unwrap_err(),
    ] {
        assert_not_done(&unmade, "being_deleted");
    }
    cluster.patch(
        &room.namespace,
        "held",
        &json!({ "metadata": { "finalizers": null } }),
    );
    assert_eq!(backend.get("held").unwrap(), None);
}

fn nowhere(cluster: &Cluster) {
    use crate::kubernetes::backend::Backend;
    let settings = [("context", cluster.context.as_str())];
    let mut backend =
        Backend::open(&cluster.kubeconfig, Some("bot-cli-no-such"), &settings).unwrap();
    let (code, sentence) = backend.list().unwrap_err();
    assert_eq!(code, "no_place");
    assert!(
        sentence.contains("no namespace `bot-cli-no-such`"),
        "{sentence}"
    );
    let (code, effect, sentence) = backend.put("prod", &[("A", "1")]).unwrap_err();
    assert_eq!((code.as_str(), effect), ("no_place", Effect::NotDone));
    assert!(
        sentence.contains("kubectl create namespace bot-cli-no-such"),
        "{sentence}"
    );
    for name in ["Team", "a_b", "-a", "a/b"] {
        let failed = Backend::open(&cluster.kubeconfig, Some(name), &settings)
            .err()
            .unwrap();
        assert_eq!(failed.0, "not_found", "{name}");
    }
}

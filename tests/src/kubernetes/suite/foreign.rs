//! Checks that Secrets owned by others are never listed, changed or deleted.

use serde_json::json;

use super::{Check, Room};
use crate::kubernetes::backend::assert_not_done;
use crate::kubernetes::cluster::Cluster;

pub(super) const CHECKS: &[Check] = &[("secrets_of_others_are_left_alone", others)];

fn others(cluster: &Cluster) {
    let room = Room::new(cluster);
    let label = |value: &str| json!({ "labels": { "app.kubernetes.io/managed-by": value } });
    let data = json!({ "A": "MQ==" });
    for (name, secret) in [
        ("plain", json!({ "data": data })),
        ("helm", json!({ "metadata": label("Helm"), "data": data })),
        // Ours by its label, but no set can be meant by it.
        (
            "tls",
            json!({
                "metadata": label("bot-cli"), "type": "kubernetes.io/tls",
                "data": { "tls.crt": "MQ==", "tls.key": "MQ==" },
            }),
        ),
        (
            "set.a",
            json!({ "metadata": label("bot-cli"), "data": data }),
        ),
    ] {
        cluster.create(&room.namespace, name, &secret);
    }
    let before: Vec<_> = ["plain", "helm", "tls", "set.a"]
        .map(|name| cluster.secret(&room.namespace, name))
        .to_vec();
    let mut backend = room.backend();
    assert_eq!(backend.list().unwrap(), []);
    for name in ["plain", "helm", "tls"] {
        assert_eq!(backend.get(name).unwrap(), None, "{name}");
        assert_eq!(backend.values(name).unwrap(), None, "{name}");
        for unmade in [
            backend.put(name, &[("A", "2")]).unwrap_err(),
            backend.pull(name, "ghcr.io", "dTpw").unwrap_err(),
            backend.unset(name, &["A"], None).unwrap_err(),
            backend.delete(name, None).unwrap_err(),
        ] {
            assert_not_done(&unmade, "foreign");
            assert!(unmade.2.contains("not a set of bot-cli"), "{}", unmade.2);
        }
    }
    let after: Vec<_> = ["plain", "helm", "tls", "set.a"]
        .map(|name| cluster.secret(&room.namespace, name))
        .to_vec();
    assert_eq!(before, after);
}

//! Checks for listings, regions and organizations.

use std::time::Duration;

use bot_cli_secrets::messages::Prior;
use bot_cli_terminal::cancel::Cancel;
use serde_json::json;

use super::{Check, Room};
use crate::kubernetes::backend::{Backend, assert_not_done};
use crate::kubernetes::cluster::Cluster;

pub(super) const CHECKS: &[Check] = &[
    ("contexts_are_regions", regions),
    ("namespaces_are_organizations", organizations),
];

fn regions(cluster: &Cluster) {
    let room = Room::new(cluster);
    let open = |region: &str| {
        let scope = json!({ "secrets": "1.0", "organization": room.namespace, "region": region, "settings": {} });
        let patience = Duration::from_secs(30);
        Backend::open_with(&cluster.kubeconfig, scope, patience, Cancel::new())
    };
    let region = cluster.context.as_str();
    let mut backend = open(region).unwrap();
    let regions = backend.opened.regions.clone().unwrap();
    assert_eq!(regions.all[0].code, region);
    assert_eq!(regions.default.as_deref(), Some(region));
    backend
        .put_onto("prod", Some(region), &[("A", "1")], &Prior::Absent)
        .unwrap();
    let set = backend.get("prod").unwrap().unwrap();
    assert_eq!(set.region.as_deref(), Some(region));
    backend.list_in(Some(region)).unwrap();
    assert_eq!(backend.list_in(Some("mars")).unwrap_err().0, "not_found");
    let nowhere = backend.put_onto("x", Some("mars"), &[("A", "1")], &Prior::Absent);
    assert_not_done(&nowhere.unwrap_err(), "not_found");
    let (code, sentence) = open("mars").err().unwrap();
    assert_eq!(code, "not_found");
    assert!(sentence.contains(&format!("`{region}`")), "{sentence}");
}

fn organizations(cluster: &Cluster) {
    let room = Room::new(cluster);
    let organizations = room.backend().organizations().unwrap();
    assert!(organizations.contains(&room.namespace), "{organizations:?}");
    assert!(
        organizations.contains(&"default".to_owned()),
        "{organizations:?}"
    );
}

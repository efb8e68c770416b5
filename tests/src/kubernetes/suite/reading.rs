//! Listings, regions and organizations.

use std::fs;

use bot_cli_secrets::messages::Prior;

use super::{Check, Room};
use crate::kubernetes::backend::{Backend, PACE, assert_not_done};
use crate::kubernetes::cluster::Cluster;

pub(super) const CHECKS: &[Check] = &[
    ("contexts_are_regions", regions),
    ("namespaces_are_organizations", organizations),
];

fn regions(cluster: &Cluster) {
    let rooms = [Room::new(cluster), Room::new(cluster)];
    // Two contexts of one cluster, each with a namespace of its own.
    let text = fs::read_to_string(&cluster.kubeconfig).unwrap();
    let user = text
        .split("- name: ")
        .skip(1)
        .find(|part| {
            part.starts_with(&format!("{}\n", cluster.context)) && part.contains("cluster:")
        })
        .and_then(|part| {
            part.lines()
                .find_map(|line| line.trim().strip_prefix("user: "))
        });
    let Some(user) = user else {
        // Another's kubeconfig is written as it likes.
        return;
    };
    let mut contexts = String::from("contexts:\n");
    for (name, room) in ["us-west", "eu"].iter().zip(&rooms) {
        let namespace = &room.namespace;
        contexts.extend([format!("- name: {name}\n  context:\n    cluster: one\n    user: {user}\n    namespace: {namespace}\n")]);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kubeconfig");
    fs::write(&file, text.replace("contexts:\n", &contexts)).unwrap();
    let settings = [("contexts", "us-west,eu"), ("context", "us-west")];
    let mut backend = Backend::open(&file, None, &settings).unwrap();
    let regions = backend.opened.regions.clone().unwrap();
    let codes: Vec<&str> = regions
        .all
        .iter()
        .map(|region| region.code.as_str())
        .collect();
    assert_eq!(
        (codes, regions.default.as_deref()),
        (vec!["us-west", "eu"], Some("us-west"))
    );
    assert_eq!(backend.opened.organization, None);
    backend.put("west", &[("A", "1")]).unwrap();
    backend
        .put_onto("europe", Some("eu"), &[("A", "1")], &Prior::Absent)
        .unwrap();
    assert_eq!(backend.list_in("eu").unwrap(), ["europe"]);
    assert_eq!(backend.list_in("us-west").unwrap(), ["west"]);
    assert_eq!(backend.list().unwrap().len(), 2);
    assert_eq!(
        backend.get("europe").unwrap().unwrap().region.as_deref(),
        Some("eu")
    );
    // A set stays where it is.
    backend.put("europe", &[("B", "2")]).unwrap();
    assert!(cluster.secret(&rooms[1].namespace, "europe").is_some());
    assert!(cluster.secret(&rooms[0].namespace, "europe").is_none());
    assert_eq!(backend.list_in("mars").unwrap_err().0, "not_found");
    let nowhere = backend.put_onto("x", Some("mars"), &[("A", "1")], &Prior::Absent);
    assert_not_done(&nowhere.unwrap_err(), "not_found");
    // One name in two regions is no set that can be meant without a region.
    let mut eu = Backend::open(&file, None, &[("context", "eu")]).unwrap();
    assert_eq!(eu.opened.regions, None);
    eu.put("west", &[("A", "2")]).unwrap();
    assert_eq!(backend.values("west").unwrap().unwrap()["A"], "1");
    let mut both = Backend::open(&file, None, &[("contexts", "us-west,eu")]).unwrap();
    let (code, sentence) = both.get("west").unwrap_err();
    assert_eq!(code, "refused", "{sentence}");
    assert_not_done(&both.delete("west").unwrap_err(), "refused");
    // A region alone is a context.
    let cancel = bot_cli_terminal::cancel::Cancel::new();
    let mut eu = Backend::open_with(PACE, &file, None, Some("eu"), &[], cancel.clone()).unwrap();
    assert_eq!(eu.values("west").unwrap().unwrap()["A"], "2");
    let mars = Backend::open_with(PACE, &file, None, Some("mars"), &[], cancel);
    let (code, sentence) = mars.err().unwrap();
    assert_eq!(code, "not_found");
    assert!(sentence.contains("`us-west`"), "{sentence}");
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

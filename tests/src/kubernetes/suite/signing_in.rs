//! Checks for permissions, and for the errors that unauthorized users see.

use super::{Check, Room, pairs};
use crate::kubernetes::backend::assert_not_done;
use crate::kubernetes::cluster::Cluster;

pub(super) const CHECKS: &[Check] = &[("those_without_rights_are_told", rights)];

fn rights(cluster: &Cluster) {
    let room = Room::new(cluster);
    room.backend().put("prod", &[("A", "1")]).unwrap();
    let mut reader = room.backend_as("reader");
    assert_eq!(
        reader.values("prod").unwrap().unwrap(),
        pairs(&[("A", "1")])
    );
    assert_eq!(reader.list().unwrap().len(), 1);
    assert_eq!(reader.organizations().unwrap_err().0, "not_allowed");
    for unmade in [
        reader.put("prod", &[("A", "2")]).unwrap_err(),
        reader.put("new", &[("A", "2")]).unwrap_err(),
        reader.unset("prod", &["A"], None).unwrap_err(),
        reader.delete("prod", None).unwrap_err(),
    ] {
        assert_not_done(&unmade, "not_allowed");
        assert!(unmade.2.contains("kubectl auth can-i"), "{}", unmade.2);
    }
    for (context, code) in [("nobody", "not_allowed"), ("stranger", "not_signed_in")] {
        let mut backend = room.backend_as(context);
        assert_eq!(backend.list().unwrap_err().0, code);
        assert_eq!(backend.get("prod").unwrap_err().0, code);
        assert_eq!(backend.values("prod").unwrap_err().0, code);
        assert_not_done(&backend.put("prod", &[("A", "2")]).unwrap_err(), code);
        assert_not_done(&backend.delete("prod", None).unwrap_err(), code);
    }
    assert_eq!(
        room.backend().values("prod").unwrap().unwrap(),
        pairs(&[("A", "1")])
    );
}

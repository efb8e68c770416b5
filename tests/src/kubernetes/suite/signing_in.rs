//! Who may do what, and what those hear who may not.

use bot_cli_secrets::Effect;

use super::{Check, Room, pairs};
use crate::kubernetes::cluster::Cluster;

pub(super) const CHECKS: &[Check] = &[("those_without_rights_are_told", rights)];

fn rights(cluster: &Cluster) {
    if !cluster.has_roles {
        return;
    }
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
        reader.unset("prod", &["A"]).unwrap_err(),
        reader.delete("prod").unwrap_err(),
    ] {
        assert_eq!(
            (unmade.0.as_str(), unmade.1),
            ("not_allowed", Effect::NotDone)
        );
        assert!(unmade.2.contains("kubectl auth can-i"), "{}", unmade.2);
    }
    for (context, code) in [("nobody", "not_allowed"), ("stranger", "not_signed_in")] {
        let mut backend = room.backend_as(context);
        assert_eq!(backend.list().unwrap_err().0, code);
        assert_eq!(backend.get("prod").unwrap_err().0, code);
        assert_eq!(backend.values("prod").unwrap_err().0, code);
        let (found, effect, _) = backend.put("prod", &[("A", "2")]).unwrap_err();
        assert_eq!((found.as_str(), effect), (code, Effect::NotDone));
        let (found, effect, _) = backend.delete("prod").unwrap_err();
        assert_eq!((found.as_str(), effect), (code, Effect::NotDone));
    }
    assert_eq!(
        room.backend().values("prod").unwrap().unwrap(),
        pairs(&[("A", "1")])
    );
}

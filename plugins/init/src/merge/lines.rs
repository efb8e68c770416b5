//! Merges by lines, for what has no better structure.

use super::{Conflict, Merged, Part, Versions};

pub(super) fn merge(versions: &Versions) -> Merged {
    let Versions { base, yours, new } = *versions;
    let part = if new == base || yours == new {
        Part::Text(yours.to_owned())
    } else if yours == base {
        Part::Text(new.to_owned())
    } else {
        Part::Conflict(Conflict {
            declaration: None,
            line: 1,
            base: base.to_owned(),
            yours: yours.to_owned(),
            new: new.to_owned(),
        })
    };
    Merged {
        parts: vec![part],
        notes: Vec::new(),
    }
}

//! Values that must not be seen.

use serde_json::json;

use super::super::Held;
use super::place::work;
use crate::conformance::bench::{Bench, Fault};
use crate::conformance::transcript::CANARY;
use crate::protocol::secrets::{Ability, methods};

/// A value that was put is not repeated, whatever comes afterwards. No value is asked for.
pub fn unseen(bench: &Bench) -> Held {
    work(bench, |place| {
        let (name, image) = (place.name(), place.name());
        place.put_new(&name, &json!({ "A": CANARY }))?;
        // Each of these fails somewhere, and a message is a place where values are found.
        for params in [
            json!({ "name": name, "entries": { "A": CANARY }, "prior": "absent" }),
            json!({ "name": "x".repeat(64), "entries": { "A": CANARY }, "prior": "absent" }),
            json!({ "name": name, "entries": { "A": [CANARY] }, "prior": { "keys": ["A"] } }),
            json!({ "name": name, "entries": CANARY, "prior": { "keys": ["A"] } }),
        ] {
            place.request(methods::PUT, params)?;
        }
        if place.opened.can.contains(&Ability::ImagePullSecrets) {
            let params = json!({ "name": image, "host": "ghcr.io", "credentials": CANARY, "prior": "absent" });
            place.request(methods::PUT_IMAGE_PULL_SECRET, params)?;
        }
        place.get(&name)?;
        place.list()?;
        place.request(methods::UNSET, json!({ "name": name, "keys": ["A"] }))?;
        Ok(())
    })?;
    bench.check_unseen(Fault::Password)
}

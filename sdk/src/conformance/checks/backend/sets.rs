//! Sets that are made, read, changed and removed.

use serde_json::json;

use super::super::{Held, failed};
use super::place::{Work, work};
use crate::conformance::bench::{Bench, Stop};
use crate::conformance::dialogue::Reply;
use crate::protocol::secrets::{
    Ability, Code, CredentialsResult, DeleteResult, SetKind, UnsetResult, ValuesResult, methods,
};

/// Values that are often spoilt on their way.
const VALUES: [(&str, &str); 6] = [
    ("PLAIN", "sk-1234"),
    ("EMPTY", ""),
    ("LINES", "-----BEGIN KEY-----\nabc\r\n-----END KEY-----\n"),
    ("QUOTES", "\"quoted\" 'single' \\back\\ $HOME ${X} `x` #no"),
    ("UNICODE", "žluťoučký 🦊 \u{200d} مرحبا"),
    ("BLANKS", "  two in front, one behind\t "),
];

/// Checks that a missing set is no error.
pub fn absent(bench: &Bench) -> Held {
    work(bench, |place| {
        let name = place.name();
        if place.get(&name)?.is_some() {
            return failed("`secrets/get` returned a set that nobody has made");
        }
        if !place.list()?.is_empty() {
            return failed("`secrets/list` has a set that nobody has made");
        }
        let unset: UnsetResult =
            place.served(methods::UNSET, json!({ "name": name, "keys": ["A"] }))?;
        if unset.missing != ["A"] {
            return failed(
                "`secrets/unset` of a set that is not there does not name its keys as `missing`",
            );
        }
        if place.get(&name)?.is_some() {
            return failed("`secrets/unset` made a set");
        }
        Ok(())
    })
}

/// A set that was put is there.
pub fn created(bench: &Bench) -> Held {
    work(bench, |place| {
        let name = place.name();
        place.put_new(&name, &json!({ "A": "1", "B": "2" }))?;
        place.has_keys(&name, &["A", "B"])?;
        let listed = place.list()?;
        let [set] = listed.as_slice() else {
            return failed("the set is not in `secrets/list`, or more than once");
        };
        let details = place.get(&name)?;
        let kinds = [Some(set.kind), details.as_ref().map(|set| set.kind)];
        if kinds != [Some(SetKind::Secret); 2] {
            return failed("the set's `kind` is not `secret`");
        }
        if details.is_some_and(|details| details.region != set.region) {
            return failed("`region` differs between `secrets/get` and `secrets/list`");
        }
        match (&place.opened.regions, &set.region) {
            (Some(_), None) => failed("the set has no `region`, and the place has regions"),
            (Some(_), Some(_)) | (None, _) => Ok(()),
        }
    })
}

/// Checks that the next process finds what one has kept.
pub fn kept(bench: &Bench) -> Held {
    let mut place = Work::start(bench)?;
    let name = place.name();
    let made = place.put_new(&name, &json!({ "A": "1" }));
    if made.is_err() {
        return place.end(made);
    }
    let mut place = place.again()?;
    let held = place.has_keys(&name, &["A"]);
    place.end(held)
}

/// Other keys of a set stay.
pub fn added(bench: &Bench) -> Held {
    work(bench, |place| {
        let name = place.name();
        place.put_new(&name, &json!({ "A": "1", "B": "2" }))?;
        let prior = json!({ "keys": ["A", "B"] });
        place.put(&name, &json!({ "B": "3", "C": "4" }), &prior)?;
        place.has_keys(&name, &["A", "B", "C"])
    })
}

/// Values come back as they were put.
pub fn values(bench: &Bench) -> Held {
    work(bench, |place| {
        place.needs(&Ability::Values)?;
        let name = place.name();
        let before: ValuesResult = place.served(methods::VALUES, json!({ "name": name }))?;
        if before.values.is_some() {
            return failed("`secrets/values` of a set that is not there is not `null`");
        }
        let entries = VALUES
            .iter()
            .map(|(key, value)| ((*key).to_owned(), json!(value)))
            .collect::<serde_json::Map<_, _>>();
        place.put_new(&name, &json!(entries))?;
        place.put(
            &name,
            &json!({ "PLAIN": "new" }),
            &json!({ "keys": VALUES.map(|(key, _)| key) }),
        )?;
        let result: ValuesResult = place.served(methods::VALUES, json!({ "name": name }))?;
        let Some(values) = result.values else {
            return failed("`secrets/values` of a set that is there is `null`");
        };
        if values.len() != VALUES.len() {
            return failed("`secrets/values` has other keys than the set");
        }
        for (key, value) in VALUES {
            let expected = if key == "PLAIN" { "new" } else { value };
            if values
                .get(key)
                .is_none_or(|value| value.expose() != expected)
            {
                return failed(format!("the value of `{key}` came back as another one"));
            }
        }
        Ok(())
    })
}

/// Keys can be removed.
pub fn removed(bench: &Bench) -> Held {
    work(bench, |place| {
        let name = place.name();
        place.put_new(&name, &json!({ "A": "1", "B": "2" }))?;
        let unset: UnsetResult =
            place.served(methods::UNSET, json!({ "name": name, "keys": ["A", "NO"] }))?;
        if unset.missing != ["NO"] {
            return failed("`missing` is not the key that was not there");
        }
        place.has_keys(&name, &["B"])?;
        let _: UnsetResult =
            place.served(methods::UNSET, json!({ "name": name, "keys": ["B"] }))?;
        place.has_keys(&name, &[])
    })
}

/// A set can be removed.
pub fn deleted(bench: &Bench) -> Held {
    work(bench, |place| {
        let name = place.name();
        place.put_new(&name, &json!({ "A": "1" }))?;
        for (expected, problem) in [
            (true, "`deleted` is false, and the set was there"),
            (false, "`deleted` is true, and the set was gone"),
        ] {
            let result: DeleteResult = place.served(methods::DELETE, json!({ "name": name }))?;
            if result.deleted != expected {
                return failed(problem);
            }
            if place.get(&name)?.is_some() || !place.list()?.is_empty() {
                return failed("the set was deleted and is still there");
            }
        }
        Ok(())
    })
}

/// Image pull secrets are kept.
pub fn image_pull_secrets(bench: &Bench) -> Held {
    work(bench, |place| {
        place.needs(&Ability::ImagePullSecrets)?;
        let name = place.name();
        put_image_pull_secret(place, &name, "ghcr.io", "YWRhOm9uZQ==", "absent")?;
        put_image_pull_secret(place, &name, "registry.example", "YWRhOnR3bw==", "there")?;
        match place.get(&name)? {
            Some(set) if set.kind == SetKind::ImagePullSecret && set.keys.is_empty() => {}
            Some(_) => {
                return failed("the set's `kind` is not `image_pull_secret`, or it has keys");
            }
            None => return failed("the image pull secret was made and is not there"),
        }
        if !place.opened.can.contains(&Ability::Values) {
            return Ok(());
        }
        let read: CredentialsResult =
            place.served(methods::CREDENTIALS, json!({ "name": name }))?;
        if read.host != "registry.example" || read.credentials.expose() != "YWRhOnR3bw==" {
            return failed("host and credentials are not those that were put last");
        }
        let values: ValuesResult = place.served(methods::VALUES, json!({ "name": name }))?;
        if values.values.is_some() {
            return failed("`secrets/values` of an image pull secret is not `null`");
        }
        Ok(())
    })
}

/// A set of one kind does not become one of the other.
pub fn other_kind(bench: &Bench) -> Held {
    work(bench, |place| {
        place.needs(&Ability::ImagePullSecrets)?;
        let (set, image) = (place.name(), place.name());
        place.put_new(&set, &json!({ "A": "1" }))?;
        put_image_pull_secret(place, &image, "ghcr.io", "YWRhOm9uZQ==", "absent")?;
        place.refused(
            methods::PUT,
            json!({ "name": image, "entries": { "A": "1" }, "prior": { "keys": [] } }),
            Code::Conflict,
            "on an image pull secret",
        )?;
        place.refused(
            methods::PUT_IMAGE_PULL_SECRET,
            json!({ "name": set, "host": "ghcr.io", "credentials": "YWRhOm9uZQ==", "prior": { "keys": ["A"] } }),
            Code::Conflict,
            "on a secret set",
        )?;
        place.has_keys(&set, &["A"])?;
        match place.get(&image)? {
            Some(image) if image.kind == SetKind::ImagePullSecret => Ok(()),
            Some(_) | None => failed("a refused change has changed the image pull secret"),
        }
    })
}

/// Credentials of what is not there are an error.
pub fn no_credentials(bench: &Bench) -> Held {
    work(bench, |place| {
        place.needs(&Ability::Values)?;
        place.needs(&Ability::ImagePullSecrets)?;
        let name = place.name();
        match place.request(methods::CREDENTIALS, json!({ "name": name }))? {
            Reply::Error(error)
                if error
                    .data
                    .as_ref()
                    .is_some_and(|data| data["code"] == "not_found") =>
            {
                Ok(())
            }
            Reply::Error(_) => failed("the error's `data.code` is not `not_found`"),
            Reply::Result(_) => failed("there were credentials of a name that nobody has made"),
        }
    })
}

fn put_image_pull_secret(
    place: &mut Work<'_>,
    name: &str,
    host: &str,
    credentials: &str,
    prior: &str,
) -> Held {
    let prior = match prior {
        "absent" => json!("absent"),
        _ => json!({ "keys": [] }),
    };
    let mut params =
        json!({ "name": name, "host": host, "credentials": credentials, "prior": prior });
    place.add_region(&mut params);
    let put: Result<serde_json::Map<_, _>, Stop> =
        place.served(methods::PUT_IMAGE_PULL_SECRET, params);
    put.map(drop)
}
